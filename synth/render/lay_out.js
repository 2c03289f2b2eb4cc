// Runs inside the page once its document is parsed: [how many elements it has, whether it leaves nothing behind].
// Unless they are more than `most`, they are laid out. `paper`: the rule of the page box, null where it is not known yet.
//
// A page that held only elements of these kinds can take the next document: what they do ends when they go. Others set
// what outlives them (a meta's policy or language, a base, a frame, a player, the focus), and the page goes with them.
({ most, paper }) => {
  const plain = new Set((
    "html head title style body div span p br wbr hr h1 h2 h3 h4 h5 h6 header footer main section article aside nav " +
    "address blockquote pre figure figcaption ul ol li dl dt dd table caption colgroup col thead tbody tfoot tr td th " +
    "a abbr b bdi bdo cite code del dfn em i ins kbd mark q rp rt ruby s samp small strong sub sup time u var img " +
    "svg g defs path rect line circle ellipse polygon polyline text tspan"
  ).split(" "));
  const elements = document.getElementsByTagName("*");
  if (elements.length > most) return [elements.length, false];
  if (paper !== null) {
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(paper);
    document.adoptedStyleSheets = [sheet];
  }
  document.documentElement.getBoundingClientRect();
  const charset = (el) => el.localName === "meta" && el.attributes.length === 1 && el.hasAttribute("charset");
  const passes = (el) => (plain.has(el.localName) || charset(el)) && !el.hasAttribute("autofocus");
  return [elements.length, Array.from(elements).every(passes)];
}
