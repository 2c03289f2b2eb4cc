// Runs inside the page before it is printed. A combining mark that begins a text node (a Bangla visarga set as a colon
// after an element) is drawn with the letter before it: the browser paints both from that letter's node, and what the
// PDF says of them is that node's text alone. So the mark is moved to where it is drawn, and no text is lost.
() => {
  const styles = new Map();
  const styleOf = (el) => styles.get(el) ?? (styles.set(el, getComputedStyle(el)), styles.get(el));
  const inline = (el) => /^(inline|contents)$/.test(styleOf(el).display);
  const containerOf = (el) => (el && inline(el) ? containerOf(el.parentElement) : el);
  const shapedAlike = (a, b) => a.font === b.font && a.letterSpacing === b.letterSpacing;
  const walker = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  let last = null, node;
  while ((node = walker.nextNode())) {
    if (node.nodeType === Node.ELEMENT_NODE) {
      if (/^(br|wbr|img|svg|canvas|bdi|bdo|ruby)$/.test(node.localName)) last = null;
      continue;
    }
    const marks = /^\p{M}+/u.exec(node.data)?.[0];
    if (marks && last) {
      const a = last.parentElement, b = node.parentElement;
      if (a === b || (containerOf(a) === containerOf(b) && shapedAlike(styleOf(a), styleOf(b)))) {
        last.appendData(marks);
        node.deleteData(0, marks.length);
      }
    }
    if (node.data) last = /\s$/u.test(node.data) ? null : node;
  }
}
