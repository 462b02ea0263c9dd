"use strict";
// Keys and hands of the page of a review: a head chosen by keyboard, arcs dragged, buttons.
(() => {
  const { one, here, pic, list, hint, ask, relBox, headBox, call, inTurn, fillList, open, choose, wordAt, weakest } = review;
  const { stopMoving, edit, setHead, setGold, undo, redo, closeAsk, step, turn, save, learn } = review;
  let typed = ""; // digits of the head's number

  // A head chosen by keyboard.

  function startMoving() {
    here.moving = here.word;
    typed = "";
    wordAt(here.moving).classList.add("moving");
    hint.textContent = `Head of ${here.now.forms[here.moving - 1]}: arrow keys or a number; Enter accepts, R or 0 makes it the root, Esc cancels`;
  }

  function movingKey(key) {
    const own = here.moving;
    if (key === "Escape") {
      stopMoving();
      choose(own);
    } else if (key === "Enter" || key === " ") {
      const head = here.word;
      stopMoving();
      if (head === own) choose(own);
      else setHead(own, head);
    } else if (key.toLowerCase() === "r" || (key === "0" && !typed)) {
      stopMoving();
      setHead(own, 0);
    } else if (/^\d$/.test(key)) {
      typed = here.now.forms[Number(typed + key) - 1] === undefined ? key : typed + key;
      if (here.now.forms[typed - 1] !== undefined) choose(Number(typed));
      wordAt(own).classList.add("moving");
    } else {
      return walk(key);
    }
    return true;
  }

  function walk(key) {
    const boxes = [...pic.querySelectorAll(".word")];
    const place = (box) => Number(box.querySelector("text").getAttribute("x"));
    boxes.sort((a, b) => place(a) - place(b));
    const at = boxes.indexOf(wordAt(here.word));
    const to = { ArrowLeft: boxes[at - 1], ArrowRight: boxes[at + 1], Home: boxes[0], End: boxes[boxes.length - 1] }[key];
    const up = here.now.heads[here.word - 1];
    if (to) choose(Number(to.dataset.word));
    else if (key === "ArrowUp" && up > 0) choose(up);
    else if (key === "ArrowDown" && here.now.heads.includes(here.word)) choose(here.now.heads.indexOf(here.word) + 1);
    return key.startsWith("Arrow") || key === "Home" || key === "End";
  }

  const keys = {
    Enter: startMoving, h: startMoving,
    r: () => setHead(here.word, 0),
    l: () => relBox.select(),
    w: () => choose(weakest(here.word)),
    g: () => setGold(),
    G: async () => (here.now.gold || (await setGold(true))) && step(1),
    n: () => step(1), PageDown: () => step(1), p: () => step(-1), PageUp: () => step(-1),
    u: undo, U: redo, o: turn, s: save, L: learn, c: review.changes.choose, d: review.changes.show,
    b: () => one("#back")?.click(),
    ...review.edits.keys,
    "?": () => {
      one("#helpbox").showModal();
      one("#helpname").focus(); // from its beginning, not at the button at its end
    },
  };

  document.addEventListener("keydown", (event) => {
    if (one("dialog[open]") || !here.now) return;
    const { key } = event;
    // a box that was just closed keeps the focus until the next frame: what is typed then is meant for the page
    const target = event.target.closest?.("dialog") ? document.body : event.target;
    const writing = target.matches?.("input:not([type=radio],[type=checkbox]), select, textarea");
    const held = event.ctrlKey || event.metaKey;
    let done = true;
    if (held && !event.altKey && "zys".includes(key.toLowerCase()) && !writing) {
      (key.toLowerCase() === "s" ? save : key.toLowerCase() === "y" || event.shiftKey ? redo : undo)();
    } else if (held || event.altKey) {
      return;
    } else if (!ask.hidden && key === "Escape") {
      closeAsk();
      choose(here.word);
    } else if (writing) {
      if (key !== "Escape") return;
      choose(here.word);
    } else if (key === "Escape" && drag) {
      dropped(false);
    } else if (pic.contains(target) && here.moving) {
      done = movingKey(key);
    } else if (target.matches?.("button, summary, a, input") && (key === "Enter" || key === " " || key.startsWith("Arrow"))) {
      return;
    } else if (Object.hasOwn(keys, key)) {
      keys[key]();
    } else {
      done = walk(key);
    }
    if (done) event.preventDefault();
  });

  for (const box of document.querySelectorAll("dialog")) box.addEventListener("close", () => {
    if (document.activeElement === document.body || box.contains(document.activeElement)) wordAt(here.word)?.focus({ preventScroll: true });
  });

  // Dragging an arc, or a word, to its new head.

  let drag = null;
  const point = (event) => {
    const svg = pic.querySelector("svg");
    const at = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
    return [Math.round(at.x), Math.round(at.y)];
  };

  pic.addEventListener("pointerdown", (event) => {
    const part = event.target.closest(".tree .edge, .tree .word");
    if (!part || event.button !== 0 || !here.now) return;
    event.preventDefault();
    if (here.moving) stopMoving();
    drag = { child: Number(part.dataset.child || part.dataset.word), x: event.clientX, y: event.clientY, line: null, to: null };
    choose(drag.child);
  });

  window.addEventListener("pointermove", (event) => {
    if (!drag) return;
    if (!drag.line && Math.hypot(event.clientX - drag.x, event.clientY - drag.y) < 5) return;
    const svg = pic.querySelector("svg");
    if (!drag.line) {
      svg.classList.add("dragging");
      wordAt(drag.child).classList.add("moving");
      drag.line = document.createElementNS("http://www.w3.org/2000/svg", "path");
      drag.line.setAttribute("class", "rubber");
      svg.append(drag.line);
    }
    const form = wordAt(drag.child).querySelector(".form");
    const [x, y] = [Number(form.getAttribute("x")), Number(form.getAttribute("y")) - 17];
    const [toX, toY] = point(event);
    drag.line.setAttribute("d", `M${x} ${y}C${x} ${y - 50} ${toX} ${Math.min(y, toY) - 40} ${toX} ${toY}`);
    drag.to?.classList.remove("target");
    const under = document.elementFromPoint(event.clientX, event.clientY)?.closest(".tree .word, .tree .zone");
    drag.to = under && Number(under.dataset.word) !== drag.child ? under : null;
    drag.to?.classList.add("target");
  });

  function dropped(taken) {
    const { child, line, to } = drag;
    drag = null;
    line?.remove();
    pic.querySelector("svg").classList.remove("dragging");
    for (const box of pic.querySelectorAll(".moving, .target")) box.classList.remove("moving", "target");
    if (taken && to) setHead(child, Number(to.dataset.word || 0));
  }
  window.addEventListener("pointerup", () => drag && dropped(true));
  window.addEventListener("pointercancel", () => drag && dropped(false));

  for (const [id, does] of Object.entries({
    undo, redo, learn, help: keys["?"], next: keys.n, previous: keys.p,
    gold: () => setGold(), root: keys.r,
    stop: () => call("/api/stop", {}).catch(() => {}),
    hide: () => (one("#job").hidden = true),
    yes: () => here.offer?.(),
    no: () => {
      closeAsk();
      choose(here.word);
    },
  })) one("#" + id).addEventListener("click", does);
  list.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (button) inTurn(() => open(Number(button.dataset.n))).catch(() => {});
  });
  one("#order").addEventListener("change", fillList);
  one("#nogold").addEventListener("change", fillList);
  one("#word").addEventListener("submit", (event) => {
    event.preventDefault();
    const rel = relBox.value.trim();
    const head = headBox.value === "" ? here.now.heads[here.word - 1] : Number(headBox.value);
    wordAt(here.word)?.focus();
    const cells = review.edits.changed();
    const old = here.now.rels[here.word - 1];
    if (cells) {
      edit({ kind: "cells", word: here.word, values: cells }, here.word);
      if (head === here.now.heads[here.word - 1] && rel === (old === "_" ? "" : old)) return;
    }
    if (head !== here.now.heads[here.word - 1]) setHead(here.word, head, rel && rel !== here.now.rels[here.word - 1] ? { relation: rel } : {});
    else edit({ kind: "relation", word: here.word, relation: rel }, here.word);
  });

  inTurn(review.start).catch(() => {});
})();
