"use strict";
// The page of a review: talk with the server, the list, the sentence, what can be done to it. Keys and hands are in review_hands.js.
const review = (() => {
  const { one, make, lost } = served;
  const [pic, list, hint, ask, told] = ["#pic", "#list", "#hint", "#ask", "#told"].map(one);
  const [headBox, relBox, job] = ["#head", "#relation", "#job"].map(one);
  let doc = null; // the whole: order, a line for each sentence, what can be done
  const here = {
    now: null, // the sentence that is shown
    word: 1, // the word that is chosen in it
    moving: 0, // the word for which a head is being chosen by keyboard
    offer: null, // the edit that a cycle hindered, with its repair
  };

  const percent = (share) => `${Math.round(100 * share)} %`;
  const isolated = (text) => make("bdi", "", text);

  // The server. One request at a time, in order, so that fast keys do not overtake each other.

  let last = Promise.resolve();
  const inTurn = (work) => (last = last.then(work, work));

  async function call(path, body) {
    const { ok, status, data } = await served.call(path, body, "Every change that was acknowledged");
    if (status === 403) lost(data.error + ". Open the address that `proj review` printed.");
    return { ok, ...data };
  }

  let fading = 0;
  function say(text) {
    told.textContent = text;
    clearTimeout(fading);
    fading = setTimeout(() => (told.textContent = ""), 6000);
  }

  // The list of sentences.

  const order = () => {
    const by = one("#order :checked").value;
    return by === "file" ? doc.file : by === "gain" ? doc.gain : doc.order;
  };
  const shown = () => order().filter((n) => n === here.now?.n || !(one("#nogold").checked && doc.sentences[n].gold));

  function chip(box, sure) {
    box.className = "chip " + (sure === null ? "plain" : sure < 0.5 ? "weak" : sure < 0.8 ? "fair" : "good");
    box.textContent = sure === null ? "–" : percent(sure);
    box.title = sure === null ? "no confidence is known" : `${percent(sure)} sure, the mean of its words`;
  }

  function item(n) {
    const about = doc.sentences[n];
    const button = make("button");
    button.type = "button";
    button.dataset.n = n;
    const sure = make("span");
    chip(sure, about.sure);
    const id = make("span", "id");
    id.append(isolated(about.id));
    const words = make("span", "words");
    words.append(isolated(about.words));
    const marks = make("span", "marks", (about.gold ? "★ gold" : "") + (about.hand ? " ✎" : ""));
    if (about.hand) marks.title = `${about.hand} corrected`;
    button.append(sure, id, marks, words);
    button.setAttribute("aria-current", n === here.now?.n);
    return button;
  }

  // Of a long list only a part stands in the page: that around the sentence which is shown, and what was asked for.
  const PART = 200;
  let part = [0, PART];

  function fillList() {
    const at = Math.max(shown().indexOf(here.now?.n), 0);
    part = [Math.max(0, at - PART / 2), at + PART / 2];
    fillPart();
    counted();
    reveal();
  }

  function fillPart() {
    const places = shown();
    const more = (count, to) => {
      const button = make("button", "more", `${count} more`);
      button.type = "button";
      button.addEventListener("click", (event) => {
        event.stopPropagation();
        part = to;
        fillPart();
      });
      return button;
    };
    const buttons = places.slice(...part).map(item);
    if (part[0] > 0) buttons.unshift(more(part[0], [Math.max(0, part[0] - PART), part[1]]));
    if (part[1] < places.length) buttons.push(more(places.length - part[1], [part[0], part[1] + PART]));
    list.replaceChildren(...buttons.map((button) => {
      const li = make("li");
      li.append(button);
      return li;
    }));
  }

  function reveal() {
    if (here.now && !list.querySelector(`[data-n="${here.now.n}"]`) && shown().length) return fillList();
    for (const button of list.querySelectorAll("[data-n]")) button.setAttribute("aria-current", Number(button.dataset.n) === here.now?.n);
    const box = list.querySelector("[aria-current=true]")?.parentNode;
    if (!box) return undefined;
    const [top, end] = [box.offsetTop - list.offsetTop, box.offsetTop - list.offsetTop + box.offsetHeight];
    if (top < list.scrollTop || end > list.scrollTop + list.clientHeight) list.scrollTop = top - list.clientHeight / 3;
    return undefined;
  }

  function counted() {
    const gold = doc.sentences.filter((about) => about?.gold).length;
    one("#count").textContent = `${gold} of ${doc.file.length} sentences gold`;
    one("#share").value = gold / doc.file.length;
    one("#types").hidden = !doc.types.possible;
    one("#first").hidden = !doc.types.possible || doc.types.answers > 0 || gold > 0 || doc.undo;
    one("#undo").disabled = !doc.undo;
    one("#redo").disabled = !doc.redo;
    one("#known").textContent = doc.known.told;
    one("#differ").hidden = !doc.differing && !doc.known.curve;
    const learning = one("#learn");
    learning.setAttribute("aria-disabled", !doc.learn.possible);
    learning.title = doc.learn.told;
    one("#saved").textContent = doc.saved.error || `${doc.saved.told}${doc.learn.possible ? "" : " · " + doc.learn.told}`;
    one("#saved").classList.toggle("bad", Boolean(doc.saved.error));
  }

  async function load() {
    const answer = await call("/api/document");
    if (!answer.ok) return;
    doc = answer;
    one("#relations").replaceChildren(...doc.relations.map((name) => {
      const option = make("option");
      option.value = name;
      return option;
    }));
    fillList();
    watch(doc.job);
  }

  // One sentence.

  async function open(n, at = 0) {
    const answer = await call(`/api/sentence?n=${n}`);
    if (answer.ok) show(answer, at, true);
    else say(answer.error);
  }

  function show(view, at = 0, fresh = false) {
    const focus = fresh || !ask.hidden || pic.contains(document.activeElement) || document.activeElement === document.body;
    here.now = view;
    here.word = at || (fresh ? weakest(0) : Math.min(here.word, view.forms.length));
    stopMoving();
    closeAsk();
    one("#name").replaceChildren(isolated(view.id));
    chip(one("#sure"), view.confidence);
    const place = shown().indexOf(view.n);
    one("#place").textContent = `${place + 1} of ${shown().length}${view.lacking ? " · " + view.lacking : ""}`;
    one("#gold").setAttribute("aria-pressed", view.gold);
    one("#goldword").textContent = view.gold ? "Gold" : "Mark gold";
    one("#sentence").classList.toggle("isgold", view.gold);
    one("#text").replaceChildren(isolated(view.text));
    one("#free").replaceChildren(...view.translations.map(([code, text]) => {
      const line = make("p");
      if (!text.trim()) return line;
      if (code) line.append(make("small", "", code));
      line.append("‘", isolated(text), "’");
      return line;
    }));
    one("#reason").hidden = true;
    one("#lines").textContent = view.comments.join("\n");
    draw(pic, view.svg);
    one("#pair").hidden = !view.pair && !view.e.length;
    one("#pairpic").replaceChildren();
    if (view.pair) draw(one("#pairpic"), view.pair);
    document.dispatchEvent(new Event("sentence"));
    headBox.replaceChildren(...["root", ...view.forms].map((form, k) => {
      const option = make("option", "", `${k} ${form}`);
      option.value = k;
      return option;
    }));
    choose(here.word, focus);
    reveal();
  }

  function draw(box, svg) {
    const made = new DOMParser().parseFromString(svg, "image/svg+xml");
    const picture = document.importNode(made.documentElement, true);
    for (const edge of picture.querySelectorAll(".edge")) {
      const hit = edge.querySelector("path").cloneNode();
      hit.setAttribute("class", "hit");
      edge.append(hit);
    }
    box.replaceChildren(picture);
  }

  const wordAt = (k) => pic.querySelector(`.word[data-word="${k}"]`);

  function choose(k, focus = true) {
    closeAsk();
    here.word = k;
    for (const box of pic.querySelectorAll(".word")) {
      const own = Number(box.dataset.word) === k;
      box.setAttribute("aria-selected", own);
      box.setAttribute("tabindex", own ? "0" : "-1");
    }
    for (const edge of pic.querySelectorAll(".edge")) edge.classList.toggle("own", Number(edge.dataset.child) === (here.moving || k));
    if (focus) wordAt(k)?.focus({ preventScroll: true });
    wordAt(k)?.scrollIntoView({ block: "nearest", inline: "nearest" });
    if (here.moving) return;
    const gloss = here.now.glosses[k - 1] ? ` ‘${here.now.glosses[k - 1]}’` : "";
    one("#wordname").replaceChildren(`${k} `, isolated(here.now.forms[k - 1]), gloss);
    one("#why").textContent = here.now.why[k - 1];
    headBox.value = Math.max(here.now.heads[k - 1], -1);
    relBox.value = here.now.rels[k - 1] === "_" ? "" : here.now.rels[k - 1];
    document.dispatchEvent(new Event("word"));
  }

  function stopMoving() {
    here.moving = 0;
    hint.textContent = "";
    for (const box of pic.querySelectorAll(".moving, .target")) box.classList.remove("moving", "target");
  }

  // The word that is least sure, after those that are surer than it; corrected words come last.
  function weakest(after) {
    const places = here.now.sure.map((sure, k) => [here.now.heads[k] < 0 ? -1 : sure ?? 2, k + 1]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const at = places.findIndex(([, k]) => k === after);
    return places[(at + 1) % places.length][1];
  }

  // Edits.

  function took(answer) {
    if (answer.document) Object.assign(doc, answer.document);
    if (answer.items) for (const [n, about] of Object.entries(answer.items)) {
      doc.sentences[n] = about;
      list.querySelector(`button[data-n="${n}"]`)?.replaceWith(item(Number(n)));
    }
    counted();
  }

  const act = (path, body, at = 0) => inTurn(async () => {
    const answer = await call(path, body(here.now));
    if (answer.ok) {
      const other = answer.sentence && answer.sentence.n !== here.now?.n;
      const epoch = doc.epoch;
      took(answer);
      if (doc.epoch !== epoch || answer.all) {
        await load();
        if (!answer.sentence) await open(doc.sentences[here.now.n] ? here.now.n : doc.file[0], here.word);
      }
      if (answer.sentence) show(answer.sentence, other ? answer.word : at || answer.word, false);
      say(answer.told);
    } else if (answer.offer) {
      question(answer, body);
    } else {
      say(answer.error);
      if (answer.sentence) show(answer.sentence);
    }
    return answer.ok;
  }).catch(() => false);

  const edit = (change, at = 0) => act("/api/edit", (view) => ({ n: view.n, version: view.version, ...change }), at);
  const setHead = (k, head, more = {}) => edit({ kind: "head", word: k, head, ...more }, k);
  const setGold = (on) => act("/api/edit", (view) => ({ n: view.n, version: view.version, kind: "gold", gold: on ?? !view.gold }), here.word);
  const undo = () => act("/api/undo", () => ({}));
  const redo = () => act("/api/redo", () => ({}));

  function question(answer, body) {
    here.offer = () => act("/api/edit", (view) => ({ ...body(view), fix: true }), here.word);
    one("#asked").textContent = answer.error;
    one("#offered").textContent = answer.offered + "?";
    ask.hidden = false;
    one("#yes").focus();
  }

  function closeAsk() {
    here.offer = null;
    ask.hidden = true;
  }

  // Sentence to sentence.

  const step = (by) => inTurn(() => {
    const places = shown();
    const to = places[places.indexOf(here.now.n) + by];
    if (to === undefined) return say(by > 0 ? "This is the last sentence." : "This is the first sentence.");
    return open(to);
  }).catch(() => {});

  // Order, saving, learning.

  function turn() {
    const boxes = [...document.querySelectorAll("#order input")];
    boxes[(boxes.findIndex((box) => box.checked) + 1) % boxes.length].checked = true;
    fillList();
    say({ file: "Order of the file", gain: "Most to gain first", sure: "Least confident first" }[one("#order :checked").value]);
  }

  function save() {
    act("/api/save", () => ({}));
  }

  async function learn() {
    if (!doc.learn.possible) return say(doc.learn.told);
    const answer = await call("/api/learn", {}).catch(() => ({ error: "no answer" }));
    if (!answer.ok) return say(answer.error);
    asked += 1;
    job.hidden = false;
    watch(answer.job);
    return answer.job.state === "running" || poll();
  }

  let polling = 0;
  let asked = 0; // times that learning was begun: what was asked before must not stop the watch
  function watch(status) {
    clearTimeout(polling);
    const running = status.state === "running";
    if (running || !job.hidden) {
      const far = one("#far");
      far.hidden = !running;
      if (status.total) far.value = status.done / status.total;
      else far.removeAttribute("value");
      one("#jobtold").textContent = status.told + (status.total ? `: ${status.done} of ${status.total}` : "");
      one("#stop").hidden = !running;
      one("#hide").hidden = running;
      job.hidden = false;
    }
    if (running) polling = setTimeout(poll, 300);
  }

  async function poll() {
    const mine = asked;
    const answer = await call("/api/job").catch(() => null);
    if (!answer?.ok || mine !== asked) return;
    watch(answer.job);
    if (answer.job.state !== "done") return;
    await inTurn(async () => {
      await load();
      await open(doc.order[0]);
    }).catch(() => {});
    if (doc.differing) document.dispatchEvent(new Event("learned"));
  }

  async function start() {
    const wanted = decodeURIComponent(location.hash.slice(1)); // a sentence that the workbench found
    await load();
    const found = wanted && doc ? doc.sentences.findIndex((sentence) => sentence?.id === wanted) : -1;
    if (doc) await open(found < 0 ? order()[0] : found);
  }

  return {
    one, here, pic, list, hint, ask, relBox, headBox, call, say, inTurn, fillList, open, choose, wordAt, weakest, stopMoving,
    edit, setHead, setGold, undo, redo, closeAsk, step, turn, save, learn, start, act, make, isolated, draw, reload: () => load(), summary: () => doc,
  };
})();
