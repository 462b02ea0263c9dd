(() => {
  const { all, one, items } = page;
  const keysOf = new Map(items.map((pair) => [pair, new Set(pair.dataset.k.split(" "))]));

  // Stages of one pair: buttons above its picture.

  function drawn(pair, svg) {
    pair.querySelector(".pic").before(one("#steps").content.cloneNode(true));
    const shares = pair.dataset.m.split(" ");
    all(pair, ".steps button").forEach((button, k) => {
      button.querySelector("small").textContent = shares[k].replace("=", "");
      button.classList.toggle("same", k > 0 && shares[k].endsWith("="));
    });
    step(pair, svg.dataset.stage);
  }

  function step(pair, stage) {
    const svg = pair.querySelector(".pic svg");
    svg.dataset.stage = stage;
    for (const button of all(pair, ".steps button")) {
      const on = button.dataset.stage === stage;
      button.setAttribute("aria-checked", on);
      button.tabIndex = on ? 0 : -1;
    }
    page.enter(svg);
    page.light(svg, null);
  }

  document.addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const button = event.target.closest?.(".steps button");
    if (!button || !page.arrows.includes(event.key)) return;
    event.preventDefault();
    const row = all(button.parentNode, "button");
    const at = row.indexOf(button);
    const to = { ArrowLeft: at - 1, ArrowUp: at - 1, ArrowRight: at + 1, ArrowDown: at + 1, Home: 0, End: row.length - 1 };
    const next = row[to[event.key]];
    if (next) {
      step(next.closest(".pair"), next.dataset.stage);
      next.focus();
    }
  });
  document.addEventListener("click", (event) => {
    const button = event.target.closest(".steps button");
    if (button) step(button.closest(".pair"), button.dataset.stage);
  });

  page.start({
    drawn,
    keep: (pair, keys) => [...keys.keys()].every((key) => keysOf.get(pair).has(key)),
  });
})();
