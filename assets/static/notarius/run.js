"use strict";
/* Fetches a run's state anew while it waits or works. A form that somebody is filling in is left alone. */
{
  const EVERY_MS = 2000;
  const place = document.getElementById("run-state");
  const used = () => document.activeElement?.tagName === "INPUT" && place.contains(document.activeElement);
  const active = () => place.firstElementChild?.dataset.active === "1";

  async function renew() {
    if (!used()) {
      try {
        const answer = await fetch(place.dataset.address, { credentials: "same-origin" });
        const text = await answer.text();
        // Somebody may have begun to fill in a form meanwhile.
        if (answer.ok && !answer.redirected && !used()) {
          const held = document.activeElement?.closest("form")?.action;
          place.innerHTML = text;
          if (held) [...place.querySelectorAll("form")].find((form) => form.action === held)?.querySelector("button")?.focus();
        }
      } catch { /* the next turn may reach the server again */ }
    }
    if (active()) setTimeout(renew, EVERY_MS);
  }
  if (active()) setTimeout(renew, EVERY_MS);
}
