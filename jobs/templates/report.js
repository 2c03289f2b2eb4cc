const items = [...document.querySelectorAll(".grid li")];
const filters = ["type", "language"].map((name) => document.getElementById(name));
function filter() {
  for (const item of items) item.hidden = filters.some((f) => f.value && item.dataset[f.id] !== f.value);
  const seen = items.filter((item) => !item.hidden).length;
  document.getElementById("count").textContent = seen + " shown";
}
for (const f of filters) f.addEventListener("change", filter);

const large = document.getElementById("large");
const sheet = large.querySelector(".sheet");
const said = document.getElementById("said");
const hint = said.textContent;
let at = 0;
function open(index) {
  at = index;
  const item = items[at];
  const page = item.querySelector("svg.page").cloneNode(false);
  const parts = item.querySelector("template").content.cloneNode(true);
  page.removeAttribute("aria-hidden");
  page.setAttribute("role", "img");
  page.setAttribute("aria-label", "Page with its labels");
  page.append(item.querySelector("image").cloneNode(true), ...parts.querySelector("svg").childNodes);
  sheet.replaceChildren(page);
  sheet.scrollTo(0, 0);
  document.getElementById("about").replaceChildren(parts.querySelector("dl"));
  said.textContent = hint;
  if (!large.open) large.showModal();
}
function step(by) {
  const seen = items.map((_, i) => i).filter((i) => !items[i].hidden);
  open(seen[(seen.indexOf(at) + by + seen.length) % seen.length]);
}
for (const item of items) {
  const button = item.querySelector("button");
  button.addEventListener("click", () => open(Number(button.dataset.page)));
}
document.getElementById("back").addEventListener("click", () => step(-1));
document.getElementById("next").addEventListener("click", () => step(1));
document.getElementById("close").addEventListener("click", () => large.close());
const zoom = document.getElementById("zoom");
zoom.addEventListener("click", () => zoom.setAttribute("aria-pressed", String(sheet.classList.toggle("zoomed"))));
large.addEventListener("keydown", (event) => {
  if (event.key === "ArrowLeft") step(-1);
  if (event.key === "ArrowRight") step(1);
});
large.addEventListener("click", (event) => { if (event.target === large) large.close(); });
large.addEventListener("close", () => items[at].querySelector("button").focus());
for (const event of ["pointerover", "click"]) {
  sheet.addEventListener(event, ({ target }) => {
    const box = target.closest("polygon");
    if (box) said.textContent = box.querySelector("title").textContent;
  });
}
