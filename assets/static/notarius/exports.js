// Renews the list of exports while one of them is being made; without this, loading the page anew does the same.
"use strict";
(() => {
  const list = document.getElementById("exports");
  const EVERY_MS = 2000;
  const used = () => list.contains(document.activeElement);
  const renew = async () => {
    if (!list.querySelector("[data-waits]")) return;
    if (!document.hidden && !used()) {
      try {
        const answer = await fetch(list.dataset.renew, { credentials: "same-origin" });
        const text = await answer.text();
        // Somebody may have come to the list meanwhile.
        if (answer.ok && !answer.redirected && !used()) list.innerHTML = text;
      } catch { /* The next try may reach the site again. */ }
    }
    setTimeout(renew, EVERY_MS);
  };
  setTimeout(renew, EVERY_MS);
})();
