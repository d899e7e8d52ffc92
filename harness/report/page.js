"use strict";
(() => {
  const marks = () => [...document.querySelectorAll(".scenario:not(.pass) .mark[id]")];

  // Whatever a link leads to is in view, and has the focus.
  const show = (target) => {
    if (!target) return;
    for (let at = target.parentElement; at; at = at.parentElement) {
      if (at.tagName === "DETAILS") at.open = true;
    }
    target.scrollIntoView({ block: "center", inline: "center" });
    target.focus({ preventScroll: true });
  };
  const follow = () => show(document.getElementById(decodeURIComponent(location.hash.slice(1))));
  addEventListener("hashchange", follow);
  if (location.hash) follow();

  // A link to where the reader was before is no change of the hash.
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a.button");
    if (link && link.hash === location.hash) follow();
  });

  // "v" goes from one violation to the next, and after the last to the first.
  document.addEventListener("keydown", (event) => {
    if (event.key !== "v" || event.ctrlKey || event.metaKey || event.altKey) return;
    const all = marks();
    if (all.length === 0) return;
    const next = all[(all.indexOf(document.activeElement) + 1) % all.length];
    if (location.hash === "#" + next.id) show(next);
    else location.hash = next.id;
  });

  const all = document.getElementById("all");
  const scenarios = [...document.querySelectorAll(".scenario")];
  all.hidden = scenarios.length === 0;
  const label = () => { all.textContent = scenarios.every((s) => s.open) ? "Close all" : "Open all"; };
  all.addEventListener("click", () => {
    const open = !scenarios.every((s) => s.open);
    for (const s of scenarios) s.open = open;
  });
  for (const s of scenarios) s.addEventListener("toggle", label);
  label();
})();
