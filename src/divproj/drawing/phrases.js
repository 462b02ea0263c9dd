(() => {
  const { all } = page;

  // A phrase lights its partner, the words of both, and (less) the pairs inside it.

  const spanOf = (part) => [Number(part.dataset.from), Number(part.dataset.to)];
  const inside = (part, spans) => {
    const span = spans[part.dataset.side];
    const [from, to] = spanOf(part);
    return span && span[0] <= from && to <= span[1];
  };

  function light(svg, part) {
    all(svg, ".lit, .within").forEach((x) => x.classList.remove("lit", "within"));
    svg.classList.toggle("on", Boolean(part));
    if (!part) return;
    const partners = all(svg, `.phrase[data-pair="${part.dataset.pair}"], .token[data-pair="${part.dataset.pair}"]`);
    const spans = {};
    for (const x of partners) spans[x.dataset.side] = spanOf(x);
    all(svg, `[data-pair="${part.dataset.pair}"]`).forEach((x) => x.classList.add("lit"));
    const kept = new Set();
    for (const x of all(svg, ".phrase[data-pair], .token[data-pair]")) {
      if (inside(x, spans)) kept.add(x.dataset.pair);
    }
    for (const x of all(svg, ".phrase[data-pair], .tie")) x.classList.toggle("within", kept.has(x.dataset.pair));
    for (const word of all(svg, ".token")) {
      const span = spans[word.dataset.side];
      if (span && span[0] <= word.dataset.word && word.dataset.word < span[1]) word.classList.add("lit");
    }
  }

  // Light follows the pointer and the focus; a click holds it until the next click.

  const held = new Map();
  const part = (target) => target.closest?.(".pic .phrase[data-pair], .pic .token[data-pair]");
  const rest = (svg) => {
    const at = document.activeElement;
    light(svg, held.get(svg) || (svg.contains(at) ? part(at) : null));
  };
  document.addEventListener("pointerover", (event) => {
    const what = part(event.target);
    if (what && !held.get(what.closest("svg.divproj"))) light(what.closest("svg.divproj"), what);
  });
  document.addEventListener("pointerout", (event) => {
    const what = part(event.target);
    if (what) rest(what.closest("svg.divproj"));
  });
  document.addEventListener("focusin", (event) => {
    const what = part(event.target);
    if (what && !held.get(what.closest("svg.divproj"))) light(what.closest("svg.divproj"), what);
  });
  document.addEventListener("focusout", (event) => {
    const what = part(event.target);
    if (what) rest(what.closest("svg.divproj"));
  });
  document.addEventListener("click", (event) => {
    const svg = event.target.closest?.(".pic svg.divproj");
    if (!svg) return;
    const what = part(event.target);
    held.set(svg, what && held.get(svg) !== what ? what : null);
    light(svg, held.get(svg) || what);
  });
  document.addEventListener("keydown", (event) => {
    const what = part(event.target);
    if (!what || event.altKey || event.ctrlKey || event.metaKey) return;
    if (event.key === "Escape") {
      held.delete(what.closest("svg.divproj"));
      what.blur();
    } else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      what.dispatchEvent(new MouseEvent("click", { bubbles: true }));
    }
  });

  page.start({});
})();
