// Runs inside the printed page by Playwright's evaluate (page scripts are off). Finds the words, gives each piece of a
// word ("unit") a colour by the CSS Custom Highlight API, each table cell a background, and returns what it saw.
// Adds no node, so nothing moves. Offsets are UTF-16. Keep in step with synth/render/raw.py.
// Text that has no node a highlight could be laid on (generated content, list markers, SVG) takes one colour an element,
// which its words share (synth/truth/shared.py parts them). `made`: its texts by number of the element, from
// synth/render/generated.py, which also leaves the text nodes of form controls at their elements as `pageloomTexts`.
({ language, split, made, spots, ends, parts }) => {
  const ROLE_OF_TAG = {
    h1: "title", h2: "section_header", h3: "section_header", h4: "section_header", h5: "section_header",
    h6: "section_header", legend: "section_header", p: "text", li: "list_item", caption: "caption",
    figcaption: "caption", figure: "figure", header: "page_header", footer: "page_footer", dl: "key_value",
    dt: "key_value", dd: "key_value",
  };
  const NO_SPACES = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Khmer}\p{sc=Lao}\p{sc=Myanmar}]/u;
  const OPENING = /^[\p{Ps}\p{Pi}¥￥$€£৳₹#＃№]+$/u;
  const EASTERN = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Khmer}\p{sc=Lao}\p{sc=Myanmar}\u3000-\u303f\uff00-\uffef]/u;
  const MAY_BREAK_AFTER = /(?<=[\u00ad\u200b\u2010\u2013\u2014\-\/?&])/u;
  const UNSEEN = /[\u00ad\u200b\u2060\ufeff]/gu;
  const UNSEEN_END = /[\u00ad\u200b\u2060\ufeff]+$/u;
  const wordsOf = new Intl.Segmenter(language, { granularity: "word" });
  const graphemesOf = new Intl.Segmenter(language, { granularity: "grapheme" });
  const splitWords = new Set(split);

  // Even channels from 2 on: a raster may lose 1 of a channel to rounding and still name its unit (synth/truth/ink.py).
  const colours = (function* () {
    for (let i = 1; i < 1 << 21; i++) {
      const n = (i * 0x9e377) % (1 << 21); // odd factor: no colour twice
      const r = n >> 14, g = (n >> 7) & 127, b = n & 127, high = Math.max(r, g, b);
      // Greys are for the author's lines and fills.
      if (high < 127 && high - Math.min(r, g, b) > 20) yield ((2 * r + 2) << 16) | ((2 * g + 2) << 8) | (2 * b + 2);
    }
  })();
  const css = (c) => `rgb(${c >> 16},${(c >> 8) & 255},${c & 255})`;

  const blocks = [], blockIndex = new Map(), containers = new Map();
  const cells = [], cellIndex = new Map();
  const fields = [], fieldIndex = new Map(), keys = [], keyIndex = new Map();
  const sheet = [];
  for (const [name, list, index] of [["data-field", fields, fieldIndex], ["data-key", keys, keyIndex]])
    for (const el of document.querySelectorAll(`[${name}]`)) {
      index.set(el, list.length);
      list.push(el.getAttribute(name));
    }

  const numberOf = (map, el) => map.get(el) ?? (map.set(el, map.size), map.size - 1);
  const blockOf = (el, role) => {
    if (!blockIndex.has(el)) {
      blockIndex.set(el, blocks.length);
      blocks.push([role, el.localName]);
    }
    return blockIndex.get(el);
  };
  const blocky = (display) => !/^(inline|contents|ruby|none)/.test(display);
  const dataTable = (el) => el.localName === "table" && el.getAttribute("role") !== "presentation";
  const alpha = (colour) => {
    const m = /^rgba?\((.*)\)$/.exec(colour);
    const parts = m ? m[1].split(/[,/\s]+/) : [];
    return parts.length === 4 ? parseFloat(parts[3]) : 1;
  };
  const clippedAway = (el, style) => {
    if (style.position === "absolute" && /rect\(/.test(style.clip)) {
      const n = style.clip.match(/-?[\d.]+/g).map(Number);
      if (n.length === 4 && (n[2] - n[0] <= 1 || n[1] - n[3] <= 1)) return true;
    }
    if (/inset\((5\d|[6-9]\d|100)%/.test(style.clipPath)) return true;
    if (style.overflowX === "visible" && style.overflowY === "visible") return false;
    return (style.overflowX !== "visible" && el.clientWidth <= 1 && blocky(style.display)) ||
      (style.overflowY !== "visible" && el.clientHeight <= 1 && blocky(style.display));
  };

  // Whether the transforms of an element mirror, shear or squeeze its text: its advance box cannot be told then.
  const bends = (style) => {
    const m = /^matrix(3d)?\((.*)\)$/.exec(style.transform);
    const n = m ? m[2].split(",").map(Number) : [1, 0, 0, 1];
    const [a, b, c, d] = m && m[1] ? [n[0], n[1], n[4], n[5]] : n;
    const [x, y] = style.scale === "none" ? [1, 1] : [...style.scale.split(" ").map(Number), NaN];
    const even = Number.isNaN(y) || x === y;
    return a * d - b * c < 0 || !even || Math.abs(a * c + b * d) > 1e-4 || Math.abs(a * a + b * b - c * c - d * d) > 1e-4;
  };

  const infos = new Map(), faint = [];
  const none = {
    hidden: false, opacity: 1, anchor: document.body, role: "text", fixed: false, container: document.body,
    cell: -1, field: -1, key: -1, repeats: false, bent: false, element: null,
  };
  const infoOf = (el) => {
    if (el === null || el === document.documentElement) return none;
    const known = infos.get(el);
    if (known) return known;
    const up = infoOf(el.parentElement);
    const style = getComputedStyle(el);
    const info = { ...up, style, element: el };
    const opacity = parseFloat(style.opacity);
    info.opacity = up.opacity * opacity;
    if (opacity > 0 && opacity < 1) faint.push(el);
    info.hidden = up.hidden || style.display === "none" ||
      (style.display !== "contents" && !el.checkVisibility()) || info.opacity < 0.01 || clippedAway(el, style) ||
      style.contentVisibility === "hidden";
    info.seen = !info.hidden && style.visibility === "visible" && alpha(style.color) > 0 &&
      alpha(style.webkitTextFillColor) > 0 && parseFloat(style.fontSize) > 0;
    info.repeats = up.repeats || style.position === "fixed" ||
      style.display === "table-header-group" || style.display === "table-footer-group";
    info.bent = up.bent || ((style.transform !== "none" || style.scale !== "none") && bends(style));
    const isBlock = blocky(style.display);
    if (isBlock) info.container = el;
    const named = el.getAttribute("data-role");
    if (named) Object.assign(info, { anchor: el, role: named, fixed: true });
    else if (dataTable(el)) Object.assign(info, { anchor: el, role: "table", fixed: true });
    else if (el.localName === "caption" || (!up.fixed && isBlock && !/^table-(row|column|header|footer)/.test(style.display)))
      Object.assign(info, { anchor: el, role: ROLE_OF_TAG[el.localName] ?? up.role, fixed: el.localName === "caption" });
    if (cellIndex.has(el)) info.cell = cellIndex.get(el);
    else if (el.localName === "table") info.cell = -1;
    if (fieldIndex.has(el)) info.field = fieldIndex.get(el);
    if (keyIndex.has(el)) info.key = keyIndex.get(el);
    infos.set(el, info);
    return info;
  };

  for (const table of document.querySelectorAll("table")) {
    if (!dataTable(table)) continue;
    const role = table.getAttribute("data-role") ?? "table";
    if (role !== "table") continue;
    const taken = [];
    for (const [r, row] of [...table.rows].entries()) {
      taken[r] ??= [];
      let c = 0;
      for (const cell of row.cells) {
        while (taken[r][c]) c++;
        const rowspan = Math.min(cell.rowSpan || table.rows.length - r, table.rows.length - r), colspan = cell.colSpan;
        for (let i = r; i < r + rowspan; i++) for (let j = c; j < c + colspan; j++) (taken[i] ??= [])[j] = true;
        cellIndex.set(cell, cells.length);
        cells.push({ el: cell, table, row: r, col: c, rowspan, colspan, header: cell.localName === "th" });
        c += colspan;
      }
    }
  }

  const transform = (text, how, first) => {
    if (how === "uppercase") return text.toLocaleUpperCase(language);
    if (how === "lowercase") return text.toLocaleLowerCase(language);
    if (how === "capitalize" && first) return text.replace(/\p{L}/u, (c) => c.toLocaleUpperCase(language));
    return text;
  };

  // Pieces [start, end) of one run between white space: the whole run, or ICU words in scripts without spaces. Marks
  // go with the word before them, opening marks and currency signs with the word after; what ICU parts within Latin
  // text or numbers (010-6505, a@b.com) stays one word.
  const segments = (run) => {
    if (!NO_SPACES.test(run)) return [[0, run.length]];
    const pieces = [];
    let opening = -1, western = false;
    for (const { segment, index, isWordLike } of wordsOf.segment(run)) {
      const end = index + segment.length, last = pieces[pieces.length - 1];
      const joins = western && opening < 0 && !EASTERN.test(segment);
      if (joins) last[1] = end;
      else if (OPENING.test(segment)) opening = opening < 0 ? index : opening;
      else if (isWordLike || opening >= 0 || !last) {
        pieces.push([opening < 0 ? index : opening, end]);
        opening = -1;
        western = !EASTERN.test(segment);
      } else {
        last[1] = end;
        western = false;
      }
    }
    if (opening >= 0) pieces.length ? (pieces[pieces.length - 1][1] = run.length) : pieces.push([opening, run.length]);
    return pieces;
  };
  // Where a word may be broken over two lines it needs a colour on each side of the break.
  const unitsOf = (text, number) => {
    if (splitWords.has(number) || NO_SPACES.test(text)) {
      return [...graphemesOf.segment(text)].map((g) => [g.index, g.index + g.segment.length]);
    }
    let at = 0;
    return text.split(MAY_BREAK_AFTER).map((part) => {
      const unit = [at, at + part.replace(UNSEEN_END, "").length];
      at += part.length;
      return unit;
    });
  };

  const words = [], refused = new Set(), shared = [];
  const paint = new Map();
  let gap = true, lastContainer = null, nodes = 0, spot = null;
  const addWord = (units, info) => words.push({
    units, space: false, block: blockOf(info.anchor, info.role), container: numberOf(containers, info.container),
    cell: info.cell, field: info.field, key: info.key, repeats: info.repeats, px: parseFloat(info.style.fontSize),
    flow: /^vertical/.test(info.style.writingMode) ? "ttb" : info.style.direction,
    spot, node: nodes,
  });

  // The words of a text node, each with a highlight of its own colour.
  const take = (node, el, info) => {
    nodes++;
    spot = spots.get(node) ?? spots.get(el);
    const spaced = /\S+/gu;
    let run, end = 0; // end of the word before, in this node
    while ((run = spaced.exec(node.data))) {
      for (const [from, to] of segments(run[0])) {
        const text = run[0].slice(from, to);
        if (!text.replace(UNSEEN, "")) continue;
        const start = run.index + from, apart = gap || info.container !== lastContainer || start > end;
        // A mark alone (a Bangla visarga set as a colon) is drawn as part of the letter before it, in whatever element.
        const before = words[words.length - 1];
        if (!apart && before && /^\p{M}/u.test(text)) {
          const colour = colours.next().value;
          if (!paint.has(el)) paint.set(el, []);
          paint.get(el).push([node, start, start + text.length, colour]);
          before.units.push([text, colour]);
          end = run.index + to;
          continue;
        }
        if (words.length) words[words.length - 1].space = apart;
        const units = [];
        for (const [a, b] of unitsOf(text, words.length)) {
          if (a === b) continue;
          const colour = colours.next().value;
          if (!paint.has(el)) paint.set(el, []);
          paint.get(el).push([node, start + a, start + b, colour]);
          units.push([transform(text.slice(a, b), info.style.textTransform, a === 0).replace(UNSEEN, ""), colour]);
        }
        addWord(units, info);
        gap = false;
        lastContainer = info.container;
        end = run.index + to;
      }
    }
    gap = /\s$/u.test(node.data);
  };

  // Words that are painted in one colour, that of the rule `rule(css colour)`.
  const takeShared = (text, info, rule) => {
    const painted = colours.next().value, own = [];
    nodes++;
    sheet.push(rule(css(painted)));
    for (const run of text.match(/\S+/gu) ?? []) {
      const printed = transform(run, info.style.textTransform, true).replace(UNSEEN, "");
      if (!printed) continue;
      if (words.length) words[words.length - 1].space = gap || info.container !== lastContainer || own.length > 0 || /^\s/u.test(text);
      const colour = colours.next().value;
      own.push([printed, colour]);
      addWord([[printed, colour]], info);
      gap = false;
      lastContainer = info.container;
    }
    gap = /\s$/u.test(text);
    if (own.length) shared.push([painted, own]);
  };
  let scopes = 0;
  const scopeOf = (el) => {
    const scope = `data-pageloom-made-${scopes++}`;
    el.setAttribute(scope, "");
    return scope;
  };
  const takeMade = (el, which, text) => {
    const info = infoOf(el), style = getComputedStyle(el, `::${which}`), up = infoOf(el.parentElement);
    if (!info.seen && style.visibility !== "visible") return;
    if (info.hidden || alpha(style.color) === 0 || parseFloat(style.opacity) === 0) return;
    spot = (which === "after" ? ends : spots).get(el);
    const scope = scopeOf(el), stuck = which === "marker" ? {} : { field: up.field, key: up.key };
    takeShared(text, { ...info, ...stuck, style: which === "marker" ? info.style : style }, (c) =>
      `[${scope}]::${which}{color:${c} !important;-webkit-text-fill-color:${c} !important;text-shadow:none !important}`);
  };

  const SVG = "http://www.w3.org/2000/svg", HTML = "http://www.w3.org/1999/xhtml";
  const numbers = new Map([...document.querySelectorAll("*")].map((el, i) => [el, i]));
  const visit = (el) => {
    if (/^(script|style|template|title|noscript)$/.test(el.localName) && el.namespaceURI !== SVG) return;
    if (el.localName === "br") gap = true;
    const info = infoOf(el), texts = made[numbers.get(el)] ?? {};
    if (/^(iframe|object|embed|audio|video)$/.test(el.localName) && info.seen) refused.add(el.localName);
    if (info.bent && info.seen && el.textContent.trim()) refused.add("a mirrored, sheared or squeezed element");
    if (el.shadowRoot) refused.add("shadow root");
    if (/text/.test(info.style?.webkitBackgroundClip ?? "") && !info.hidden && el.textContent.trim()) refused.add("background-clip: text");
    if (/^input$/.test(el.localName) && el.type === "password" && el.value && info.seen) refused.add("password");
    if (texts.marker) takeMade(el, "marker", texts.marker);
    if (texts.before) takeMade(el, "before", texts.before);
    for (const node of el.pageloomTexts ?? []) { // of a control: nodes of the browser's own
      const range = new Range();
      range.selectNodeContents(node);
      gap = true;
      if (info.seen && range.getClientRects().length) take(node, el, info);
      gap = true;
    }
    if (!/^(textarea|option|select)$/.test(el.localName)) {
      for (let child = el.firstChild; child; child = child.nextSibling) {
        if (el.localName === "details" && !el.open && child !== el.querySelector(":scope > summary")) continue;
        if (child.nodeType === 1) visit(child);
        else if (child.nodeType === 3 && child.data) {
          if (!/\S/.test(child.data)) gap = true;
          else if (!info.seen) continue;
          else if (el.namespaceURI === HTML) take(child, el, info);
          else if (el.namespaceURI === SVG) takeSvg(el, info, child);
          else refused.add(el.localName);
        }
      }
    } else if (el.localName === "select") for (const option of el.querySelectorAll("option")) visit(option);
    if (texts.after) takeMade(el, "after", texts.after);
  };
  const takeSvg = (el, info, node) => {
    if (/^(title|desc|style|script|metadata)$/.test(el.localName)) return;
    const own = [...el.childNodes].filter((n) => n.nodeType === 3 && /\S/.test(n.data));
    if (own.length > 1 || el.closest("textPath")) return void refused.add(el.localName);
    const scope = scopeOf(el);
    spot = spots.get(node);
    takeShared(node.data, { ...info, container: el.closest("text") ?? el }, (c) => `[${scope}]{fill:${c} !important;stroke:none !important}`);
  };
  if (document.body) visit(document.body);
  if (words.length) words[words.length - 1].space = true;

  CSS.highlights.clear();
  let number = 0;
  for (const [el, ranges] of paint) {
    const scope = `data-pageloom-${number++}`;
    el.setAttribute(scope, "");
    for (const [container, a, b, colour] of ranges) {
      const name = `u${colour}`;
      CSS.highlights.set(name, new Highlight(new StaticRange({
        startContainer: container, startOffset: a, endContainer: container, endOffset: b,
      })));
      const c = css(colour);
      sheet.push(`[${scope}]::highlight(${name}){color:${c};-webkit-text-fill-color:${c};` +
        `-webkit-text-stroke-color:${c};text-shadow:none}`);
    }
  }
  for (const [i, cell] of cells.entries()) {
    cell.colour = colours.next().value;
    cell.block = blockOf(cell.table, "table");
    cell.el.setAttribute(`data-pageloom-cell-${i}`, "");
    sheet.push(`[data-pageloom-cell-${i}]{background:${css(cell.colour)} border-box !important}`);
  }
  // Underlines would count as ink of their word (a highlight paints them in its own colour, whatever colour they are
  // given), see-through words would mix their colour.
  for (const el of faint) el.setAttribute("data-pageloom-faint", "");
  sheet.push("[data-pageloom-faint]{opacity:1 !important}");
  sheet.push("*{text-decoration-line:none !important;mix-blend-mode:normal !important}");
  const style = new CSSStyleSheet();
  style.replaceSync(sheet.join("\n"));
  document.adoptedStyleSheets = [...document.adoptedStyleSheets.slice(0, 1), style];

  return JSON.stringify({ // far faster to carry over than objects
    words: words.map(
      (w) => [w.units, w.space, w.block, w.container, w.cell, w.field, w.key, w.repeats, w.px, w.flow, w.spot, w.node],
    ),
    blocks, cells: cells.map((c) => [c.block, c.row, c.col, c.rowspan, c.colspan, c.header, c.colour]),
    fields, keys, shared, parts, refused: [...refused],
  });
}
