"use strict";
/* Keys of one page, the dialog that lists them, and the switch that turns single-character keys off. */
window.Notarius = {};
document.documentElement.classList.add("js");
{
  const KEPT = "notarius.keys";
  const dialog = document.getElementById("keys");
  const box = document.getElementById("keys-on");
  const stored = () => { try { return localStorage.getItem(KEPT); } catch { return null; } };
  let on = stored() !== "off";

  function use(wanted) {
    on = wanted;
    document.documentElement.classList.toggle("no-keys", !on);
    if (box) box.checked = on;
  }
  use(on);
  box?.addEventListener("change", () => {
    use(box.checked);
    // A browser that keeps nothing still obeys until the page is left.
    try { localStorage.setItem(KEPT, on ? "on" : "off"); } catch { /* nothing to keep it in */ }
  });
  // A modal dialog keeps the focus inside and gives it back when it closes.
  document.getElementById("keys-open")?.addEventListener("click", () => dialog.showModal());

  /* Call the act of a key that is pressed outside of fields. Named keys work whether or not single ones do. */
  Notarius.keys = (acts) => document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || dialog?.open) return;
    if (event.target.closest("input, textarea, select")) return;
    const act = acts[event.key];
    if (!act || (event.key.length === 1 && !on)) return;
    event.preventDefault();
    act();
  });
  if (dialog) Notarius.keys({ "?": () => dialog.showModal() });
}
