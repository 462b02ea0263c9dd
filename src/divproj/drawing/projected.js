(() => {
  const { all, one, items, keys } = page;
  const [below, limit, line, list] = ["#below", "#limit", "#line", "#list"].map(one);
  const words = new Map(items.map((item) => {
    const sure = (item.dataset.c || "").split(" ").filter(Boolean).map(Number);
    return [item, [...item.dataset.r].map((reason, k) => ({ reason, sure: sure[k] ?? 1000 }))];
  }));

  // Filters: a confidence below the limit, and reasons, each of which some word (below the limit) must have.

  const limited = () => Boolean(below) && below.value !== below.max;
  const weak = (word) => !limited() || word.sure < 10 * below.value;

  function keep(item) {
    const left = words.get(item).filter(weak);
    return (!limited() || left.length > 0) && [...keys.keys()].every((key) => left.some((word) => word.reason === key));
  }

  // Words that are asked for are marked, in the text and in the picture.
  function mark(item) {
    const asked = limited() || keys.size > 0;
    const found = words.get(item).map((word) => asked && weak(word) && (keys.size === 0 || keys.has(word.reason)));
    all(item, ".igt li").forEach((word, k) => word.classList.toggle("found", found[k]));
    for (const edge of all(item, '.pic .edge[data-side="f"]')) edge.classList.toggle("found", found[edge.dataset.child - 1]);
  }

  function filtered() {
    for (const item of items) if (!item.hidden) mark(item);
  }

  if (below) {
    let waiting = false;
    const show = () => {
      limit.textContent = limited() ? `${below.value} %` : "any";
      below.setAttribute("aria-valuetext", limit.textContent);
      line.setAttribute("transform", `translate(${(line.dataset.width * below.value) / 100})`);
      line.toggleAttribute("hidden", !limited());
    };
    below.addEventListener("input", () => {
      show();
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        page.filter();
      });
    });
    show();
    one("#order").addEventListener("change", (event) => {
      const place = (item) => Number(item.id.slice(1));
      list.append(...(event.target.value === "file" ? [...items].sort((a, b) => place(a) - place(b)) : items));
    });
  }

  // A word of the text lights that of the picture, and the other way round.

  const pointed = (event) => event.target.closest?.(".igt li");
  function lightWord(word) {
    const at = all(word.parentNode, "li").indexOf(word) + 1;
    const there = word.closest(".pair").querySelector(`.pic .word[data-side="f"][data-word="${at}"]`);
    if (there) page.light(there.closest("svg.divproj"), there);
  }
  document.addEventListener("pointerover", (event) => {
    if (pointed(event)) lightWord(pointed(event));
  });
  document.addEventListener("pointerout", (event) => {
    const svg = pointed(event)?.closest(".pair").querySelector(".pic svg.divproj");
    if (svg) page.light(svg, page.focused(svg));
  });

  page.start({
    keep,
    filtered,
    drawn: mark,
    active: limited,
    lit: (item, lit) => all(item, ".igt li").forEach((word, k) => word.classList.toggle("lit", lit.has("f" + (k + 1)))),
    reset() {
      if (!below) return;
      below.value = below.max;
      below.dispatchEvent(new Event("input"));
    },
  });
})();
