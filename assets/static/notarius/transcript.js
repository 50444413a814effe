"use strict";
/* The windowed transcript. Without this file its page works by links and forms.

   The transcript is cut into blocks of a fixed number of units. Every block has a place in the document from the
   start, at an estimated height; a block near the viewport is filled from the server and one far away is emptied
   again, keeping its measured height. Heights are set through the CSSOM, which the content security policy allows.

   `Notarius.transcript(root, mark)` returns the list. `mark` is called for every block that is filled. A unit that is
   chosen by hand or by `step` is announced on the root as the event `notarius:unit`, with the element as its detail. */
Notarius.transcript = (root, mark) => {
  const KEEP = 24;              // filled blocks that may stay in the document
  const TOGETHER = 8;           // blocks that are asked for at once
  const size = Number(root.dataset.block);
  const total = Number(root.dataset.total);
  const blocks = [];
  const filled = new Set();
  const waiting = new Map();

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
  const anchor = () => (held && held.isConnected ? held : firstOnScreen());

  function firstOnScreen() {
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
    // Whoever scrolls away from the unit that has the focus keeps it in the transcript.
    if (block.contains(document.activeElement)) root.focus({ preventScroll: true });
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

  async function get(address) {
    const answer = await fetch(address, { credentials: "same-origin" });
    if (answer.status === 401) location.reload();
    return answer.ok ? answer : null;
  }

  const parsed = async (answer) => new DOMParser().parseFromString(await answer.text(), "text/html");

  /* Ask for a stretch and fill what comes; the answer's X-Position says where a unit that was asked for stands. */
  async function ask(query) {
    const answer = await get(`${root.dataset.url}?${root.dataset.query || ""}${new URLSearchParams(query)}`);
    if (!answer) return null;
    const page = await parsed(answer);
    for (const block of page.querySelectorAll(".block")) fill(number(Number(block.dataset.from)), [...block.children]);
    return answer;
  }

  /* Fill the blocks from `first` to `last`; what is filled or on its way is not asked for again. */
  function need(first, last) {
    const low = Math.max(0, first), high = Math.min(last, blocks.length - 1);
    const missing = (at) => at <= high && !filled.has(at) && !waiting.has(at);
    for (let at = low; at <= high; at += 1) {
      if (!missing(at)) continue;
      const run = [at];
      while (run.length < TOGETHER && missing(at + 1)) run.push(at += 1);
      const coming = ask({ from: run[0] * size, count: run.length * size }).catch(() => null).finally(() => {
        for (const block of run) {
          waiting.delete(block);
          blocks[block].removeAttribute("aria-busy");
        }
      });
      for (const block of run) {
        blocks[block].setAttribute("aria-busy", "true");
        waiting.set(block, coming);
      }
    }
    const coming = new Set();
    for (let at = low; at <= high; at += 1) if (waiting.has(at)) coming.add(waiting.get(at));
    return Promise.all(coming);
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

  /* Bring the unit at `position`, or at the one that a question will answer, on screen. Return its position, or null
     where the list has none; undefined where a later call has overtaken this one, at whatever it waits for. */
  let wanted = 0;
  async function show(position) {
    const mine = (wanted += 1);
    const at = position instanceof Promise ? await position : position;
    if (mine !== wanted) return undefined;
    if (at == null) return null;
    const block = number(at);
    if (!filled.has(block)) await need(block, block);
    if (mine !== wanted) return undefined;
    const unit = unitAt(at);
    if (unit) place(unit);
    // Neighbours change height when they arrive; `steadily` keeps the unit where it is.
    need(...inView()).then(tidy);
    return at;
  }

  function place(unit) {
    const top = unit.getBoundingClientRect().top - root.getBoundingClientRect().top + root.scrollTop;
    root.scrollTop = Math.max(0, top - Math.min(120, root.clientHeight / 4));
    held = unit;
  }

  /* Return the place of the unit of this id, wherever it is: null where the list has none, undefined where no answer
     came. */
  async function seek(id) {
    const known = document.getElementById(`unit-${id}`);
    if (known) return Number(known.dataset.at);
    return find({ unit: id });
  }

  async function find(query) {
    const answer = await ask(query).catch(() => null);
    if (!answer) return undefined;
    const at = answer.headers.get("X-Position");
    return at === null ? null : Number(at);
  }

  /* ---- the chosen unit, and the records that cite it ---- */

  let chosen = null;
  function choose(unit) {
    chosen = Number(unit.dataset.at);
    root.dispatchEvent(new CustomEvent("notarius:unit", { bubbles: true, detail: unit }));
  }

  /* Give the unit at this place the focus, and return the place; null where there is none, or another overtook it. */
  async function stand(next) {
    if (next === null || next < 0 || next >= total) return null;
    chosen = next;
    const pane = root.getBoundingClientRect(), box = unitAt(next)?.getBoundingClientRect();
    if (!box || box.top < pane.top || box.bottom > pane.bottom) await show(next);
    if (chosen !== next || !unitAt(next)) return null;
    unitAt(next).querySelector(".id").focus({ preventScroll: true });
    return next;
  }

  /* Go to the unit `by` places after the chosen one, or the first on screen, and choose it unless `quiet`. */
  async function step(by, quiet = false) {
    const first = firstOnScreen(), before = asked;
    const at = await stand(chosen === null ? first && Number(first.dataset.at) : chosen + by);
    if (at !== null && !quiet && before === asked) choose(unitAt(at));
    return at;
  }

  /* Return the id of the unit at this place, which is asked for if it is not in the document. */
  async function idAt(position) {
    if (!unitAt(position)) await need(number(position), number(position));
    return Number(unitAt(position).id.slice("unit-".length));
  }

  let lists = new Map();
  let asked = 0;
  /* Return the list of records that cite the unit, or null; undefined where a later question has overtaken this one. */
  async function citing(id) {
    const mine = (asked += 1), known = lists;
    if (!known.has(id)) {
      const answer = await get(`${root.dataset.citing}?unit=${id}`).catch(() => null);
      if (answer) known.set(id, (await parsed(answer)).querySelector(".citing-list"));
    }
    return mine === asked ? known.get(id) || null : undefined;
  }

  /* Nobody waits any longer for what cites a unit: whatever is under way has been overtaken. */
  function forget() {
    asked += 1;
  }

  // What cites a unit is another version's from now on, and an answer that is under way is still of the one before.
  document.addEventListener("notarius:swapped", () => { lists = new Map(); });

  root.addEventListener("click", (event) => {
    const unit = event.target.closest(".unit"), link = event.target.closest("a");
    if (!unit || event.ctrlKey || event.metaKey || event.shiftKey) return;
    // Other links lead away, and whoever marks words means the words.
    if (link ? !link.classList.contains("id") : !getSelection().isCollapsed) return;
    event.preventDefault();
    choose(unit);
  });

  layOut();
  root.addEventListener("scroll", follow, { passive: true });
  for (const hand of ["wheel", "touchmove", "pointerdown", "keydown"]) {
    root.addEventListener(hand, () => { held = null; }, { passive: true });
  }
  new ResizeObserver(follow).observe(root);
  return { total, show, step, stand, standing: () => chosen, idAt, seek, find, citing, forget, firstOnScreen };
};

/* The form that goes to a unit: `shown` is called with its place once it is on screen. Whoever went elsewhere meanwhile
   stays there. */
Notarius.goto = (list, root, shown) => {
  const problem = document.getElementById("goto-problem");
  const field = document.getElementById("goto-unit");
  document.getElementById("goto")?.addEventListener("submit", async (event) => {
    event.preventDefault();
    const from = document.activeElement;
    const at = await list.show(list.seek(field.value.trim().replace(/^0+(?=\d)/, "")));
    if (at === undefined) return;
    problem.textContent = at === null ? "There is no such unit in this list." : "";
    field.toggleAttribute("aria-invalid", at === null);
    if (at === null) return;
    shown(at);
    if (document.activeElement === from) root.focus({ preventScroll: true });
  });
};
