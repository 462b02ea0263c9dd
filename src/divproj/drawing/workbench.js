"use strict";
// The workbench: the list of texts, what can be done with each, search. Texts come from files and are never code.
const bench = (() => {
  const { one, make } = served;
  const [list, told, panel, query] = ["#texts", "#told", "#panel", "#query"].map(one);
  let state = null;
  let chosen = ""; // the text on which keys act

  const plural = (count, what) => `${count} ${what}${count === 1 ? "" : "s"}`;

  async function call(path, body) {
    const { ok, data } = await served.call(path, body, "Everything");
    if (!ok) {
      say(data.error || "that did not work", true);
      throw new Error(data.error);
    }
    return data;
  }

  function say(text, bad) {
    told.textContent = text;
    told.classList.toggle("bad", Boolean(bad));
  }

  // The list.

  function how(text) {
    const made = make("span", "how");
    if (!text.trees) made.textContent = "no trees yet";
    else {
      made.append(`${plural(text.sentences, "sentence")}, `);
      made.append(make("b", "", `${text.gold} gold`));
    }
    return made;
  }

  function row(text) {
    const made = make("li");
    made.dataset.name = text.name;
    made.append(make("span", "name", text.name), how(text));
    const buttons = make("span", "buttons");
    const busy = text.job?.busy;
    const can = [
      ["Project", "P", project, !busy],
      ["Correct", "Enter", open, text.trees && !busy],
      ["Divergence", "D", divergence, text.trees],
      ["Save as file", "E", save, text.trees],
    ];
    if (text.into) can.push(["Save into my file", "F", saveInto, text.trees && !busy]);
    for (const [label, key, does, possible] of can) {
      const button = make("button", "", label);
      button.type = "button";
      button.disabled = !possible;
      button.dataset.does = label;
      button.setAttribute("aria-keyshortcuts", key);
      button.setAttribute("aria-label", `${label}: ${text.name}`);
      button.addEventListener("click", () => {
        chosen = text.name;
        does(text.name).catch(() => {});
      });
      buttons.append(button);
    }
    made.append(buttons);
    if (text.job) {
      const told = busy ? `${text.job.what} … ${text.job.seconds} s` : text.job.told;
      const line = make("p", "job" + (text.job.failed ? " failed" : ""), told);
      line.setAttribute("role", "status");
      made.append(line);
    }
    made.addEventListener("focusin", () => (chosen = text.name));
    return made;
  }

  function show() {
    const focused = document.activeElement?.dataset?.does;
    one("#folder").textContent = state.folder;
    list.replaceChildren(...state.texts.map(row));
    one("#empty").hidden = state.texts.length > 0;
    one("#rules").disabled = !state.rules;
    const job = state.learning;
    one("#learn").disabled = Boolean(job?.busy) || !state.texts.some((text) => text.gold);
    if (!state.texts.some((text) => text.name === chosen)) chosen = state.texts[0]?.name || "";
    if (focused) focus(focused);
  }

  function at(name) {
    return [...list.children].find((item) => item.dataset.name === name);
  }

  function focus(label) {
    const item = at(chosen);
    const wanted = item?.querySelector(`[data-does="${label || "Correct"}"]`);
    (wanted && !wanted.disabled ? wanted : item?.querySelector("button:not(:disabled)"))?.focus();
  }

  let waiting = 0;
  async function refresh() {
    const before = state;
    state = await call("/api/state");
    const learned = before?.learning?.busy && !state.learning.busy;
    if (learned) say(state.learning.told, state.learning.failed);
    show();
    clearTimeout(waiting);
    const busy = state.learning?.busy || state.texts.some((text) => text.job?.busy);
    if (busy) waiting = setTimeout(() => refresh().catch(() => {}), 500);
  }

  // What can be done.

  async function project(name) {
    say((await call("/api/project", { name })).told);
    await refresh();
  }

  async function open(name, id) {
    say("opening …");
    location.assign((await call("/api/open", { name })).url + (id ? `#${encodeURIComponent(id)}` : ""));
  }

  async function save(name) {
    const found = await call(`/api/export?name=${encodeURIComponent(name)}`);
    const link = make("a");
    link.href = URL.createObjectURL(new Blob([found.text], { type: "text/plain;charset=utf-8" }));
    link.download = found.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    say(`${found.name} saved where your browser keeps downloads`);
  }

  async function saveInto(name) {
    say("writing …");
    const found = await call(`/api/into?name=${encodeURIComponent(name)}`);
    const bytes = Uint8Array.from(atob(found.data), (letter) => letter.charCodeAt(0));
    const link = make("a");
    link.href = URL.createObjectURL(new Blob([bytes]));
    link.download = found.name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    say(`${found.name}, a copy of ${name} with the trees in it, saved where your browser keeps downloads`);
  }

  async function divergence(name) {
    const found = await call(`/api/divergence?name=${encodeURIComponent(name)}`);
    const table = make("table");
    table.append(make("caption", "", "Edges of the translation that have a partner, in percent"));
    const names = ["match", "unaligned", "merge", "swap", "other"];
    const head = table.createTHead().insertRow();
    for (const title of ["stage", ...names, "edges"]) {
      const cell = make("th", title === "stage" ? "" : "num", title);
      cell.scope = "col";
      head.append(cell);
    }
    const body = table.createTBody();
    for (const stage of found.stages) {
      const line = body.insertRow();
      const first = make("th", "", stage.stage);
      first.scope = "row";
      line.append(first);
      for (const key of names) line.append(make("td", "num", stage.edges ? ((100 * (stage[key] || 0)) / stage.edges).toFixed(1) : "–"));
      line.append(make("td", "num", String(stage.edges)));
    }
    shown(`Divergence: ${name}`, table);
  }

  async function rules() {
    const found = await call("/api/rules");
    const made = make("ul");
    for (const line of found.rules) if (line.trim()) made.append(make("li", "", line));
    shown("What was learned", made);
  }

  function shown(title, body) {
    one("#panelname").textContent = title;
    one("#panelbody").replaceChildren(body);
    panel.hidden = false;
    one("#panelname").focus();
  }

  async function learn() {
    say((await call("/api/learn", {})).told);
    await refresh();
  }

  async function find() {
    const found = await call("/api/find", { query: query.value });
    say("");
    one("#found").textContent = `${plural(found.words, "word")} found` + (found.words > found.rows.length && found.rows.length >= 200 ? ", the first sentences shown" : "");
    one("#matches").replaceChildren(
      ...found.rows.map((match) => {
        const made = make("li");
        const link = make("button", "link", `${match.text} ${match.id}`);
        link.type = "button";
        link.setAttribute("aria-label", `Open ${match.id} of ${match.text}`);
        link.addEventListener("click", () => open(match.text, match.id).catch(() => {}));
        made.append(link);
        match.forms.forEach((form, k) => {
          made.append(match.words.includes(k + 1) ? make("b", "", form) : make("bdi", "", form), " ");
        });
        return made;
      }),
    );
  }

  async function add(files) {
    for (const file of files) {
      const bytes = new Uint8Array(await file.arrayBuffer());
      let text = "";
      for (let k = 0; k < bytes.length; k += 32768) text += String.fromCharCode(...bytes.subarray(k, k + 32768));
      const answer = await call("/api/add", { name: file.name, data: btoa(text) });
      chosen = file.name;
      say(answer.told);
    }
    await refresh();
    focus("Project");
  }

  // Keys and hands.

  const step = (by) => {
    const names = state.texts.map((text) => text.name);
    if (!names.length) return;
    const k = document.activeElement?.closest?.("#texts li") ? names.indexOf(chosen) + by : 0;
    chosen = names[Math.min(Math.max(k, 0), names.length - 1)];
    focus("Correct");
  };
  const click = (label) => at(chosen)?.querySelector(`[data-does="${label}"]`)?.click();
  const keys = {
    arrowdown: () => step(1),
    arrowup: () => step(-1),
    p: () => click("Project"),
    e: () => click("Save as file"),
    f: () => click("Save into my file"),
    d: () => click("Divergence"),
    l: () => one("#learn").click(),
    r: () => one("#rules").click(),
    a: () => one("#file").click(),
    "/": () => query.focus(),
    "?": () => one("#helpbox").showModal(),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || one("#helpbox").open) return;
    if (event.key === "Escape" && event.target === query) query.blur();
    if (event.target.matches("input")) return;
    if (event.key === "Escape" && !panel.hidden) one("#closepanel").click();
    const does = keys[event.key.toLowerCase()];
    if (does) {
      event.preventDefault();
      does();
    } else if (event.key === "Enter" && !event.target.matches("button, a")) click("Correct");
  });
  one("#add").addEventListener("click", keys.a);
  one("#file").addEventListener("change", (event) => {
    add([...event.target.files]).catch(() => {});
    event.target.value = "";
  });
  one("#learn").addEventListener("click", () => learn().catch(() => {}));
  one("#rules").addEventListener("click", () => rules().catch(() => {}));
  one("#help").addEventListener("click", keys["?"]);
  one("#closepanel").addEventListener("click", () => {
    panel.hidden = true;
    focus("Correct");
  });
  one("#find").addEventListener("submit", (event) => {
    event.preventDefault();
    find().catch(() => {});
  });
  for (const kind of ["dragenter", "dragover"])
    addEventListener(kind, (event) => {
      event.preventDefault();
      document.body.classList.add("dropping");
    });
  for (const kind of ["dragleave", "drop"]) addEventListener(kind, () => document.body.classList.remove("dropping"));
  addEventListener("drop", (event) => {
    event.preventDefault();
    add([...event.dataTransfer.files]).catch(() => {});
  });
  addEventListener("pageshow", (event) => event.persisted && refresh().catch(() => {}));

  refresh()
    .then(() => focus("Correct"))
    .catch(() => {});
  return { add, refresh, state: () => state };
})();
