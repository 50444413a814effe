// Renews the list of exports while one of them is being made; without this, loading the page anew does the same.
"use strict";
(() => {
  const list = document.getElementById("exports");
  const EVERY_MS = 2000;
  const renew = async () => {
    if (!list.querySelector("[data-waits]")) return;
    if (!document.hidden && !list.contains(document.activeElement)) {
      try {
        const answer = await fetch(list.dataset.renew, { credentials: "same-origin" });
        if (answer.ok) list.innerHTML = await answer.text();
      } catch { /* The next try may reach the site again. */ }
    }
    setTimeout(renew, EVERY_MS);
  };
  setTimeout(renew, EVERY_MS);
})();
