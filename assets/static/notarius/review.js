"use strict";
/* The review page of one version: its records, their evidence in the transcript, and what cites a chosen unit.
   Without this file the page works by links and forms. */
{
  const root = document.getElementById("transcript");
  const picks = () => [...document.querySelectorAll("#records .pick")];
  const recordOf = (pick) => pick.closest(".record");
  const now = document.getElementById("now");
  const links = { before: document.getElementById("before"), after: document.getElementById("after") };

  const parse = (spans) => spans.split(" ").filter(Boolean).map((piece) => {
    const [places, ids] = piece.split(":").map((part) => part.split("-").map(Number));
    return { start: places[0], end: places.at(-1), startId: ids[0], endId: ids.at(-1) };
  });

  let spans = [];
  let current = null;
  // Scenes are stretches, not evidence: each is lit whole, and only its first unit is the current one.
  const stretches = Boolean(root) && "stretches" in root.dataset;
  let target = root && root.dataset.target ? Number(root.dataset.target) : null;

  function mark(scope) {
    for (const unit of scope.querySelectorAll(".unit")) {
      const at = Number(unit.dataset.at);
      unit.classList.toggle("cited", spans.some((piece) => piece.start <= at && at <= piece.end));
      const last = current && (stretches ? current.start : current.end);
      unit.classList.toggle("now", Boolean(current) && current.start <= at && at <= last);
      unit.classList.toggle("target", at === target);
    }
    selection?.paint(scope);
  }

  let selection = null;
  const list = root && Notarius.transcript(root, mark);
  const point = (at) => {
    target = at;
    mark(root);
  };
  if (root && document.getElementById("selection")) selection = Notarius.selecting(root, list, point);

  /* ---- records and their evidence ---- */

  let chosen = picks().find((pick) => pick.hasAttribute("aria-current")) || null;
  let piece = Number(new URLSearchParams(location.search).get("evidence") || 0);

  function disable(link, off) {
    if (!link) return;
    if (off) link.setAttribute("aria-disabled", "true"); else link.removeAttribute("aria-disabled");
    if (off) link.removeAttribute("href"); else link.href = addressOf(link === links.after ? piece + 1 : piece - 1);
  }

  function addressOf(at) {
    const query = new URLSearchParams(chosen.getAttribute("href").slice(1));
    query.set("evidence", String(at));
    return `?${query}`;
  }

  function say() {
    const name = document.createElement("b");
    name.textContent = chosen.querySelector("b").textContent;
    const range = current && (current.start === current.end
      ? `unit ${current.startId}` : `units ${current.startId} to ${current.endId}`);
    const which = stretches ? ": " : `, evidence ${piece + 1} of ${spans.length}: `;
    now.replaceChildren(name, current ? which + range : ": none of its evidence is in this transcript");
    disable(links.before, piece <= 0);
    disable(links.after, piece + 1 >= spans.length);
  }

  /* The chosen record's details are open; what was opened for the one before is closed again. */
  let unfolded = chosen ? [...recordOf(chosen).querySelectorAll("details")] : [];
  function unfold(record) {
    const own = [...record.querySelectorAll("details")];
    for (const details of unfolded) if (!own.includes(details)) details.open = false;
    unfolded = own.filter((details) => !details.open || unfolded.includes(details));
    for (const details of own) details.open = true;
  }

  /* The whole record if it fits, its choice in any case. */
  function bringUp(pick) {
    recordOf(pick).scrollIntoView({ block: "nearest" });
    pick.scrollIntoView({ block: "nearest" });
  }

  function choose(pick, at = 0) {
    if (chosen && chosen !== pick) chosen.removeAttribute("aria-current");
    chosen = pick;
    pick.setAttribute("aria-current", "true");
    unfold(recordOf(pick));
    bringUp(pick);
    spans = parse(pick.dataset.spans);
    target = null;
    turnTo(at);
  }

  function turnTo(at) {
    piece = Math.max(0, Math.min(at, spans.length - 1));
    current = spans[piece] || null;
    say();
    history.replaceState(null, "", addressOf(piece));
    if (!root) return;
    mark(root);
    if (current) list.show(current.start);
  }

  function step(by) {
    const records = picks().filter((pick) => !pick.closest("details"));
    const own = chosen && recordOf(chosen);
    const next = records[records.findIndex((pick) => recordOf(pick) === own) + by];
    if (!next) return;
    next.focus({ preventScroll: true });
    choose(next);
  }

  /* ---- wiring ---- */

  document.getElementById("records")?.addEventListener("click", (event) => {
    const pick = event.target.closest(".pick");
    if (!pick || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    choose(pick);
    // On a narrow screen the panes are stacked: go where the evidence is.
    if (root && matchMedia("(max-width: 800px)").matches) root.closest(".pane").scrollIntoView({ block: "start" });
  });
  for (const [name, link] of Object.entries(links)) {
    link?.addEventListener("click", (event) => {
      event.preventDefault();
      if (!link.hasAttribute("aria-disabled")) turnTo(piece + (name === "after" ? 1 : -1));
    });
  }

  /* ---- the other way round: a unit, and the records that cite it ---- */

  const panel = document.getElementById("citing");
  const cited = document.getElementById("citing-panel");
  let sought = panel?.querySelector(".citing-list")?.dataset.unit ?? null;
  function turnRound(unit) {
    target = Number(unit.dataset.at);
    mark(root);
    cite(unit.id.slice("unit-".length));
  }

  /* Ask which records cite the unit of this id, and show them. */
  async function cite(id) {
    sought = id;
    const found = await list.citing(id);
    if (found === undefined) return;
    document.getElementById("citing-title").textContent = `Unit ${id} is cited by`;
    panel.replaceChildren(found || "The answer did not come. Choose the unit again.");
    panel.inert = false;
    cited.hidden = false;
    light();
  }

  /* Light the records on this page that cite the chosen unit. */
  function light() {
    const own = new Set([...panel.querySelectorAll(".cites")].map((link) => link.dataset.record));
    let first = null;
    for (const pick of picks()) {
      const record = new URLSearchParams(pick.getAttribute("href").slice(1)).get("record");
      const lit = !cited.hidden && own.has(record);
      recordOf(pick).classList.toggle("lit", lit);
      if (lit) first ??= pick;
    }
    first?.scrollIntoView({ block: "nearest" });
  }

  // While units are selected for a form, looking at them is no question.
  root?.addEventListener("notarius:unit", (event) => {
    if (selection?.busy()) point(Number(event.detail.dataset.at));
    else turnRound(event.detail);
  });
  panel?.addEventListener("click", (event) => {
    const link = event.target.closest(".cites");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const pick = picks().find((each) => each.getAttribute("href") === `?record=${link.dataset.record}`);
    if (!pick) return;
    event.preventDefault();
    choose(pick, Number(link.dataset.evidence));
  });
  document.getElementById("citing-close")?.addEventListener("click", () => {
    list.forget();
    sought = null;
    cited.hidden = true;
    target = null;
    mark(root);
    light();
    root.focus({ preventScroll: true });
  });

  // The records of the next version stand in the place of this one's.
  document.addEventListener("notarius:swapped", () => {
    chosen = null;
    unfolded = [];
    const pick = picks().find((each) => each.hasAttribute("aria-current"));
    if (pick) choose(pick, piece);
    if (!cited) return;
    // The list names records by their numbers in the version before, and so does an answer that is under way.
    list.forget();
    panel.inert = true;
    if (sought !== null) cite(sought);
  });

  Notarius.keys({
    j: () => step(1), k: () => step(-1),
    n: () => chosen && turnTo(piece + 1), p: () => chosen && turnTo(piece - 1),
    ArrowRight: () => chosen && turnTo(piece + 1), ArrowLeft: () => chosen && turnTo(piece - 1),
    "]": () => list?.step(1), "[": () => list?.step(-1),
    g: () => document.getElementById("goto-unit")?.select(),
  });

  if (root) {
    Notarius.goto(list, root, point);
    if (chosen) {
      spans = parse(chosen.dataset.spans);
      piece = Math.max(0, Math.min(piece, spans.length - 1));
      current = spans[piece] || null;
      bringUp(chosen);
    }
    if (!cited.hidden) light();
    const asked = new URLSearchParams(location.search).get("from");
    const begin = target ?? (asked === null ? (current ? current.start : 0) : Number(asked));
    list.show(Math.min(begin, list.total - 1));
  }
}
