// One state for all sets of switches: the root element carries `hide-<kind>`.
const root = document.documentElement;
const switches = [...document.querySelectorAll("input[data-kind]")];
function show(kind, on) {
  root.classList.toggle("hide-" + kind, !on);
  for (const box of switches) if (box.dataset.kind === kind) box.checked = on;
}
for (const box of switches) {
  show(box.dataset.kind, box.defaultChecked);
  box.addEventListener("change", () => show(box.dataset.kind, box.checked));
}
