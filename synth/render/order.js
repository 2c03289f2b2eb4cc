// What the HTML and its CSS say of the reading order of every text node, and of both ends of every element: its rank in
// the document order as `order` of flex and grid items changes it, the part it belongs to, the items that the author
// placed around it, and whether it is out of the flow. Keep in step with synth/render/raw.py (Spot, DomPart).
() => {
  const PARTS = new Set(["article", "aside", "figure", "nav", "header", "footer", "dialog"]);
  const APART = new Set(["page_header", "page_footer", "stamp"]);
  const spots = new Map(), ends = new Map(), parts = [{ tag: "body", continues: -1, link: null }], partOf = new Map();
  let boxes = 0, loose = 0, rank = 0;

  const within = (el, style, up) => {
    const at = { ...up };
    const bar = el.localName === "header" || el.localName === "footer";
    const link = el.getAttribute("data-continues");
    if (link !== null || APART.has(el.getAttribute("data-role")) || (PARTS.has(el.localName) && !(bar && up.part))) {
      at.part = parts.length;
      parts.push({ tag: el.localName, continues: -1, link });
      at.loose = -1;
    }
    if (el.id && !partOf.has(el.id)) partOf.set(el.id, at.part);
    if (style.float !== "none" || /absolute|fixed/.test(style.position)) at.loose = loose++;
    return at;
  };
  // Children as they take part in an element's layout: those of `display: contents` in its place.
  const laid = (el, at, out = []) => {
    for (const node of el.childNodes) {
      if (node.nodeType === 3) out.push({ node, at, order: 0, placed: false });
      if (node.nodeType !== 1) continue;
      const style = getComputedStyle(node), inner = within(node, style, at);
      if (style.display === "contents") laid(node, inner, out);
      else {
        const placed = ["gridRowStart", "gridColumnStart", "gridRowEnd", "gridColumnEnd"].some((k) => style[k] !== "auto");
        out.push({ node, at: inner, style, order: Number(style.order) || 0, placed });
      }
    }
    return out;
  };
  const visit = (el, style, at) => {
    const children = laid(el, at), grid = /grid/.test(style.display);
    spots.set(el, [rank++, at.part, at.loose, at.items]);
    const arranged = grid || /flex/.test(style.display);
    if (arranged) {
      const turned = !grid && /reverse/.test(style.flexDirection + style.flexWrap);
      children.sort((a, b) => a.order - b.order); // stable
      if (turned || children.some((c) => c.order || (grid && c.placed))) {
        for (const [k, c] of children.entries()) c.item = [boxes, k];
        boxes++;
      }
    }
    for (const { node, at: inner, style: own, item } of children) {
      const place = item === undefined ? inner : { ...inner, items: [...inner.items, item] };
      if (node.nodeType === 3) spots.set(node, [rank++, place.part, place.loose, place.items]);
      else visit(node, own, place);
    }
    ends.set(el, [rank++, at.part, at.loose, at.items]);
  };
  visit(document.body, getComputedStyle(document.body), { part: 0, loose: -1, items: [] });
  for (const [number, part] of parts.entries()) {
    const before = part.link === null ? undefined : partOf.get(part.link.replace(/^#/, ""));
    if (before !== undefined && before < number) part.continues = before;
  }
  return { spots, ends, parts: parts.map((p) => [p.tag, p.continues]) };
}
