(() => {
  const cards = [...document.querySelectorAll(".gallery li")];
  if (!cards.length) return;
  const track = document.getElementById("by-track"), kind = document.getElementById("by-kind");
  const show = () => {
    let shown = 0;
    for (const card of cards) {
      card.hidden = (track.value && card.dataset.track !== track.value) || (kind.value && card.dataset.kind !== kind.value);
      shown += !card.hidden;
    }
    document.getElementById("count").textContent = `${shown} shown`;
  };
  for (const choice of [track, kind]) {
    choice.addEventListener("change", () => {
      show();
      document.getElementById("errors").scrollIntoView();
    });
  }
})();
