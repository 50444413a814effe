"use strict";
/* Selecting units of the transcript. While an act's form has a field of units, that field and the selection are one:
   choosing units writes it, typing in it selects. Without such a form the selection waits for the next one.

   A selection is a list of ranges, each with positions to find it by and unit ids to name it by. Ranges that the field
   had stay apart, as the record's evidence does; a unit beside a range lengthens it.

   `Notarius.selecting(root, list, moved)` returns `paint(scope)` and `busy()`. `moved` is told the place of the
   unit that the keyboard stands at. */
Notarius.selecting = (root, list, moved) => {
  const FIELD = "#acts form.act [data-units]";
  const bar = document.getElementById("selection");
  const count = document.getElementById("selection-count");
  const further = document.getElementById("selection-further");
  const back = document.getElementById("selection-back");
  const known = new Map();      // unit id -> position, of what was ever seen
  const named = new Map();      // position -> unit id
  let ranges = [];
  let loose = [];               // what was typed and is no unit: it stays in the field
  let queue = Promise.resolve();
  // An act that fails, where a block of units does not load, keeps nobody from the next.
  const line = (act) => { queue = queue.then(act).catch(() => null); };
  let hand = null;              // the field that the selection fills
  let anchor = null;            // where a range was begun
  let edge = null;              // how far it has come
  let others = [];              // the ranges there were before it

  function learn(position, id) {
    known.set(id, position);
    named.set(position, id);
  }

  function readSpans() {
    for (const pick of document.querySelectorAll(".pick[data-spans]")) {
      for (const piece of pick.dataset.spans.split(" ").filter(Boolean)) {
        const [places, ids] = piece.split(":").map((part) => part.split("-").map(Number));
        learn(places[0], ids[0]);
        learn(places.at(-1), ids.at(-1));
      }
    }
  }

  /* ---- ranges ---- */

  const holds = (range, at) => range.start <= at && at <= range.end;
  const made = (start, end) => ({ start, end, startId: named.get(start), endId: named.get(end) });
  const sort = () => ranges = [...ranges].sort((one, other) => one.start - other.start || one.end - other.end);

  async function name(...positions) {
    for (const at of positions) if (!named.has(at)) learn(at, await list.idAt(at));
  }

  /* Select from one place to the other; ranges that this touches become one with it. */
  async function add(first, last) {
    let start = Math.min(first, last), end = Math.max(first, last);
    const touched = ranges.filter((range) => range.start <= end + 1 && range.end >= start - 1);
    for (const range of touched) {
      start = Math.min(start, range.start);
      end = Math.max(end, range.end);
    }
    await name(start, end);
    ranges = [...ranges.filter((range) => !touched.includes(range)), made(start, end)];
  }

  function begin(at) {
    anchor = edge = at;
    others = ranges;
  }

  async function toggle(at) {
    const cut = ranges.filter((range) => holds(range, at));
    if (!cut.length) {
      begin(at);
      return add(at, at);
    }
    anchor = null;
    for (const range of cut) {
      const before = range.start < at, after = at < range.end;
      await name(...(before ? [at - 1] : []), ...(after ? [at + 1] : []));
      ranges = ranges.filter((one) => one !== range);
      if (before) ranges.push(made(range.start, at - 1));
      if (after) ranges.push(made(at + 1, range.end));
    }
  }

  /* Select from where the range was begun to `at`, and let go of what went beyond it. */
  async function extend(at) {
    if (anchor === null) begin(at);
    ranges = others;
    edge = at;
    return add(anchor, at);
  }

  /* ---- the field ---- */

  const label = (range) => (range.start === range.end ? `${range.startId}` : `${range.startId}-${range.endId}`);

  function write() {
    sort();
    if (hand) hand.value = [...ranges.map(label), ...loose].join(", ");
    say();
    paint(root);
  }

  /* Return the unit's place: null where there is none, undefined where no answer came. */
  async function place(id) {
    if (known.has(id)) return known.get(id);
    const at = await list.seek(id);
    if (at != null) learn(at, id);
    return at;
  }

  async function read(text) {
    const found = [], left = [], wrong = new Set();
    for (const piece of text.split(/[,;\n]/).map((each) => each.trim()).filter(Boolean)) {
      const ids = /^(\d{1,15})(?:\s*(?:-|–|to)\s*(\d{1,15}))?$/.exec(piece);
      const ends = ids ? [Number(ids[1]), Number(ids[2] || ids[1])] : [];
      const places = [];
      for (const id of ends) places.push(await place(id));
      if (!ids) wrong.add(`“${piece}” is neither a unit number nor a range.`);
      ends.forEach((id, at) => { if (places[at] === null) wrong.add(`There is no unit ${id} in this transcript.`); });
      const there = ids && places.every((at) => at != null), reversed = there && places[0] > places[1];
      if (reversed) wrong.add(`A range goes from the earlier unit to the later one: ${ends.join("-")} is the other way round.`);
      if (!there || reversed) left.push(piece);
      else found.push(made(...places));
    }
    return { found, left, wrong: [...wrong] };
  }

  /* Say below the field what of it is no range, and no longer what it was told before: here, or when it came back. */
  function complain(field, wrong) {
    const said = field?.isConnected && document.getElementById(field.dataset.units);
    if (!said) return;
    said.textContent = wrong.join(" ");
    let refused = document.getElementById(`problem-${field.name}`);
    for (const line of refused?.children ?? []) line.hidden = wrong.includes(line.textContent);
    if (refused && [...refused.children].every((line) => line.hidden)) refused = null;
    if (wrong.length) field.setAttribute("aria-invalid", "true");
    else if (!refused) field.removeAttribute("aria-invalid");
  }

  async function follow(field, keep) {
    const { found, left, wrong } = await read(field.value);
    complain(field, wrong);
    if (field !== hand) return;
    const extra = keep.filter((range) => !found.some((one) => label(one) === label(range)));
    ranges = [...found, ...extra];
    loose = left;
    anchor = null;
    if (extra.length) write();
    else { sort(); say(); paint(root); }
  }

  function take(field) {
    if (field === hand) return;
    const keep = hand ? [] : ranges;
    hand?.classList.remove("is-in-hand");
    hand = field;
    ranges = [];
    hand?.classList.add("is-in-hand");
    if (field) {
      readSpans();
      line(() => follow(field, keep));
    } else clear();
  }

  function clear() {
    ranges = [];
    loose = [];
    complain(hand, []);
    anchor = null;
    further.setAttribute("aria-pressed", "false");
    write();
  }

  function say() {
    const units = new Set(ranges.flatMap((range) => Array.from({ length: range.end - range.start + 1 }, (_, at) => range.start + at)));
    bar.hidden = !hand && !ranges.length;
    further.hidden = anchor === null;
    back.hidden = !hand;
    const many = (number, noun) => `${number} ${noun}${number === 1 ? "" : "s"}`;
    count.textContent = units.size ? `${many(units.size, "unit")} in ${many(ranges.length, "range")} selected` : "Choose the units here: no unit is selected";
  }

  function paint(scope) {
    for (const unit of scope.querySelectorAll(".unit")) {
      const at = Number(unit.dataset.at), id = unit.querySelector(".id");
      learn(at, Number(unit.id.slice("unit-".length)));
      const picked = ranges.some((range) => holds(range, at));
      unit.classList.toggle("picked", picked);
      if (picked) id.setAttribute("aria-label", `unit ${named.get(at)}, selected`);
      else id.removeAttribute("aria-label");
    }
  }

  /* ---- mouse, touch and keyboard; one act after the other ---- */

  const then = (act) => line(async () => { await act(); write(); });
  const stretching = () => further.getAttribute("aria-pressed") === "true";

  // Shift and a click mark words otherwise.
  root.addEventListener("mousedown", (event) => { if (event.shiftKey && event.target.closest(".unit")) event.preventDefault(); });
  root.addEventListener("click", (event) => {
    const unit = event.target.closest(".unit");
    if (!unit || event.ctrlKey || event.metaKey || !(hand || event.shiftKey)) return;
    if (!event.shiftKey && !event.target.closest("a") && !getSelection().isCollapsed) return;
    event.preventDefault();
    event.stopPropagation();
    const at = Number(unit.dataset.at), wide = event.shiftKey || stretching();
    list.stand(at);
    moved(at);
    then(() => (wide ? extend(at) : toggle(at)));
    further.setAttribute("aria-pressed", "false");
  }, true);

  async function walk(by, wide) {
    const from = list.standing(), at = await list.step(by, true);
    if (at === null) return;
    moved(at);
    if (!wide) return;
    if (anchor === null || edge !== from) begin(from ?? at);
    await extend(at);
  }

  const STEPS = { ArrowDown: 1, ArrowUp: -1 };
  root.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const unit = event.target.closest(".unit");
    if (event.key in STEPS && (event.shiftKey || (hand && unit))) then(() => walk(STEPS[event.key], event.shiftKey));
    // The unit that has the focus when the steps before have been taken.
    else if (event.key === " " && unit) then(() => toggle(Number((document.activeElement.closest(".unit") ?? unit).dataset.at)));
    else if (event.key === "Escape" && !hand && ranges.length) clear();
    else if ((event.key === "Enter" || event.key === "Escape") && hand) hand.focus();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });

  /* Go to what is selected, else to the evidence that is lit, else to where the transcript is. */
  async function enter() {
    // On a narrow screen the panes are stacked.
    if (matchMedia("(max-width: 800px)").matches) root.closest(".pane").scrollIntoView({ block: "start" });
    const lit = root.querySelector(".unit.now") ?? list.firstOnScreen();
    const at = await list.stand(ranges.length ? ranges[0].start : Number(lit.dataset.at));
    if (at !== null) moved(at);
  }

  document.getElementById("selection-clear").addEventListener("click", () => {
    clear();
    (hand ?? root).focus({ preventScroll: true });
  });
  further.addEventListener("click", () => further.setAttribute("aria-pressed", String(!stretching())));
  back.addEventListener("click", () => hand?.focus());
  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-select]");
    if (!button) return;
    take(document.getElementById(button.dataset.select));
    line(enter);
  });
  document.addEventListener("focusin", (event) => { if (event.target.matches(FIELD)) take(event.target); });
  document.addEventListener("change", (event) => {
    if (event.target === hand) line(() => follow(hand, []));
  });
  new MutationObserver(() => {
    if (!hand?.isConnected) take(document.querySelector(FIELD));
  }).observe(document.querySelector(".pane-records"), { childList: true, subtree: true });

  return { paint, busy: () => hand !== null };
};
