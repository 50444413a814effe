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
  let saving = false;
  let wanted = "";
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
      // Nothing more is asked or saved while the new version comes.
      if (next) {
        location.assign(next);
        return await new Promise(() => {});
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
    const target = record();
    if (target !== null) address.searchParams.set("record", target);
    const text = await ask(address);
    // Another record was chosen meanwhile: its own answer is on the way.
    if (text === null || target !== record()) return;
    panel().replaceWith(document.createRange().createContextualFragment(text));
    const key = wanted;
    wanted = "";
    if (key) panel().querySelector(`[data-key="${key}"]:not([disabled])`)?.click();
    else if (focus) (panel().querySelector(focus) ?? chosen())?.focus({ preventScroll: true });
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
    if (saving) return;
    saving = true;
    const address = event.submitter?.getAttribute("formaction") || form.getAttribute("action");
    load(address, { method: "POST", body: new FormData(form) }).finally(() => { saving = false; });
  });

  // Undo and redo lead to a page of their own: once is enough.
  document.querySelector(".acts-whole")?.addEventListener("submit", (event) => {
    if (saving) event.preventDefault();
    saving = true;
  });

  document.getElementById("transcript")?.addEventListener("notarius:unit", (event) => {
    unit = event.detail.id.slice("unit-".length);
    for (const button of document.querySelectorAll("[data-take]")) {
      button.hidden = false;
      button.textContent = `Add unit ${unit}`;
    }
  });

  /* The acts follow the chosen record, but never take an open form away. Until they do, nothing can be done to the one
     before, and a key that is pressed meanwhile waits for them. */
  let waiting = 0;
  let last = record();
  if (records) {
    new MutationObserver(() => {
      if (record() !== last) wanted = "";
      last = record();
      if (!chosen() || open()) return;
      clearTimeout(waiting);
      panel().inert = panel().dataset.record !== record();
      if (panel().inert) waiting = setTimeout(refresh, 60);
    }).observe(records, { subtree: true, attributeFilter: ["aria-current"] });
  }

  const press = (key) => () => {
    if (open()) return;
    const whole = document.querySelector(`.acts-whole [data-key="${key}"]:not([disabled])`);
    if (whole) whole.click();
    else if (panel().inert) wanted = key;
    else panel().querySelector(`[data-key="${key}"]:not([disabled])`)?.click();
  };
  Notarius.keys({ ...Object.fromEntries([..."amedUu"].map((key) => [key, press(key)])), Escape: cancel });
  // Fields keep their keys, but Escape leaves a form from anywhere in it.
  pane?.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && event.target.closest("#acts :is(input, select, textarea)")) cancel();
  });

  // After an act the page comes back at its record: the focus does too.
  if (document.querySelector(".messagelist")) chosen()?.focus({ preventScroll: true });
}
