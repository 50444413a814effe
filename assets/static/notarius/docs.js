// Swagger UI is dark where its root has a class: it gets it with the reader's own theme.
"use strict";
const dark = window.matchMedia("(prefers-color-scheme: dark)");
const follow = () => document.documentElement.classList.toggle("dark-mode", dark.matches);
dark.addEventListener("change", follow);
follow();
