"""HTML out of a model's answer: found, held to its form, and stripped of what a document may not have.

The browser is the barrier against hostile HTML (DESIGN decision 14); this only keeps the contract of `HtmlDocument`,
that a released document is self-contained.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

from selectolax.lexbor import LexborHTMLParser, LexborNode

from schemas.errors import SampleError

STAGE = "writer"
MAX_CHARACTERS = 300_000
_FENCE = re.compile(r"```(?:html)?[ \t]*\n(.*?)```", re.DOTALL | re.IGNORECASE)
_START = re.compile(r"<!doctype html|<html\b", re.IGNORECASE)
_END = re.compile(r"</html\s*>", re.IGNORECASE)
_VOID = frozenset(
    ["area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr"]
)
_MAY_STAY_OPEN = frozenset(
    [
        "html",
        "head",
        "body",
        "p",
        "li",
        "dt",
        "dd",
        "tr",
        "td",
        "th",
        "thead",
        "tbody",
        "tfoot",
        "colgroup",
        "caption",
        "option",
        "rt",
        "rp",
    ]
)
_GONE = ("script", "noscript", "link", "base", "meta", "template", "source", "track")
_UNPRINTABLE = (
    *("iframe", "frame", "frameset", "object", "embed", "applet", "portal", "fencedframe"),
    *("video", "audio", "canvas", "input", "textarea", "select", "svg text"),
)
_URL_ATTRIBUTES = frozenset(
    ["src", "href", "xlink:href", "data", "action", "formaction", "poster", "background", "srcset", "ping", "cite"]
)
_PICTURE = re.compile(r"\s*data:image/(?:png|jpeg|gif|webp|svg\+xml)[;,]", re.IGNORECASE)
_URL = re.compile(r"url\(\s*(\"[^\"]*\"|'[^']*'|[^)]*)\)", re.IGNORECASE)
_ESCAPE = re.compile(r"\\([0-9a-fA-F]{1,6})\s?")
_CSS_GONE = (
    re.compile(r"/\*.*?(?:\*/|$)", re.DOTALL),
    re.compile(r"@(?:import|charset|namespace)\b[^;}]*;?", re.IGNORECASE),
    re.compile(r"@font-face\s*\{[^}]*\}?", re.IGNORECASE),
    re.compile(r"(?:-webkit-)?image-set\([^)]*\)", re.IGNORECASE),
    # A value is what is printed, and is read from the HTML: capitals must stand there.
    re.compile(r"(?<![\w-])text-transform\s*:[^;}]*", re.IGNORECASE),
)
_LOUD_FONT = re.compile(r"(?<![\w-])(font(?:-family)?\s*:[^;{}]*?)\s*!\s*important", re.IGNORECASE)


def html_of(text: str) -> str:
    """The one HTML document in an answer, without a code fence or prose around it.

    SampleError "malformed_html" if there is none, it does not end, or its tags do not match; "too_large".
    """
    start = _START.search(text)
    if start is None and (fenced := _FENCE.search(text)):
        raise SampleError("malformed_html", STAGE, f"no <html> in the answer: it begins {fenced[1][:60]!r}")
    if start is None:
        raise SampleError("malformed_html", STAGE, f"no <html> in the answer: it begins {text[:60]!r}")
    end = _END.search(text, start.start())
    if end is None:
        raise SampleError(
            "malformed_html", STAGE, f"the document does not end: </html> is missing after {text[-60:]!r}"
        )
    html = text[start.start() : end.end()]
    if len(html) > MAX_CHARACTERS:
        raise SampleError("too_large", STAGE, f"{len(html)} characters of HTML, at most {MAX_CHARACTERS}")
    wrong = _mismatches(html)
    if wrong:
        raise SampleError("malformed_html", STAGE, "; ".join(wrong[:3]))
    return html


def cleaned(html: str) -> LexborHTMLParser:
    """The document as a tree, without scripts, links, event handlers, and anything that names a place outside it.

    SampleError "unlabelled_text" for frames, media, form controls and SVG text: what they show has no labels.
    """
    tree = LexborHTMLParser(html)
    for name in _UNPRINTABLE:
        if tree.css_first(name) is not None:
            raise SampleError("unlabelled_text", STAGE, f"<{name.split()[-1]}> cannot be printed with labels")
    for name in _GONE:
        for node in tree.css(name):
            node.decompose()
    for node in tree.css("style"):
        node.inner_html = clean_css(node.text())
    for node in tree.css("*"):
        _strip(node)
    return tree


def clean_css(css: str) -> str:
    """CSS without imports, fonts and addresses of its own; escapes are written out, since they could hide one."""
    css = _ESCAPE.sub(lambda match: chr(int(match[1], 16)) if int(match[1], 16) < 0x110000 else "", css)
    css = css.replace("\\", "").replace("<", "")
    for pattern in _CSS_GONE:
        css = pattern.sub("", css)
    css = _URL.sub(lambda match: match[0] if _PICTURE.match(match[1].strip("\"' ")) else "none", css)
    return _LOUD_FONT.sub(r"\1", css)


def _strip(node: LexborNode) -> None:
    for name, value in list(node.attributes.items()):
        kept = name in node.attrs
        if not kept:
            continue
        if (
            name.startswith(("on", "data-pageloom"))
            or name in ("srcdoc", "http-equiv", "nonce", "is")
            or name == "srcset"
            or (name in _URL_ATTRIBUTES and not _inside(name, value or ""))
        ):
            del node.attrs[name]
        elif name == "style":
            node.attrs[name] = clean_css(value or "")


def _inside(name: str, value: str) -> bool:
    return value.lstrip().startswith("#") or (name in ("src", "href", "xlink:href") and bool(_PICTURE.match(value)))


def _mismatches(html: str) -> list[str]:
    reader = _Tags()
    reader.feed(html)
    reader.close()
    left = [f"<{tag}> of line {line} is never closed" for tag, line in reader.open if tag not in _MAY_STAY_OPEN]
    return reader.wrong + left


class _Tags(HTMLParser):
    """Notes end tags without a start and start tags without an end, where HTML does not let them be left out."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[tuple[str, int]] = []
        self.wrong: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        if tag not in _VOID:
            self.open.append((tag, self.getpos()[0]))

    def handle_startendtag(self, tag: str, attrs: object) -> None:
        pass  # <br/>, and the empty elements of SVG

    def handle_endtag(self, tag: str) -> None:
        if tag in _VOID:
            return
        depth = len(self.open) - 1
        while depth >= 0 and self.open[depth][0] != tag:
            if self.open[depth][0] not in _MAY_STAY_OPEN:
                break
            depth -= 1
        if depth < 0 or self.open[depth][0] != tag:
            line = self.getpos()[0]
            if any(name == tag for name, _ in self.open):
                inner, since = self.open[depth]
                self.wrong.append(f"</{tag}> of line {line} comes before <{inner}> of line {since} is closed")
                del self.open[max(n for n, (name, _) in enumerate(self.open) if name == tag) :]
            elif tag != "p":  # </p> alone is an empty paragraph
                self.wrong.append(f"</{tag}> of line {line} closes nothing")
            return
        del self.open[depth:]
