"use strict";
// What learning changed, to be looked at and refused tree by tree; and the sentence that it pays most to correct next.
(() => {
  const { one, call, say, inTurn, open, act, make, isolated, draw, undo, summary } = review;
  const box = one("#changebox");

  function row(change) {
    const line = make("li");
    const about = make("div", "about");
    const name = make("button", "look");
    name.type = "button";
    name.append(isolated(change.id));
    name.addEventListener("click", () => {
      box.close();
      inTurn(() => open(change.n)).catch(() => {});
    });
    about.append(name);
    for (const word of change.heads) {
      const one = make("span", "move");
      const old = make("del");
      old.append(isolated(word.old));
      const now = make("ins");
      now.append(isolated(word.new));
      one.append(isolated(word.form), " ", old, " → ", now);
      about.append(one);
    }
    if (change.labels) about.append(make("span", "move", `${change.labels} relation${change.labels > 1 ? "s" : ""}`));
    const refuse = make("button", "refuse", "Keep the old tree");
    refuse.type = "button";
    refuse.addEventListener("click", async () => {
      if (await act("/api/refuse", () => ({ n: change.n }))) {
        line.remove();
        told();
      }
    });
    line.append(about, refuse);
    return line;
  }

  function told() {
    const left = one("#changes").children.length;
    one("#changetold").textContent = left
      ? `${left} tree${left > 1 ? "s" : ""} differ from before. Each can be refused; gold trees and trees you corrected were not touched.`
      : "No tree differs from before learning.";
  }

  async function show() {
    const answer = await call("/api/changes").catch(() => null);
    if (!answer?.ok) return;
    one("#changes").replaceChildren(...answer.changes.map(row));
    one("#curve").replaceChildren();
    if (summary().known.curve) draw(one("#curve"), summary().known.curve);
    told();
    one("#undolearn").hidden = !answer.changes.length;
    if (!box.open) box.showModal();
    one("#changename").focus();
  }

  async function choose() {
    const answer = await call("/api/next").catch(() => null);
    if (!answer?.ok) return;
    if (answer.type) return review.edits.showTypes(answer.type, answer.type_why);
    if (answer.n === null) return say("Every sentence is gold or corrected.");
    await inTurn(() => open(answer.n)).catch(() => {});
    one("#reason").textContent = `To correct next: ${answer.why}.`;
    one("#reason").hidden = false;
  }

  document.addEventListener("learned", show);
  one("#differ").addEventListener("click", show);
  one("#choose").addEventListener("click", choose);
  one("#undolearn").addEventListener("click", async () => {
    box.close();
    await undo();
  });
  review.changes = { box, show, choose };
})();
