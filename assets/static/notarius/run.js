"use strict";
/* Fetches a run's state anew while it waits or works. A form that somebody is filling in is left alone. */
{
  const EVERY_MS = 2000;
  const place = document.getElementById("run-state");
  const active = () => place.firstElementChild?.dataset.active === "1";

  async function renew() {
    if (!place.contains(document.activeElement) || document.activeElement.tagName !== "INPUT") {
      try {
        const answer = await fetch(place.dataset.address, { credentials: "same-origin" });
        if (answer.ok && !answer.redirected) {
          const held = document.activeElement?.closest("form")?.action;
          place.innerHTML = await answer.text();
          if (held) [...place.querySelectorAll("form")].find((form) => form.action === held)?.querySelector("button")?.focus();
        }
      } catch { /* the next turn may reach the server again */ }
    }
    if (active()) setTimeout(renew, EVERY_MS);
  }
  if (active()) setTimeout(renew, EVERY_MS);
}
