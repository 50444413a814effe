"use strict";
/* The acts of a review in the panel under the records: forms open and answer in place, keys press their buttons, and
   the version that an act makes takes the place of the one before without a new page. Without this file every act is
   a form on a page of its own. */
{
  const pane = document.querySelector(".pane-records");
  const records = document.getElementById("records");
  const panel = () => document.getElementById("acts");
  const chosen = () => records?.querySelector(".pick[aria-current]");
  const record = () => new URLSearchParams(chosen()?.getAttribute("href")?.slice(1) ?? "").get("record");
  const OF_ACTS = /\/(acts\/|withdraw$)/;
  const OURS = { "X-Requested-With": "notarius" };
  let asked = 0;
  let saving = false;
  let wanted = "";
  let opener = null;
  let waiting = 0;
  let last = record();

  const open = () => panel().querySelector("form.act");

  /* Make void whatever has been asked, or is about to be. */
  function overtake() {
    clearTimeout(waiting);
    asked += 1;
  }

  function complain(sentence) {
    // What could be done to the record before goes; choosing one asks anew.
    if (panel().inert) {
      panel().replaceChildren();
      panel().inert = false;
      panel().dataset.record = "";
    }
    panel().querySelector(":scope > .act-problem")?.remove();
    const line = document.createElement("p");
    line.className = "act-problem";
    line.setAttribute("role", "alert");
    line.textContent = sentence;
    panel().prepend(line);
  }

  /* Fetch, and give the answer's text; nothing where it did not come, or where another question was asked since. What
     was sent has been done or refused, whatever was asked since. */
  async function ask(address, options = {}) {
    const own = ++asked, sent = options.method === "POST";
    try {
      const answer = await fetch(address, { headers: OURS, ...options });
      const text = await answer.text();
      if (own !== asked && !sent) return null;
      const next = answer.headers.get("X-Next");
      if (next) {
        await show(next);
        return null;
      }
      // Signed out meanwhile: the answer is the page to sign in on.
      if (answer.redirected || answer.status === 401) location.reload();
      else if (answer.status < 500 && answer.status !== 403 && answer.status !== 404) return text;
      else complain("This could not be done. Load the page again.");
    } catch {
      if (own === asked || sent) complain("The answer did not come. Try again.");
    }
    return null;
  }

  /* ---- the next version in place of this one ---- */

  /* Fetch the page of a version and put it in the place of this one, whatever was asked of this one since. Where it
     cannot be so, go there. */
  async function show(address) {
    const answer = await fetch(address);
    if (answer.redirected || !answer.ok || !swap(await answer.text())) {
      location.assign(address);
      return;
    }
    history.replaceState(null, "", address);
    settle();
  }

  /* Put what both pages mark as `data-swap` in its place, and the records. The transcript stays where it was read: it
     is the same one, else nothing is done and the answer is false. */
  function swap(text) {
    const page = new DOMParser().parseFromString(text, "text/html");
    const before = document.getElementById("transcript"), after = page.getElementById("transcript");
    const list = page.getElementById("records");
    if (!records || list?.tagName !== records.tagName || before?.dataset.source !== after?.dataset.source) return false;
    for (const details of page.querySelectorAll("[data-swap] details[id]")) {
      details.open = document.getElementById(details.id)?.open ?? details.open;
    }
    for (const part of document.querySelectorAll("[data-swap]")) {
      const next = page.querySelector(`[data-swap="${part.dataset.swap}"]`);
      if (next) part.replaceWith(next);
    }
    panel().replaceWith(page.getElementById("acts"));
    const top = records.scrollTop;
    if ("start" in records) records.start = list.start;
    records.replaceChildren(...list.childNodes);
    records.scrollTop = top;
    if (before) Object.assign(before.dataset, { url: after.dataset.url, citing: after.dataset.citing });
    document.title = page.title;
    for (const said of document.querySelectorAll(".messagelist")) said.remove();
    document.getElementById("said").append(...page.querySelectorAll(".messagelist"));
    return true;
  }

  /* The others on the page read the new records, and the focus comes to the one that the act was about. */
  function settle() {
    overtake();
    wanted = "";
    document.dispatchEvent(new Event("notarius:swapped"));
    last = record();
    chosen()?.focus({ preventScroll: true });
  }

  function showForm(text) {
    overtake();
    panel().inert = false;
    panel().replaceChildren(document.createRange().createContextualFragment(text));
    const first = panel().querySelector('[aria-invalid="true"]') ?? panel().querySelector(".act :is(input:not([type=hidden]), select, textarea, button)");
    first?.focus();
  }

  async function load(address, options) {
    const late = panel().inert, coming = ask(address, options), own = asked;
    const text = await coming;
    if (text !== null) showForm(text);
    else if (late && own === asked) await recover();
  }

  /* Bring back what the failed question had put off, and keep saying that it failed. */
  async function recover() {
    const said = panel().querySelector(".act-problem");
    await refresh();
    if (said && !panel().querySelector(".act-problem")) panel().prepend(said);
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
      clearTimeout(waiting);
      load(link.href);
    } else if (event.target.closest("#acts [data-cancel]")) {
      event.preventDefault();
      cancel();
    }
  });

  /* A second press while the first is being saved does nothing. */
  async function once(save) {
    if (saving) return;
    saving = true;
    try {
      await save();
    } finally {
      saving = false;
    }
  }

  /* The decision on the whole version comes back as a page, also where it was refused. */
  async function decide(form, submitter) {
    try {
      const answer = await fetch(location.href, { method: "POST", body: new FormData(form, submitter), redirect: "manual" });
      if (answer.type === "opaqueredirect") await show(location.href);
      else if (!swap(await answer.text())) location.reload();
      else settle();
    } catch {
      complain("The answer did not come. Try again.");
    }
  }

  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (form.matches("form.verdict")) {
      event.preventDefault();
      once(() => decide(form, event.submitter));
    } else if (form.closest("#acts, .acts-whole, .opposed") && OF_ACTS.test(form.getAttribute("action"))) {
      event.preventDefault();
      const address = event.submitter?.getAttribute("formaction") || form.getAttribute("action");
      const body = new FormData(form);
      // What stands above the records was made when another one may have been chosen.
      if (body.has("above")) body.set("record", record() ?? "");
      once(() => load(address, { method: "POST", body }));
    }
  });

  /* The acts follow the chosen record, but never take an open form away. Until they do, nothing can be done to the one
     before, and a key that is pressed meanwhile waits for them. */
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
  Notarius.keys({ ...Object.fromEntries([..."aAmedbisvxUu"].map((key) => [key, press(key)])), Escape: cancel });
  // Fields keep their keys, but Escape leaves a form from anywhere in it.
  pane?.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && event.target.closest("#acts :is(input, select, textarea)")) cancel();
  });

  // Where the page was left after all it comes back at the record, and the focus does too.
  if (document.querySelector(".messagelist")) chosen()?.focus({ preventScroll: true });
}
