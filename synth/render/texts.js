// Runs inside the laid-out page, before it is printed: the height of the content, and the texts that will be drawn with
// the style each is set in, so that the fonts can be tried first. Keep in step with synth/render/preflight.py.
({ width, content }) => {
  const root = document.documentElement, before = root.getAttribute("style");
  root.style.setProperty("width", width + "px", "important");
  const height = Math.max(root.getBoundingClientRect().bottom, root.scrollHeight);
  if (before === null) root.removeAttribute("style"); else root.setAttribute("style", before);

  const styles = [], numbers = new Map(), texts = [];
  const numberOf = (css, lang) => {
    const style = [css.fontFamily, css.fontWeight, css.fontStyle, lang], key = style.join("|");
    if (!numbers.has(key)) {
      numbers.set(key, styles.length);
      styles.push(style);
    }
    return numbers.get(key);
  };
  const cased = (text, css, lang) => {
    if (css.textTransform === "uppercase") return text.toLocaleUpperCase(lang || undefined);
    if (css.textTransform === "lowercase") return text.toLocaleLowerCase(lang || undefined);
    if (css.textTransform === "capitalize") return text.replace(/(?<!\p{L})\p{L}/gu, (c) => c.toLocaleUpperCase(lang || undefined));
    return text;
  };
  const languages = new Map([[null, ""]]), infos = new Map();
  const languageOf = (el) => {
    if (!languages.has(el)) languages.set(el, el.getAttribute("lang") ?? languageOf(el.parentElement));
    return languages.get(el);
  };
  const infoOf = (el) => {
    let info = infos.get(el);
    if (info) return info;
    const css = getComputedStyle(el), lang = languageOf(el), up = el.parentElement;
    const inline = /^(inline|contents|ruby)/.test(css.display) && !/^inline-/.test(css.display);
    info = { css, lang, seen: css.display === "contents" || el.checkVisibility(), number: numberOf(css, lang), container: inline && up ? infoOf(up).container : el };
    infos.set(el, info);
    return info;
  };

  // Text that is shaped as one: side by side in one container and of one style, through whatever inline elements.
  let last = null;
  const add = (number, container, text, css) => {
    if (last && last.container === container && last.number === number) last.text += text;
    else texts.push(last = { number, container, text });
    if (/small-caps|petite|unicase/.test(css.fontVariantCaps)) texts.push({ number, text: text.toUpperCase() });
  };
  let generated = false; // text that no text node of the document holds
  const generate = (el, info, which) => {
    const css = getComputedStyle(el, which);
    if (/^(none|normal|url\(|no-)/.test(css.content) || css.display === "none") return;
    const text = [...css.content.matchAll(/"((?:[^"\\]|\\.)*)"/g)].map((m) => m[1].replace(/\\(.)/g, "$1")).join("");
    if (text.trim()) texts.push({ number: numberOf(css, info.lang), text: cased(text, css, info.lang) });
    if (text.trim() || !/^(\s*"[^"]*")+$/.test(css.content)) generated = true;
  };
  const shown = (el) => {
    if (el.localName === "select") return [...el.options].map((option) => option.text).join(" ");
    return /^(checkbox|radio|hidden|password|range|color|image)$/.test(el.type) ? "" : `${el.value ?? ""} ${el.placeholder ?? ""} ${el.alt ?? ""}`;
  };
  const visit = (el) => {
    if (el.localName === "br" || el.localName === "img") last = null;
    if (!content && !/^(li|q|details|input|textarea|select|img)$/.test(el.localName)) return;
    const info = infoOf(el), css = info.css;
    if (!info.seen) return;
    if (content) for (const which of ["::before", "::after"]) generate(el, info, which);
    const item = css.display === "list-item" && css.listStyleType !== "none";
    if (item && (content || !/^(disc|circle|square|disclosure)/.test(css.listStyleType))) generated = true;
    if (/^(q|details)$/.test(el.localName)) generated = true;
    if (/^(input|textarea|select|img)$/.test(el.localName)) {
      const text = shown(el);
      if (text.trim()) {
        texts.push({ number: info.number, text: cased(text, css, info.lang) });
        generated = true;
      }
    }
  };
  const walker = document.createTreeWalker(document.body ?? root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  let node;
  while ((node = walker.nextNode())) {
    if (node.nodeType === 1) {
      visit(node);
      continue;
    }
    const el = node.parentElement;
    if (!node.data || /^(script|style|template|textarea|option|title|noscript)$/.test(el.localName)) continue;
    const info = infoOf(el);
    if (info.seen) add(info.number, info.container, cased(node.data, info.css, info.lang), info.css);
  }
  return JSON.stringify({ height, styles, generated, texts: texts.map((t) => [t.number, t.text]) });
}
