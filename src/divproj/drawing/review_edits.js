"use strict";
// Columns, words, tokens and sentences; word types at once; search and replace.
review.edits = (() => {
  const { one, here, call, say, inTurn, open, act, edit, make, isolated, choose, wordAt, summary } = review;
  const columns = [...document.querySelectorAll("#word [data-cell]")];
  const cell = (box) => here.now.columns[box.dataset.cell][here.word - 1];

  // Columns of the chosen word.

  function options(list, values) {
    one(list).replaceChildren(...values.map((value) => {
      const option = make("option");
      option.value = value;
      return option;
    }));
  }

  function fill() {
    if (here.moving) return;
    closePrompt();
    for (const box of columns) box.value = cell(box);
    const set = here.now.set[here.word - 1];
    if (set.length) one("#why").textContent += ` · you set ${set.join(", ")}`;
    const offers = summary().offers;
    options("#uposes", offers.upos);
    options("#xposes", offers.xpos[one("#upos").value] || []);
    offerFeatures();
    links();
    const token = here.now.tokens.find(([first, last]) => first <= here.word && here.word <= last);
    one("#token").textContent = token ? `Multiword token ${token[2]}` : "Multiword token";
    one("#joinwords").disabled = here.word === here.now.forms.length;
    one("#splitsentence").disabled = here.word === 1;
  }

  const items = () => one("#feats").value.split("|").map((item) => item.trim()).filter(Boolean);

  function offerFeatures() {
    const present = items();
    const offered = summary().offers.feats[one("#upos").value.trim().toUpperCase()] || [];
    one("#offered-feats").replaceChildren(...offered.map((feature) => {
      const button = make("button", "feature", feature);
      button.type = "button";
      button.setAttribute("aria-pressed", present.includes(feature));
      button.addEventListener("click", () => {
        const name = feature.split("=")[0];
        const others = items().filter((item) => item.split("=")[0] !== name);
        const order = (a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1);
        one("#feats").value = (items().includes(feature) ? others : [...others, feature]).sort(order).join("|");
        offerFeatures();
        [...one("#offered-feats").children].find((other) => other.textContent === feature)?.focus();
      });
      return button;
    }));
  }

  // What differs in the fields of the word; null where nothing does.
  function changed() {
    const values = {};
    for (const box of columns) {
      const value = box.dataset.cell === "upos" ? box.value.trim().toUpperCase() : box.value.trim();
      if (value !== cell(box)) values[box.dataset.cell] = value;
    }
    return Object.keys(values).length ? values : null;
  }

  // Links of the chosen word.

  function links() {
    const linked = (j) => here.now.links.some(([i, k]) => i === here.word && k === j);
    one("#links").replaceChildren(...here.now.e.map((form, k) => {
      const button = make("button", "feature");
      button.type = "button";
      button.append(isolated(form));
      button.setAttribute("aria-pressed", linked(k + 1));
      button.addEventListener("click", async () => {
        const others = here.now.links.filter(([i, j]) => i !== here.word || j !== k + 1);
        const pairs = linked(k + 1) ? others : [...others, [here.word, k + 1]];
        await edit({ kind: "links", links: pairs }, here.word);
        one("#links").children[k]?.focus();
      });
      return button;
    }));
  }

  // A question with one line for an answer.

  let asked = null;
  function prompt(question, answer, does) {
    asked = does;
    one("#prompted").textContent = question;
    one("#answer").value = answer;
    one("#prompt").hidden = false;
    one("#answer").focus();
    one("#answer").select();
  }
  function closePrompt() {
    asked = null;
    one("#prompt").hidden = true;
  }
  one("#prompt").addEventListener("submit", (event) => {
    event.preventDefault();
    const does = asked;
    const answer = one("#answer").value;
    closePrompt();
    wordAt(here.word)?.focus();
    does?.(answer);
  });
  one("#cancel").addEventListener("click", () => choose(here.word));

  // Words and sentences.

  const form = () => here.now.forms[here.word - 1];

  function splitWord() {
    prompt(`Parts of ${form()}, with | between them; || makes them one multiword token`, form(), (answer) => {
      const token = answer.includes("||");
      const parts = answer.split("|").map((part) => part.trim()).filter(Boolean);
      edit({ kind: "split word", word: here.word, parts, token }, here.word);
    });
  }

  function joinWords() {
    const next = here.now.forms[here.word];
    if (next === undefined) return say("There is no next word to join it with.");
    return prompt(`${form()} and ${next} as one word`, form() + next, (answer) => {
      edit({ kind: "join words", word: here.word, form: answer }, here.word);
    });
  }

  function token() {
    const own = here.now.tokens.find(([first, last]) => first <= here.word && here.word <= last);
    const last = own ? own[1] : here.word + 1;
    const first = own ? own[0] : here.word;
    if (last > here.now.forms.length) return say("A multiword token has two words or more.");
    const text = own ? own[2] : here.now.forms.slice(first - 1, last).join("");
    return prompt(`Multiword token from word ${first} to: number of its last word, and its form${own ? "; nothing dissolves it" : ""}`, `${last} ${text}`, (answer) => {
      if (!answer.trim() && own) return edit({ kind: "no token", word: here.word }, here.word);
      const [, end, name] = /^\s*(\d+)\s*(.*)$/.exec(answer) || [];
      if (!end) return say("A number and a form are expected, such as 3 vadonde.");
      return edit({ kind: "token", word: first, last: Number(end), form: name }, here.word);
    });
  }

  const splitSentence = () => (here.word === 1 ? say("A sentence is split before a word that is not its first.") : edit({ kind: "split sentence", word: here.word }, 1));
  const joinSentences = () => edit({ kind: "join sentences" }, here.word);

  // The sentence: state, translations, note, other analyses, findings.

  function about() {
    const { texts, note, state, annotator, beside, findings } = here.now;
    one("#state").value = state;
    one("#annotator").value = annotator || localName;
    one("#sentencenote").value = note;
    const rows = texts.length ? texts : [["text_en", "en", ""]];
    one("#texts").replaceChildren(...rows.map(([key, code, text]) => {
      const label = make("label", "wide", `Translation${code ? ` (${code})` : ""} `);
      const box = make("input");
      box.value = text;
      box.maxLength = 2000;
      box.dataset.key = key;
      box.setAttribute("aria-keyshortcuts", "Shift+T");
      label.append(box);
      return label;
    }));
    one("#beside").replaceChildren(...beside.flatMap((told, at) => {
      const exchange = make("button", "", `Exchange with tree ${at + 1} (${told})`);
      const drop = make("button", "", `Drop tree ${at + 1}`);
      for (const [button, more] of [[exchange, {}], [drop, { drop: true }]]) {
        button.type = "button";
        button.addEventListener("click", () => edit({ kind: "take", at, ...more }, here.word));
      }
      return [exchange, drop];
    }));
    one("#findings").hidden = !findings.length;
    one("#findings").replaceChildren(...findings.map(([level, word, message]) => {
      const line = make("li", level > 2 ? "serious" : "");
      if (!word) {
        line.textContent = message;
        return line;
      }
      const button = make("button");
      button.type = "button";
      button.append(`${word} `, isolated(here.now.forms[word - 1]), ` ${message}`);
      button.addEventListener("click", () => choose(word));
      line.append(button);
      return line;
    }));
  }

  function nextFinding() {
    const words = [...new Set(here.now.findings.map(([, word]) => word).filter(Boolean))].sort((a, b) => a - b);
    if (!words.length) return say(here.now.findings.length ? here.now.findings[0][2] : "UD has nothing against this sentence.");
    const word = words.find((k) => k > here.word) ?? words[0];
    choose(word);
    return say(here.now.findings.find(([, k]) => k === word)[2]);
  }

  let localName = "";
  one("#aboutform").addEventListener("submit", (event) => {
    event.preventDefault();
    const name = one("#annotator").value.trim();
    const state = one("#state").value;
    const edits = [];
    for (const box of one("#texts").querySelectorAll("input")) {
      const old = here.now.texts.find(([key]) => key === box.dataset.key)?.[2] || "";
      if (box.value.trim() !== old) edits.push({ kind: "comment", key: box.dataset.key, text: box.value });
    }
    if (one("#sentencenote").value.trim() !== here.now.note) edits.push({ kind: "comment", key: "note", text: one("#sentencenote").value });
    if (state !== here.now.state || (name && name !== here.now.annotator && name !== localName)) edits.push({ kind: "state", state, annotator: name });
    localName = name;
    wordAt(here.word)?.focus();
    for (const change of edits) edit(change, here.word);
    if (!edits.length) say("nothing to change");
  });

  function field(box) {
    const details = one(box).closest("details");
    if (details) details.open = true;
    one(box).focus();
    one(box).select?.();
  }

  // Word types.

  const box = one("#typesbox");
  let rows = [];
  let part = 20;
  let wanted = "";

  function typeRow(row) {
    const line = make("tr", row.status === "sure?" ? "serious" : "");
    const add = (texts) => {
      for (const text of texts) {
        const at = make("td");
        at.append(isolated(String(text)));
        line.append(at);
      }
    };
    add([row.gloss, row.forms.join(", "), row.guess]);
    for (const [name, list] of [["tag", "typetags"], ["relation", "typerels"]]) {
      const input = make("input");
      input.value = row[name];
      input.dataset.name = name;
      input.setAttribute("list", list);
      input.setAttribute("aria-label", `${name === "tag" ? "Tag" : "Relation"} of ${row.gloss || row.forms[0]}`);
      input.spellcheck = false;
      const at = make("td");
      at.append(input);
      line.append(at);
    }
    line.dataset.key = row.key;
    add([row.count, `${Math.round(100 * row.doubt)} %`, row.example]);
    if (row.status === "sure?") line.title = "everything else speaks against this answer";
    return line;
  }

  function fillTypes(focus = 0) {
    const kept = given();
    const at = rows.findIndex((row) => row.key === wanted);
    if (at >= part) part = at + 1;
    one("#typerows").replaceChildren(...rows.slice(0, part).map(typeRow));
    for (const line of one("#typerows").children) {
      const cells = kept[line.dataset.key];
      if (cells) line.querySelectorAll("input").forEach((input, k) => (input.value = cells[k]));
    }
    one("#moretypes").hidden = part >= rows.length;
    const line = one("#typerows").children[at >= 0 ? at : focus];
    line?.querySelector("input").focus();
    line?.scrollIntoView({ block: "nearest" });
  }

  // Answers that were written and not yet given.
  function given() {
    const answers = {};
    for (const line of one("#typerows").children) {
      const old = rows.find((row) => row.key === line.dataset.key);
      const cells = [...line.querySelectorAll("input")].map((input) => input.value.trim());
      if (old && (cells[0] !== old.tag || cells[1] !== old.relation)) answers[line.dataset.key] = cells;
    }
    return answers;
  }

  function busy(text) {
    one("#typesbusy").textContent = text;
    for (const button of [one("#applytypes"), one("#moretypes")]) button.disabled = Boolean(text);
  }

  async function showTypes(key = "", why = "") {
    if (!summary().types.possible) return say("Words at once need glosses, and trees of s6.");
    wanted = key;
    if (!box.open) box.showModal();
    one("#typesname").focus();
    busy("Reading the text …");
    const answer = await call("/api/types").catch(() => null);
    busy("");
    if (!answer?.ok) {
      one("#typesbusy").textContent = answer?.error || "";
      return undefined;
    }
    rows = answer.types;
    options("#typetags", answer.tags);
    options("#typerels", answer.relations);
    one("#typerows").replaceChildren();
    fillTypes();
    if (why) one("#typesbusy").textContent = `Most worth answering now: ${why}.`;
    return undefined;
  }

  async function applyTypes() {
    const answers = given();
    if (!Object.keys(answers).length) return void (one("#typesbusy").textContent = "Nothing is filled in.");
    busy("Projecting the text with your answers …");
    const answer = await call("/api/types/answers", { answers }).catch(() => null);
    busy("");
    if (!answer?.ok) return void (one("#typesbusy").textContent = answer?.error || "");
    rows = answer.types;
    wanted = "";
    one("#typerows").replaceChildren();
    await inTurn(async () => {
      await review.reload();
      await open(here.now.n, here.word);
    }).catch(() => {});
    fillTypes();
    one("#typesbusy").textContent = `${answer.told}: ${answer.changed} sentence${answer.changed === 1 ? "" : "s"} changed. Undo takes it back.`;
    return undefined;
  }

  one("#typesform").addEventListener("submit", (event) => {
    event.preventDefault();
    applyTypes();
  });
  one("#typesform").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.target.tagName !== "INPUT") return;
    event.preventDefault();
    if (event.ctrlKey || event.metaKey) return void applyTypes();
    const line = event.target.closest("tr");
    const next = line.nextElementSibling;
    if (next) next.querySelector("input").focus();
    else one("#applytypes").focus();
  });
  one("#moretypes").addEventListener("click", () => {
    part += 50;
    fillTypes(part - 50);
  });
  one("#closetypes").addEventListener("click", () => box.close());

  // Search and replace.

  const replaceBox = one("#replacebox");
  let stamp = null;

  function showReplace() {
    if (!replaceBox.open) replaceBox.showModal();
    one("#query").focus();
    one("#query").select();
  }

  const request = () => ({ query: one("#query").value, changes: one("#changesto").value });

  async function preview() {
    stamp = null;
    one("#doreplace").disabled = true;
    const answer = await call("/api/replace", request()).catch(() => null);
    one("#replacements").replaceChildren();
    if (!answer?.ok) return void (one("#replacetold").textContent = answer?.error || "");
    const gold = answer.gold ? `, ${answer.gold} of them gold` : "";
    const changes = one("#changesto").value.trim() ? ` · ${answer.sentences} sentence${answer.sentences === 1 ? "" : "s"} would change${gold}` : "";
    one("#replacetold").textContent = `${answer.words} word${answer.words === 1 ? "" : "s"}${changes}`;
    one("#replacements").replaceChildren(...answer.rows.map((row) => {
      const line = make("li");
      const name = make("button", "look");
      name.type = "button";
      name.append(isolated(row.id));
      name.addEventListener("click", () => {
        replaceBox.close();
        inTurn(() => open(row.n, row.words[0])).catch(() => {});
      });
      const words = make("span", "about");
      row.forms.forEach((text, k) => {
        const box = isolated(text);
        if (row.words.includes(k + 1)) box.className = "match";
        words.append(box, " ");
      });
      line.append(name, " ", words);
      for (const change of row.changes) {
        const move = make("span", "move");
        const old = make("del");
        old.append(isolated(change.old));
        const now = make("ins");
        now.append(isolated(change.new));
        move.append(isolated(change.form), " ", old, " → ", now);
        line.append(" ", move);
      }
      if (row.problem) line.append(" ", make("span", "serious", `stays: ${row.problem}`));
      return line;
    }));
    if (answer.sentences) {
      stamp = answer.stamp;
      one("#doreplace").disabled = false;
    }
    return undefined;
  }

  async function replaceAll() {
    if (stamp === null) return;
    const answer = await call("/api/replace", { ...request(), do: true, stamp }).catch(() => null);
    if (!answer?.ok) return void (one("#replacetold").textContent = answer?.error || "");
    await inTurn(async () => {
      await review.reload();
      await open(here.now.n, here.word);
    }).catch(() => {});
    replaceBox.close();
    say(answer.told);
    return undefined;
  }

  one("#replaceform").addEventListener("submit", (event) => {
    event.preventDefault();
    preview();
  });
  for (const name of ["#query", "#changesto"]) one(name).addEventListener("input", () => {
    stamp = null;
    one("#doreplace").disabled = true;
  });
  one("#replaceform").addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    replaceAll();
  });
  one("#doreplace").addEventListener("click", replaceAll);
  one("#closereplace").addEventListener("click", () => replaceBox.close());

  document.addEventListener("sentence", about);
  document.addEventListener("word", fill);
  one("#feats").addEventListener("input", offerFeatures);
  one("#upos").addEventListener("input", () => {
    offerFeatures();
    options("#xposes", summary().offers.xpos[one("#upos").value.trim().toUpperCase()] || []);
  });
  const keep = () => edit({ kind: "keep" }, here.word);
  for (const [id, does] of Object.entries({
    splitword: splitWord, joinwords: joinWords, token, splitsentence: splitSentence, joinsentences: joinSentences, keep,
    types: () => showTypes(), firsttypes: () => showTypes(), replace: showReplace,
  })) one("#" + id).addEventListener("click", does);

  const linksKey = () => {
    if (!here.now.e.length) return say("There is no translation with words to link to.");
    one("#pair").open = true;
    return one("#links button")?.focus();
  };
  const keys = {
    t: () => field("#upos"), x: () => field("#xpos"), m: () => field("#lemma"), f: () => field("#feats"), e: () => field("#gloss"),
    k: () => field("#note"), K: () => field("#sentencenote"), T: () => field("#texts input"), a: () => field("#state"), A: () => field("#annotator"),
    v: splitWord, j: joinWords, M: token, V: splitSentence, J: joinSentences, i: linksKey, q: keep, F8: nextFinding,
    y: () => showTypes(), "/": showReplace,
  };
  return { keys, changed, showTypes };
})();
