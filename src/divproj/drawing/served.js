"use strict";
// What the pages of `proj review` share: elements, and talk with the server that they came from.
const served = (() => {
  const token = new URLSearchParams(location.search).get("token") || "";
  const one = (what) => document.querySelector(what);

  const make = (tag, kind, text) => {
    const made = document.createElement(tag);
    if (kind) made.className = kind;
    if (text !== undefined) made.textContent = text;
    return made;
  };

  function lost(text) {
    one("#lost").textContent = text;
    one("#lost").hidden = false;
  }

  // The answer as { ok, status, data }; `kept` says what is not lost when the server is gone.
  async function call(path, body, kept) {
    const given = { headers: { "X-Review-Token": token }, cache: "no-store", credentials: "omit" };
    if (body) {
      given.method = "POST";
      given.headers["Content-Type"] = "application/json";
      given.body = JSON.stringify(body);
    }
    let answer;
    try {
      answer = await fetch(path, given);
    } catch {
      lost(`The server does not answer. ${kept} is on disk: start \`proj review\` again and open its new address.`);
      throw new Error("no answer");
    }
    const data = await answer.json().catch(() => ({ error: `the server answered ${answer.status}` }));
    return { ok: answer.ok, status: answer.status, data };
  }

  return { one, make, lost, call };
})();
