"use strict";
/* The page of a session's units: choosing one lists the records that cite it, and the strip leads anywhere.
   Without this file the page works by links and forms. */
{
  const root = document.getElementById("transcript");
  const panel = document.getElementById("citing");
  const title = document.getElementById("citing-title");
  const strip = document.getElementById("strip");
  const here = document.getElementById("here");
  const keep = root ? root.dataset.query : "";
  let target = root && root.dataset.target ? Number(root.dataset.target) : null;

  function mark(scope) {
    for (const unit of scope.querySelectorAll(".unit")) {
      const own = Number(unit.dataset.at) === target;
      unit.classList.toggle("target", own);
      if (own) unit.querySelector(".id").setAttribute("aria-current", "true");
      else unit.querySelector(".id").removeAttribute("aria-current");
    }
  }

  async function choose(unit) {
    const id = unit.id.slice("unit-".length);
    target = Number(unit.dataset.at);
    mark(root);
    history.replaceState(null, "", `?${keep}unit=${id}`);
    const found = await list.citing(id);
    if (found === undefined) return;
    title.textContent = `Unit ${id} is cited by`;
    panel.replaceChildren(found || "The answer did not come. Choose the unit again.");
    panel.scrollTop = 0;
  }

  const list = root && Notarius.transcript(root, mark);

  /* Show on the strip where the screen is. */
  let moving = 0;
  function follow() {
    cancelAnimationFrame(moving);
    moving = requestAnimationFrame(() => {
      const unit = list.firstOnScreen();
      if (unit) here.style.left = `${(100 * Number(unit.dataset.place)) / Number(root.dataset.units)}%`;
    });
  }

  async function goTo(place) {
    const at = await list.show(keep ? list.find({ near: place }) : place);
    if (at !== undefined) root.focus({ preventScroll: true });
  }

  const first = () => panel.querySelector("a.cites") ?? panel.querySelector("a") ?? panel;
  Notarius.keys({
    j: () => list?.step(1), k: () => list?.step(-1),
    g: () => document.getElementById("goto-unit")?.select(),
    f: () => document.getElementById("show")?.focus(),
    c: () => panel && first().focus(),
    t: () => root?.focus(),
  });

  if (root) {
    root.addEventListener("notarius:unit", (event) => choose(event.detail));
    root.addEventListener("scroll", follow, { passive: true });
    strip.addEventListener("click", (event) => {
      const box = strip.getBoundingClientRect();
      const share = Math.min(Math.max((event.clientX - box.left) / box.width, 0), 0.999999);
      goTo(Math.floor(share * Number(root.dataset.units)));
    });
    Notarius.goto(list, root, (at) => {
      target = at;
      mark(root);
    });
    const from = Number(new URLSearchParams(location.search).get("from") || root.querySelector(".block").dataset.from);
    list.show(Math.min(target ?? from, list.total - 1)).then(follow);
  }
}
