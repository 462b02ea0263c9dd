"use strict";
(() => {
  const all = (where, what) => [...where.querySelectorAll(what)];
  const one = (what) => document.querySelector(what);
  const pairs = all(document, ".pair");
  const [search, chosen, clear, count] = ["#search", "#chosen", "#clear", "#count"].map(one);

  // Pictures: unpacked when they come near the window.

  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).text();
  }

  async function draw(pair) {
    const pic = pair.querySelector(".pic");
    const packed = pic.dataset.z;
    if (!packed) return;
    delete pic.dataset.z;
    try {
      const made = new DOMParser().parseFromString(await unpack(packed), "image/svg+xml");
      const svg = document.importNode(made.documentElement, true);
      for (const edge of all(svg, ".edge")) {
        edge.setAttribute("role", "img");
        edge.setAttribute("tabindex", "-1");
        const hit = edge.querySelector("path").cloneNode();
        hit.setAttribute("class", "hit");
        edge.append(hit);
      }
      pic.replaceChildren(svg);
      pic.before(one("#steps").content.cloneNode(true));
      const shares = pair.dataset.m.split(" ");
      all(pair, ".steps button").forEach((button, k) => {
        button.querySelector("small").textContent = shares[k].replace("=", "");
        button.classList.toggle("same", k > 0 && shares[k].endsWith("="));
      });
      step(pair, svg.dataset.stage);
    } catch (error) {
      const told = document.createElement("p");
      told.className = "failed";
      told.textContent = "This browser cannot unpack the picture: " + error.message;
      pic.replaceChildren(told);
    }
  }

  const near = new IntersectionObserver((seen) => {
    for (const entry of seen) {
      if (entry.isIntersecting) {
        near.unobserve(entry.target);
        draw(entry.target);
      }
    }
  }, { rootMargin: "600px" });
  pairs.forEach((pair) => near.observe(pair));
  one("#all").addEventListener("click", async () => {
    for (const pair of pairs) if (!pair.hidden) await draw(pair);
  });

  // Stages of one pair.

  const shown = (svg) =>
    all(svg, ".edge").filter((edge) => !edge.dataset.stages || edge.dataset.stages.split(" ").includes(svg.dataset.stage));

  function step(pair, stage) {
    const svg = pair.querySelector(".pic svg");
    svg.dataset.stage = stage;
    for (const button of all(pair, ".steps button")) {
      const on = button.dataset.stage === stage;
      button.setAttribute("aria-checked", on);
      button.tabIndex = on ? 0 : -1;
    }
    all(svg, '.edge[tabindex="0"]').forEach((edge) => edge.setAttribute("tabindex", "-1"));
    const first = shown(svg)[0];
    if (first) first.setAttribute("tabindex", "0");
    light(svg, null);
  }

  // Partners: an edge lights the edges and words it names, and the links between lit words.

  function light(svg, what) {
    all(svg, ".lit").forEach((lit) => lit.classList.remove("lit"));
    svg.classList.toggle("on", what !== null);
    if (!what) return;
    const words = new Set();
    const edges = shown(svg);
    const links = all(svg, ".link").filter((x) => !x.dataset.stages || x.dataset.stages.split(" ").includes(svg.dataset.stage));
    const take = (edge) => {
      edge.classList.add("lit");
      words.add(edge.dataset.side + edge.dataset.child).add(edge.dataset.side + edge.dataset.head);
    };
    if (what.matches(".edge")) {
      take(what);
      for (const name of (what.dataset.partner || "").split(" ")) {
        words.add(name);
        edges.filter((x) => x.dataset.side + x.dataset.child + "-" + x.dataset.head === name).forEach(take);
      }
    } else if (what.matches(".word")) {
      words.add(what.dataset.side + what.dataset.word);
      for (const link of links) {
        if (what.dataset.word === link.dataset[what.dataset.side]) words.add("f" + link.dataset.f).add("e" + link.dataset.e);
      }
    } else {
      words.add("f" + what.dataset.f).add("e" + what.dataset.e);
    }
    for (const word of all(svg, ".word")) word.classList.toggle("lit", words.has(word.dataset.side + word.dataset.word));
    for (const link of links) link.classList.toggle("lit", words.has("f" + link.dataset.f) && words.has("e" + link.dataset.e));
  }

  const part = (target) => target.closest?.(".pic .edge, .pic .word, .pic .link");
  document.addEventListener("pointerover", (event) => {
    const what = part(event.target);
    if (what) light(what.closest("svg"), what);
  });
  document.addEventListener("pointerout", (event) => {
    const what = part(event.target);
    if (what && part(event.relatedTarget || document.body) !== what) {
      const svg = what.closest("svg");
      light(svg, svg.contains(document.activeElement) ? document.activeElement : null);
    }
  });
  document.addEventListener("focusin", (event) => {
    const edge = event.target.closest(".pic .edge");
    if (edge) light(edge.closest("svg"), edge);
  });
  document.addEventListener("focusout", (event) => {
    const edge = event.target.closest(".pic .edge");
    if (edge) light(edge.closest("svg"), null);
  });

  // Keys: arrows move between stages, and in a picture along the edges (left, right) or to the other side (up, down).

  function go(edge) {
    if (!edge) return;
    all(edge.closest("svg"), '.edge[tabindex="0"]').forEach((x) => x.setAttribute("tabindex", "-1"));
    edge.setAttribute("tabindex", "0");
    edge.focus();
    edge.querySelector("text, path").scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  function walk(edge, key) {
    const svg = edge.closest("svg");
    const own = shown(svg).filter((x) => x.dataset.side === edge.dataset.side);
    const place = (x) => x.querySelector("path").getBBox().x;
    own.sort((a, b) => place(a) - place(b));
    const at = own.indexOf(edge);
    if (key === "ArrowRight") return own[at + 1];
    if (key === "ArrowLeft") return own[at - 1];
    if (key === "Home") return own[0];
    if (key === "End") return own[own.length - 1];
    const across = shown(svg).filter((x) => x.dataset.side !== edge.dataset.side);
    return across.find((x) => x.classList.contains("lit")) || across[0];
  }

  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const arrow = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"].includes(event.key);
    const edge = event.target.closest?.(".pic .edge");
    const button = event.target.closest?.(".steps button");
    if (edge && event.key === "Escape") {
      edge.blur();
    } else if (edge && arrow) {
      event.preventDefault();
      go(walk(edge, event.key));
    } else if (button && arrow) {
      event.preventDefault();
      const row = all(button.parentNode, "button");
      const at = row.indexOf(button);
      const to = { ArrowLeft: at - 1, ArrowUp: at - 1, ArrowRight: at + 1, ArrowDown: at + 1, Home: 0, End: row.length - 1 };
      const next = row[to[event.key]];
      if (next) {
        step(next.closest(".pair"), next.dataset.stage);
        next.focus();
      }
    }
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest(".steps button");
    if (button) step(button.closest(".pair"), button.dataset.stage);
  });

  // Filters: rows of the tables and words, all of which a pair must have.

  const keys = new Map();
  const keysOf = new Map(pairs.map((pair) => [pair, new Set(pair.dataset.k.split(" "))]));
  const textOf = new Map();

  function text(pair) {
    if (!textOf.has(pair)) {
      const parts = [pair.querySelector("h3"), ...all(pair, ".text")];
      textOf.set(pair, parts.map((x) => x.textContent).join("\n").normalize().toLowerCase());
    }
    return textOf.get(pair);
  }

  function filter() {
    const words = search.value.normalize().toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    for (const pair of pairs) {
      const has = [...keys.keys()].every((key) => keysOf.get(pair).has(key)) && words.every((word) => text(pair).includes(word));
      pair.hidden = !has;
      left += has;
    }
    const active = keys.size + words.length > 0;
    count.textContent = active ? `${left} of ${pairs.length} pairs` : `${pairs.length} pairs`;
    clear.hidden = !active;
    one("#none").hidden = left > 0;
    chosen.replaceChildren(...[...keys].map(([key, name]) => {
      const chip = document.createElement("button");
      chip.type = "button";
      chip.textContent = name + " ✕";
      chip.setAttribute("aria-label", "Remove the filter " + name);
      chip.addEventListener("click", () => choose(one(`tr[data-key="${key}"]`)));
      return chip;
    }));
  }

  function choose(row) {
    const button = row.querySelector("button");
    const on = !keys.has(row.dataset.key);
    if (on) keys.set(row.dataset.key, button.dataset.name);
    else keys.delete(row.dataset.key);
    button.setAttribute("aria-pressed", on);
    row.classList.toggle("chosen", on);
    filter();
  }

  function reset() {
    search.value = "";
    for (const key of [...keys.keys()]) choose(one(`tr[data-key="${key}"]`));
    filter();
  }

  document.addEventListener("click", (event) => {
    const row = event.target.closest("tr[data-key]");
    if (row) choose(row);
    const link = event.target.closest('a[href^="#n"]');
    if (link && document.getElementById(link.hash.slice(1))?.hidden) reset();
  });
  search.addEventListener("input", filter);
  clear.addEventListener("click", () => {
    reset();
    search.focus();
  });
})();
