"use strict";
// What the pages share: pictures unpacked when they come near the window, lights, keys, filters.
// A page calls page.start with what is its own: what it does with a drawn picture, and which items its filters keep.
const page = (() => {
  const all = (where, what) => [...where.querySelectorAll(what)];
  const one = (what) => document.querySelector(what);
  const items = all(document, ".pair");
  const [search, chosen, clear, count] = ["#search", "#chosen", "#clear", "#count"].map(one);
  const own = {
    drawn() {}, // (item, svg)
    lit() {}, // (item, words): which words are lit, as "f2"
    keep: () => true, // (item, keys): whether the item has what is chosen
    active: () => false, // whether a filter of the page's own is on
    filtered() {},
    reset() {},
  };

  // Pictures.

  async function unpack(text) {
    const bytes = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Response(stream).text();
  }

  async function draw(item) {
    const pic = item.querySelector(".pic");
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
      enter(svg);
      own.drawn(item, svg);
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
  one("#all").addEventListener("click", async () => {
    for (const item of items) if (!item.hidden) await draw(item);
  });

  const seen = (x) => !x.dataset.stages || x.dataset.stages.split(" ").includes(x.closest("svg").dataset.stage);
  const shown = (svg) => all(svg, ".edge").filter(seen);

  // Tab enters a picture at its first edge.
  function enter(svg) {
    all(svg, '.edge[tabindex="0"]').forEach((edge) => edge.setAttribute("tabindex", "-1"));
    const first = shown(svg).sort((a, b) => a.dataset.side.localeCompare(b.dataset.side) || a.dataset.child - b.dataset.child)[0];
    first?.setAttribute("tabindex", "0");
  }

  // Partners: an edge lights the edges and words it names, and the links between lit words.

  function light(svg, what) {
    all(svg, ".lit").forEach((lit) => lit.classList.remove("lit"));
    svg.classList.toggle("on", what !== null);
    const words = new Set();
    if (what) {
      const edges = shown(svg);
      const links = all(svg, ".link").filter(seen);
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
    own.lit(svg.closest(".pair"), words);
  }

  const part = (target) => target.closest?.(".pic .edge, .pic .word, .pic .link");
  const focused = (svg) => (svg.contains(document.activeElement) ? document.activeElement : null);
  document.addEventListener("pointerover", (event) => {
    const what = part(event.target);
    if (what) light(what.closest("svg"), what);
  });
  document.addEventListener("pointerout", (event) => {
    const what = part(event.target);
    if (what && part(event.relatedTarget || document.body) !== what) {
      const svg = what.closest("svg");
      light(svg, focused(svg));
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

  // Keys in a picture: along the edges (left, right) or to the other side (up, down).

  function go(edge) {
    if (!edge) return;
    all(edge.closest("svg"), '.edge[tabindex="0"]').forEach((x) => x.setAttribute("tabindex", "-1"));
    edge.setAttribute("tabindex", "0");
    edge.focus();
    edge.querySelector("text, path").scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  function walk(edge, key) {
    const svg = edge.closest("svg");
    const side = shown(svg).filter((x) => x.dataset.side === edge.dataset.side);
    const place = (x) => x.querySelector("path").getBBox().x;
    side.sort((a, b) => place(a) - place(b));
    const at = side.indexOf(edge);
    if (key === "ArrowRight") return side[at + 1];
    if (key === "ArrowLeft") return side[at - 1];
    if (key === "Home") return side[0];
    if (key === "End") return side[side.length - 1];
    const across = shown(svg).filter((x) => x.dataset.side !== edge.dataset.side);
    return across.find((x) => x.classList.contains("lit")) || across[0];
  }

  const arrows = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End"];
  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const edge = event.target.closest?.(".pic .edge");
    if (edge && event.key === "Escape") {
      edge.blur();
    } else if (edge && arrows.includes(event.key)) {
      event.preventDefault();
      go(walk(edge, event.key));
    }
  });

  // Filters: rows of the tables and words, all of which an item must have.

  const keys = new Map();
  const textOf = new Map();

  function text(item) {
    if (!textOf.has(item)) {
      const parts = [item.querySelector("h3"), ...all(item, ".text")];
      textOf.set(item, parts.map((x) => x.textContent).join("\n").normalize().toLowerCase());
    }
    return textOf.get(item);
  }

  function filter() {
    const words = search.value.normalize().toLowerCase().split(/\s+/).filter(Boolean);
    let left = 0;
    for (const item of items) {
      const has = own.keep(item, keys) && words.every((word) => text(item).includes(word));
      item.hidden = !has;
      left += has;
    }
    const active = keys.size + words.length > 0 || own.active();
    const number = (n) => String(n).replace(/\B(?=(\d{3})+$)/g, "\u202f");
    count.textContent = (active ? `${number(left)} of ` : "") + `${number(items.length)} ${count.dataset.noun}`;
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
    own.filtered();
  }

  function toggle(row) {
    const button = row.querySelector("button");
    const on = !keys.has(row.dataset.key);
    if (on) keys.set(row.dataset.key, button.dataset.name);
    else keys.delete(row.dataset.key);
    button.setAttribute("aria-pressed", on);
    row.classList.toggle("chosen", on);
  }

  function choose(row) {
    toggle(row);
    filter();
  }

  function reset() {
    search.value = "";
    for (const key of [...keys.keys()]) toggle(one(`tr[data-key="${key}"]`));
    own.reset();
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

  const zoom = one("#zoom");
  zoom?.addEventListener("input", () => {
    const fit = zoom.value === zoom.min;
    document.body.classList.toggle("fit", fit);
    document.body.style.setProperty("--zoom", fit ? 1 : zoom.value / 100);
    zoom.setAttribute("aria-valuetext", fit ? "fits the window" : `${zoom.value} %`);
  });

  function start(given) {
    Object.assign(own, given);
    items.forEach((item) => near.observe(item));
  }

  return { all, one, items, keys, arrows, enter, light, focused, filter, start };
})();
