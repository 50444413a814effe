"use strict";
/* The review page: a windowed transcript and the keyboard. Without this file the page works by links and forms.

   The transcript is cut into blocks of a fixed number of units. Every block has a place in the document from the
   start, at an estimated height; a block near the viewport is filled from the server and one far away is emptied
   again, keeping its measured height. Heights are set through the CSSOM, which the content security policy allows. */
{
  const root = document.getElementById("transcript");
  const picks = [...document.querySelectorAll(".pick")];
  const KEEP = 24;              // filled blocks that may stay in the document
  const now = document.getElementById("now");
  const links = { before: document.getElementById("before"), after: document.getElementById("after") };
  document.documentElement.classList.add("js");

  const parse = (spans) => spans.split(" ").filter(Boolean).map((piece) => {
    const [places, ids] = piece.split(":").map((part) => part.split("-").map(Number));
    return { start: places[0], end: places.at(-1), startId: ids[0], endId: ids.at(-1) };
  });

  /* ---- the windowed list ---- */

  const size = root ? Number(root.dataset.block) : 0;
  const total = root ? Number(root.dataset.total) : 0;
  const blocks = [];
  const filled = new Set();
  const waiting = new Map();
  let spans = [];
  let current = null;
  // Scenes are stretches, not evidence: each is lit whole, and only its first unit is the current one.
  const stretches = Boolean(root) && "stretches" in root.dataset;
  let target = root && root.dataset.target ? Number(root.dataset.target) : null;

  const number = (position) => Math.floor(position / size);
  const unitAt = (position) => root.querySelector(`[data-at="${position}"]`);

  function layOut() {
    const sent = new Map([...root.children].map((block) => [number(Number(block.dataset.from)), block]));
    let height = 0, units = 0;
    for (const block of sent.values()) { height += block.offsetHeight; units += block.children.length; }
    const estimate = units ? height / units : 60;
    const all = document.createDocumentFragment();
    for (let at = 0; at * size < total; at += 1) {
      let block = sent.get(at);
      if (block) filled.add(at);
      else {
        block = document.createElement("ol");
        block.className = "block";
        block.dataset.from = String(at * size);
        block.style.height = `${Math.round(estimate * Math.min(size, total - at * size))}px`;
      }
      block.dataset.n = String(at);
      blocks.push(block);
      all.append(block);
    }
    root.replaceChildren(all);
  }

  /* What must stay where it is while blocks around it change height: the unit that was last shown, until the reader
     scrolls by hand; then the first unit on screen. */
  let held = null;
  function anchor() {
    if (held && held.isConnected) return held;
    const top = root.getBoundingClientRect().top;
    for (const at of [...filled].sort((a, b) => a - b)) {
      if (blocks[at].getBoundingClientRect().bottom <= top) continue;
      for (const unit of blocks[at].children) if (unit.getBoundingClientRect().bottom > top) return unit;
    }
    return null;
  }

  function steadily(change) {
    const unit = anchor();
    const before = unit && unit.getBoundingClientRect().top;
    change();
    const moved = unit ? unit.getBoundingClientRect().top - before : 0;
    if (moved) root.scrollTop += moved;
  }

  function fill(at, units) {
    if (filled.has(at)) return;
    const block = blocks[at];
    steadily(() => {
      block.replaceChildren(...units);
      block.style.height = "";
    });
    filled.add(at);
    block.removeAttribute("aria-busy");
    mark(block);
  }

  function empty(at) {
    const block = blocks[at];
    block.style.height = `${block.offsetHeight}px`;
    block.replaceChildren();
    filled.delete(at);
  }

  function tidy() {
    if (filled.size <= KEEP) return;
    const middle = root.scrollTop + root.clientHeight / 2;
    const away = (at) => Math.abs(blocks[at].offsetTop + blocks[at].offsetHeight / 2 - middle);
    [...filled].sort((a, b) => away(b) - away(a)).slice(0, filled.size - KEEP).forEach(empty);
  }

  async function ask(query) {
    const answer = await fetch(`${root.dataset.url}?${new URLSearchParams(query)}`, { credentials: "same-origin" });
    if (answer.status === 401) { location.reload(); return null; }
    if (!answer.ok) return null;
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    for (const block of page.querySelectorAll(".block")) fill(number(Number(block.dataset.from)), [...block.children]);
    return answer;
  }

  /* Fill the blocks from `first` to `last`; what is filled or on its way is not asked for again. */
  function need(first, last) {
    const asked = [];
    for (let at = Math.max(0, first); at <= Math.min(last, blocks.length - 1); at += 1) {
      if (filled.has(at)) continue;
      if (!waiting.has(at)) {
        blocks[at].setAttribute("aria-busy", "true");
        const coming = ask({ from: at * size, count: size }).catch(() => null).finally(() => {
          waiting.delete(at);
          blocks[at].removeAttribute("aria-busy");
        });
        waiting.set(at, coming);
      }
      asked.push(waiting.get(at));
    }
    return Promise.all(asked);
  }

  function inView() {
    const low = root.scrollTop - root.clientHeight, high = root.scrollTop + 2 * root.clientHeight;
    let first = 0, last = blocks.length - 1;
    while (first < last) {   // the first block that ends below `low`: offsets rise, so halve
      const middle = (first + last) >> 1;
      if (blocks[middle].offsetTop + blocks[middle].offsetHeight > low) last = middle; else first = middle + 1;
    }
    last = first;
    while (last + 1 < blocks.length && blocks[last + 1].offsetTop < high) last += 1;
    return [first, last];
  }

  let scrolling = 0;
  function follow() {
    clearTimeout(scrolling);
    scrolling = setTimeout(() => need(...inView()).then(tidy), 40);
  }

  /* Bring the unit at `position` on screen. A later call overtakes an earlier one. */
  let wanted = 0;
  async function show(position) {
    const mine = (wanted += 1);
    const at = number(position);
    if (!filled.has(at)) await need(at, at);
    if (mine !== wanted) return;
    const unit = unitAt(position);
    if (unit) place(unit);
    // Neighbours change height when they arrive; `steadily` keeps the unit where it is.
    need(...inView()).then(tidy);
  }

  function place(unit) {
    const top = unit.getBoundingClientRect().top - root.getBoundingClientRect().top + root.scrollTop;
    root.scrollTop = Math.max(0, top - Math.min(120, root.clientHeight / 4));
    held = unit;
  }

  function mark(scope) {
    for (const unit of scope.querySelectorAll(".unit")) {
      const at = Number(unit.dataset.at);
      unit.classList.toggle("cited", spans.some((piece) => piece.start <= at && at <= piece.end));
      const last = current && (stretches ? current.start : current.end);
      unit.classList.toggle("now", Boolean(current) && current.start <= at && at <= last);
      unit.classList.toggle("target", at === target);
    }
  }

  /* ---- records and their evidence ---- */

  let chosen = picks.find((pick) => pick.hasAttribute("aria-current")) || null;
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
  let unfolded = chosen ? [...chosen.closest(".records > li").querySelectorAll("details")] : [];
  function unfold(record) {
    const own = [...record.querySelectorAll("details")];
    for (const details of unfolded) if (!own.includes(details)) details.open = false;
    unfolded = own.filter((details) => !details.open || unfolded.includes(details));
    for (const details of own) details.open = true;
  }

  /* The whole record if it fits, its choice in any case. */
  function bringUp(pick) {
    pick.closest(".records > li").scrollIntoView({ block: "nearest" });
    pick.scrollIntoView({ block: "nearest" });
  }

  function choose(pick, at = 0) {
    if (chosen && chosen !== pick) chosen.removeAttribute("aria-current");
    chosen = pick;
    pick.setAttribute("aria-current", "true");
    unfold(pick.closest(".records > li"));
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
    if (current) show(current.start);
  }

  function step(by) {
    const records = picks.filter((pick) => !pick.closest("details"));
    const own = chosen && chosen.closest(".records > li");
    const next = records[records.findIndex((pick) => pick.closest("li") === own) + by];
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

  const KEYS = {
    j: () => step(1), k: () => step(-1),
    n: () => chosen && turnTo(piece + 1), p: () => chosen && turnTo(piece - 1),
    ArrowRight: () => chosen && turnTo(piece + 1), ArrowLeft: () => chosen && turnTo(piece - 1),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select")) return;
    const act = KEYS[event.key];
    if (!act) return;
    event.preventDefault();
    act();
  });

  const problem = document.getElementById("goto-problem");
  document.getElementById("goto")?.addEventListener("submit", async (event) => {
    if (!root) return;
    event.preventDefault();
    const field = document.getElementById("goto-unit");
    const known = document.getElementById(`unit-${field.value.trim().replace(/^0+(?=\d)/, "")}`);
    let position = known ? Number(known.dataset.at) : null;
    if (position === null) {
      const answer = await ask({ unit: field.value.trim() }).catch(() => null);
      position = answer ? Number(answer.headers.get("X-Position")) : null;
    }
    problem.textContent = position === null ? "There is no such unit in this transcript." : "";
    field.toggleAttribute("aria-invalid", position === null);
    if (position === null) return;
    target = position;
    mark(root);
    await show(position);
    root.focus({ preventScroll: true });
  });

  if (root) {
    layOut();
    root.addEventListener("scroll", follow, { passive: true });
    for (const hand of ["wheel", "touchmove", "pointerdown", "keydown"]) {
      root.addEventListener(hand, () => { held = null; }, { passive: true });
    }
    new ResizeObserver(follow).observe(root);
    if (chosen) {
      spans = parse(chosen.dataset.spans);
      piece = Math.max(0, Math.min(piece, spans.length - 1));
      current = spans[piece] || null;
      bringUp(chosen);
    }
    const asked = new URLSearchParams(location.search).get("from");
    const begin = target ?? (asked === null ? (current ? current.start : 0) : Number(asked));
    show(Math.min(begin, total - 1));
  }
}
