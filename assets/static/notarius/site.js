"use strict";
/* The transcript loads on as one reads, and an address of a unit that is not on the page leads to it all the same.
   Without a script the links "Read on" and "?unit=" do both. */
{
  const list = document.getElementById("units");
  const unitOf = () => /^#u(\d+)$/.exec(location.hash)?.[1];

  /* Go where the unit is, with the query that works without a script too. */
  function seek() {
    const unit = unitOf();
    if (!list || !unit) return;
    const shown = document.getElementById(`u${unit}`);
    for (const old of list.querySelectorAll(".sought")) old.classList.remove("sought");
    if (shown) shown.classList.add("sought");
    else if (new URLSearchParams(location.search).get("unit") !== unit) location.replace(`?unit=${unit}#u${unit}`);
  }
  seek();
  addEventListener("hashchange", seek);

  async function readOn(more) {
    watcher.unobserve(more);
    let part;
    try {
      const answer = await fetch(`${list.dataset.parts}?from=${more.dataset.more}`, { credentials: "same-origin" });
      if (!answer.ok) return;
      part = await answer.text();
    } catch { return; }  // The link stays, and leads on.
    const held = document.createElement("template");
    held.innerHTML = part;
    const focused = more.contains(document.activeElement);
    const first = held.content.querySelector("li .at");
    more.replaceWith(held.content);
    if (focused) first?.focus();
    watch();
  }
  const watcher = new IntersectionObserver((seen) => {
    for (const each of seen) if (each.isIntersecting) readOn(each.target);
  }, { rootMargin: "600px" });
  function watch() {
    const more = list?.querySelector("li.more");
    if (more) watcher.observe(more);
  }
  watch();
  list?.addEventListener("click", (event) => {
    const more = event.target.closest("li.more");
    if (!more) return;
    event.preventDefault();
    readOn(more);
  });
}
