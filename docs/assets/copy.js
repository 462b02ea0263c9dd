// What the copy button of a console block copies: its commands, without the prompts and without what they print.
document.addEventListener("click", event => {
  const button = event.target.closest(".md-clipboard, .md-code__button");
  const block = button && button.closest(".language-console, .highlight");
  const code = block && block.querySelector("code");
  const lines = code ? code.textContent.split("\n") : [];
  if (!navigator.clipboard || !lines.some(line => line.startsWith("$ "))) return;
  const commands = lines.filter(line => line.startsWith("$ ")).map(line => line.slice(2)).join("\n");
  event.preventDefault();
  event.stopImmediatePropagation();
  navigator.clipboard.writeText(commands).then(() => { button.title = "Copied"; });
}, true);
