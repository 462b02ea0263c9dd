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
      fold(pic);
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
  const undrawn = () => items.filter((item) => !item.hidden && item.querySelector(".pic[data-z]"));
  async function drawAll() {
    for (const item of undrawn()) await draw(item);
  }
  one("#all").addEventListener("click", drawAll);
  document.addEventListener("keydown", async (event) => { // a page prints whole
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "p" && undrawn().length) {
      event.preventDefault();
      await drawAll();
      window.print();
    }
  });

  // Wrapping: a picture wider than its box becomes rows of it, cut between words; arcs go on in the next row.

  const whole = new Map(); // box → the picture as it was drawn
  const wrap = one("#wrap");

  function cuts(svg, room, fromRight) {
    const view = svg.viewBox.baseVal;
    const end = view.x + view.width;
    // seen from the end where reading begins
    const spans = all(svg, ".word, .token").map((x) => x.getBBox()).map((box) => (fromRight ? [end - box.x - box.width, end - box.x] : [box.x - view.x, box.x - view.x + box.width]));
    const rows = [];
    let from = 0;
    while (view.width - from > room && rows.length < 60) {
      let to = from + room;
      const cut = spans.filter(([a, b]) => a < to && b > to && b - a < room / 2);
      const free = spans.map(([, b]) => b + 5).filter((x) => x > from + room / 2 && x <= to && !spans.some(([a, b]) => a < x && b > x));
      let next = to;
      if (free.length) next = to = Math.max(...free);
      else if (cut.length) next = Math.max(Math.min(...cut.map(([a]) => a)) - 5, from + room / 3); // such a word is whole in the next row
      rows.push([from, to]);
      from = next;
    }
    rows.push([from, view.width]);
    return rows.map(([a, b]) => (fromRight ? [end - b, b - a] : [view.x + a, b - a]));
  }

  function rowsOf(svg, room, fromRight) {
    const view = svg.viewBox.baseVal;
    const made = svg.cloneNode(false);
    const parts = all(svg, ".word, .token, .edge, .link, .phrase, .tie");
    const boxes = parts.map((x) => x.getBBox());
    const known = new Set();
    const places = cuts(svg, room, fromRight);
    places.forEach(([x, width], k) => {
      const row = document.createElementNS(svg.namespaceURI, "svg");
      const at = { class: "row", x: fromRight ? room - width : 0, y: k * (view.height + 12), width, height: view.height, viewBox: `${x} 0 ${width} ${view.height}` };
      for (const [name, value] of Object.entries(at)) row.setAttribute(name, value);
      row.append(...[...svg.childNodes].map((child) => child.cloneNode(true)));
      all(row, ".word, .token, .edge, .link, .phrase, .tie").forEach((part, n) => {
        if (boxes[n].x > x + width || boxes[n].x + boxes[n].width < x) part.remove();
        else if (known.has(n)) {
          part.classList.add("again");
          part.removeAttribute("tabindex");
          part.setAttribute("aria-hidden", "true");
        } else known.add(n);
      });
      made.append(row);
    });
    const high = places.length * (view.height + 12);
    for (const [name, value] of Object.entries({ viewBox: `0 0 ${room} ${high}`, width: room, height: high })) made.setAttribute(name, value);
    made.classList.add("wrapped");
    return made;
  }

  function fold(pic) {
    const now = pic.querySelector("svg.divproj");
    if (!now || !wrap) return;
    const drawn = whole.get(pic) || now;
    drawn.dataset.stage = now.dataset.stage;
    if (now !== drawn) pic.replaceChildren(drawn);
    whole.delete(pic);
    const room = Math.floor((pic.clientWidth - 4) / (Number(document.body.style.getPropertyValue("--zoom")) || 1));
    if (!wrap.checked || pic.clientWidth < 80 || drawn.viewBox.baseVal.width <= room) return;
    const made = rowsOf(drawn, room, pic.classList.contains("rtl"));
    whole.set(pic, drawn);
    pic.replaceChildren(made);
    enter(made);
  }

  const foldAll = () => items.forEach((item) => fold(item.querySelector(".pic")));
  wrap?.addEventListener("change", foldAll);
  let resized = 0;
  addEventListener("resize", () => {
    clearTimeout(resized);
    if (wrap?.checked) resized = setTimeout(foldAll, 150);
  });

  const seen = (x) => !x.dataset.stages || x.dataset.stages.split(" ").includes(x.closest("svg.divproj").dataset.stage);
  const shown = (svg) => all(svg, ".edge:not(.again)").filter(seen);

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
      const edges = all(svg, ".edge").filter(seen);
      const links = all(svg, ".link").filter(seen);
      const same = (a, b) => a.side === b.side && a.child === b.child && a.head === b.head;
      const take = (edge) => {
        edges.filter((x) => same(x.dataset, edge.dataset)).forEach((x) => x.classList.add("lit"));
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
    if (what) light(what.closest("svg.divproj"), what);
  });
  document.addEventListener("pointerout", (event) => {
    const what = part(event.target);
    if (what && part(event.relatedTarget || document.body) !== what) {
      const svg = what.closest("svg.divproj");
      light(svg, focused(svg));
    }
  });
  document.addEventListener("focusin", (event) => {
    const edge = event.target.closest(".pic .edge");
    if (edge) light(edge.closest("svg.divproj"), edge);
  });
  document.addEventListener("focusout", (event) => {
    const edge = event.target.closest(".pic .edge");
    if (edge) light(edge.closest("svg.divproj"), null);
  });

  // Keys in a picture: along the edges (left, right) or to the other side (up, down).

  function go(edge) {
    if (!edge) return;
    all(edge.closest("svg.divproj"), '.edge[tabindex="0"]').forEach((x) => x.setAttribute("tabindex", "-1"));
    edge.setAttribute("tabindex", "0");
    edge.focus();
    edge.querySelector("text, path").scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  function walk(edge, key) {
    const svg = edge.closest("svg.divproj");
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
    count.textContent = (active ? `${number(left)} of ` : "") + `${number(items.length)} ${items.length === 1 ? count.dataset.noun.replace(/s$/, "") : count.dataset.noun}`;
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
    if (wrap?.checked) foldAll();
  });

  function start(given) {
    Object.assign(own, given);
    items.forEach((item) => near.observe(item));
  }

  return { all, one, items, keys, arrows, enter, light, focused, filter, start };
})();
