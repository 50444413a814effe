"use strict";
/* The acts of a review in the panel under the records: forms open and answer in place, keys press their buttons.
   Without this file every act is a form on a page of its own. */
{
  const pane = document.querySelector(".pane-records");
  const records = document.getElementById("records");
  const panel = () => document.getElementById("acts");
  const chosen = () => records?.querySelector(".pick[aria-current]");
  const record = () => new URLSearchParams(chosen()?.getAttribute("href")?.slice(1) ?? "").get("record");
  const OURS = { "X-Requested-With": "notarius" };
  let unit = null;
  let asked = 0;
  let opener = null;

  const open = () => panel().querySelector("form.act");

  function complain(sentence) {
    const line = document.createElement("p");
    line.className = "act-problem";
    line.setAttribute("role", "alert");
    line.textContent = sentence;
    panel().prepend(line);
  }

  /* Fetch, and give the answer's text; nothing where it did not come, or where another question was asked since. */
  async function ask(address, options = {}) {
    const own = ++asked;
    try {
      const answer = await fetch(address, { headers: OURS, ...options });
      if (own !== asked) return null;
      const next = answer.headers.get("X-Next");
      if (next) {
        location.assign(next);
        return null;
      }
      // Signed out meanwhile: the answer is the page to sign in on.
      if (answer.redirected || answer.status === 401) location.reload();
      else if (answer.status < 500 && answer.status !== 403 && answer.status !== 404) return await answer.text();
      else complain("This could not be done. Load the page again.");
    } catch {
      if (own === asked) complain("The answer did not come. Try again.");
    }
    return null;
  }

  function showForm(text) {
    panel().replaceChildren(document.createRange().createContextualFragment(text));
    for (const button of panel().querySelectorAll("[data-take]")) button.hidden = unit === null;
    const first = panel().querySelector('[aria-invalid="true"], .act :is(input:not([type="hidden"]), select, textarea), .act button');
    first?.focus();
  }

  async function load(address, options) {
    const text = await ask(address, options);
    if (text !== null) showForm(text);
  }

  /* Bring back what can be done to the chosen record. */
  async function refresh(focus = "") {
    const address = new URL(panel().dataset.url, location.href);
    if (record() !== null) address.searchParams.set("record", record());
    const text = await ask(address);
    if (text === null) return;
    panel().replaceWith(document.createRange().createContextualFragment(text));
    if (focus) (panel().querySelector(focus) ?? chosen())?.focus({ preventScroll: true });
  }

  function cancel() {
    if (!open()) return;
    refresh(opener ? `[data-act="${opener}"]` : "[data-act]");
  }

  document.addEventListener("click", (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return;
    const link = event.target.closest("a[data-act]");
    if (link) {
      event.preventDefault();
      opener = link.dataset.act;
      load(link.href);
    } else if (event.target.closest("#acts [data-cancel]")) {
      event.preventDefault();
      cancel();
    } else if (event.target.closest("[data-take]")) {
      const field = document.getElementById(event.target.closest("[data-take]").dataset.take);
      field.value = field.value.trim() ? `${field.value.trim()}, ${unit}` : unit;
      field.focus();
    }
  });

  pane?.addEventListener("submit", (event) => {
    const form = event.target.closest("#acts form");
    if (!form) return;
    event.preventDefault();
    const button = event.submitter;
    load(button?.getAttribute("formaction") || form.getAttribute("action"), { method: "POST", body: new FormData(form) });
  });

  document.getElementById("transcript")?.addEventListener("notarius:unit", (event) => {
    unit = event.detail.id.slice("unit-".length);
    for (const button of document.querySelectorAll("[data-take]")) {
      button.hidden = false;
      button.textContent = `Add unit ${unit}`;
    }
  });

  /* The acts follow the chosen record, but never take an open form away. */
  let waiting = 0;
  if (records) {
    new MutationObserver(() => {
      clearTimeout(waiting);
      waiting = setTimeout(() => { if (chosen() && !open()) refresh(); }, 60);
    }).observe(records, { subtree: true, attributeFilter: ["aria-current"] });
  }

  const press = (key) => () => panel().querySelector(`[data-key="${key}"]:not([disabled])`)?.click();
  Notarius.keys({ ...Object.fromEntries([..."amedU"].map((key) => [key, press(key)])), u: press("u"), Escape: cancel });
  // Fields keep their keys, but Escape leaves a form from anywhere in it.
  pane?.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && event.target.closest("#acts :is(input, select, textarea)")) cancel();
  });

  // After an act the page comes back at its record: the focus does too.
  if (document.querySelector(".messagelist")) chosen()?.focus({ preventScroll: true });
}
