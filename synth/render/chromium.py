"""One headless Chromium that prints documents: plain for the release, painted word by word for the labels."""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from importlib import resources
from pathlib import Path
from shutil import which
from typing import Literal

import pymupdf
from playwright.sync_api import Error as PlaywrightError
from playwright.sync_api import Page, ViewportSize

from schemas.errors import FontError, SampleError, UserError
from schemas.sample import HtmlDocument, PageSize
from synth.render import driver
from synth.render.fonts import FontSet
from synth.render.generated import Made, generated
from synth.render.pages import Pages
from synth.render.preflight import Fault, Look, Preflight, change_fonts, look
from synth.render.probe import broken_words, paint_words
from synth.render.raw import Clusters, RawPrint, Snapshot
from synth.render.scrub import scrub
from synth.render.slim import slim
from synth.render.staging import Staging, can_isolate, stage
from synth.render.trace import PrintedPage, trace

Sandbox = Literal["require", "auto", "off"]

MAX_PAGES = 50
MAX_HTML_BYTES = 20_000_000
MAX_NODES = 40_000  # elements: each takes the browser a millisecond of the probe
MAX_SHADINGS = 100  # gradients: each takes MuPDF a tenth of a second, where no deadline of the browser reaches
MAX_PDF_BYTES = 100_000_000
MAX_ROLL_MM = 3000.0
LOAD_S = 10.0
DOCUMENT_S = 40.0
WINDOW_PX = 10  # height: what is in the window is drawn for the screen too, and there is no screen
PX_PER_MM = 96 / 25.4
PT_PER_MM = 72 / 25.4
FLAGS = (
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    "--font-render-hinting=none",
    "--disable-remote-fonts",
    "--renderer-process-limit=1",
    "--disable-threaded-compositing",  # nobody looks at the screen: a fifth of the CPU of a document
)
_LAY_OUT = resources.files("synth.render").joinpath("lay_out.js").read_text(encoding="utf-8")
# The page box is ours to say; author margins stay, except on a roll, whose length is measured.
SET_PAGE = """css => {
  const sheet = new CSSStyleSheet(); sheet.replaceSync(css); document.adoptedStyleSheets = [sheet];
}"""


def find_chromium() -> Path:
    """The browser's path, from PAGELOOM_CHROMIUM or PATH. UserError if there is none."""
    named = os.environ.get("PAGELOOM_CHROMIUM")
    path = named or which("chromium-headless-shell")
    if path is None:
        raise UserError("Chromium headless shell is not installed", fix="apt-get install chromium-headless-shell")
    if not os.access(path, os.X_OK):
        raise UserError("is not a program", f"PAGELOOM_CHROMIUM={path}", "name the chromium-headless-shell program")
    return Path(path)


class Chromium:
    """A browser with its own fonts, profile and, where the kernel allows, its own sandbox and empty network.

    `sandbox`: "require" refuses to start without Chromium's sandbox, "auto" uses it where it starts, "off" never.
    UserError if there is no browser, or none with a sandbox where one is required. Not thread safe; close it.
    """

    def __init__(self, fonts: FontSet, sandbox: Sandbox = "auto") -> None:
        self.fonts = fonts
        self._preflight = Preflight(fonts)
        executable = find_chromium()
        able = can_isolate()
        if sandbox == "require" and not able:
            raise UserError(
                "the kernel does not let an unprivileged user make namespaces, so Chromium's sandbox cannot start",
                "execution.sandbox",
                "allow user namespaces; or set it to auto if all documents are your own, to off if you trust them all",
            )
        self.sandboxed = able and sandbox != "off"
        self._staging: Staging = stage(fonts, executable, isolated=able)
        self._playwright = driver.acquire()
        self._open = True
        self._pages = Pages()
        self._clean = False  # whether the last document left nothing behind in its page
        try:
            self._start()
        except UserError:
            if not self.sandboxed or sandbox == "require":
                self.close()
                raise
            self.sandboxed = False
            self._start()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Chromium:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def version(self) -> str:
        return self._browser.version

    def close(self) -> None:
        """End the browser and remove its folder; safe to call twice. Call it in the thread that made the browser."""
        if not self._open:
            return
        self._open = False
        with contextlib.suppress(PlaywrightError, AttributeError):
            self._browser.close()
        driver.release()
        self._staging.remove()

    def print(self, doc: HtmlDocument) -> RawPrint:
        """Print one document on an empty page.

        SampleError "too_large", "too_many_pages", "no_words", "page_size", "unlabelled_text", "bad_role",
        "print_timeout" or "print_failed", FontError "missing_glyphs", "font_fallback", "broken_cluster" or
        "lost_joiner" (synth/render/preflight.py), all of stage "print".
        """
        if len(doc.html) > MAX_HTML_BYTES:
            raise SampleError("too_large", "print", f"{len(doc.html)} characters of HTML, at most {MAX_HTML_BYTES}")
        if (tags := doc.html.count("<")) > 2 * MAX_NODES:
            raise SampleError("too_large", "print", f"{tags} tags, at most {2 * MAX_NODES}")
        late = threading.Event()
        watchdog = threading.Timer(DOCUMENT_S, self._kill, [late])
        watchdog.start()
        page: Page | None = None
        self._clean = False
        try:
            page = self._take_page()
            return self._print(page, doc)
        except PlaywrightError as error:
            self._pages.forget()
            reason = "print_timeout" if late.is_set() or "Timeout" in error.message else "print_failed"
            raise SampleError(reason, "print", error.message.splitlines()[0][:200]) from error
        finally:
            watchdog.cancel()
            if page is not None:
                self._pages.give_back(page, self._clean)

    def _take_page(self) -> Page:
        """An empty page, of a new browser if the old one has died since the last document."""
        try:
            return self._pages.take(self._browser)
        except PlaywrightError:
            self._pages.forget()
            with contextlib.suppress(PlaywrightError):
                self._browser.close()
            self._start()
            return self._pages.take(self._browser)

    def _print(self, page: Page, doc: HtmlDocument) -> RawPrint:
        width, height = doc.page.width_mm, doc.page.height_mm
        window: ViewportSize = {"width": round(width * PX_PER_MM), "height": WINDOW_PX}
        if page.viewport_size != window:
            page.set_viewport_size(window)
        page.set_content(doc.html, wait_until="domcontentloaded", timeout=LOAD_S * 1000)
        paper = None if height is None else f"@page{{size:{width}mm {height}mm}}"
        nodes, clean = page.evaluate(_LAY_OUT, {"most": MAX_NODES, "paper": paper})
        if nodes > MAX_NODES:
            raise SampleError("too_large", "print", f"{nodes} elements, at most {MAX_NODES}")
        page.wait_for_load_state("load", timeout=LOAD_S * 1000)
        seen = self._with_fonts(page, doc)
        content_px = seen.height
        if height is None:
            pdf = self._roll(page, width, content_px / PX_PER_MM)
        else:
            if content_px > (MAX_PAGES + 5) * height * PX_PER_MM:
                raise SampleError("too_many_pages", "print", f"content {content_px / PX_PER_MM:.0f} mm long")
            pdf = self._pdf(page)
        _check_pages(pdf, doc.page)
        made = generated(page) if seen.generated else {}
        painted, glyphs, snapshot = self._probe(page, doc.language, (), made)
        broken = broken_words(snapshot, glyphs)
        if broken:
            painted, glyphs, snapshot = self._probe(page, doc.language, broken, made)
        clusters = None
        if doc.label_characters:
            _, finer, by_cluster = self._probe(page, doc.language, tuple(range(len(snapshot.words))), made)
            clusters = Clusters(by_cluster, finer)
        self._clean = clean and not seen.generated  # which are found by the accessibility tree
        return RawPrint(scrub(pdf), painted, glyphs, snapshot, self._preflight.families(seen.texts), clusters)

    def _with_fonts(self, page: Page, doc: HtmlDocument) -> Look:
        """What stands on the page, once its fonts draw all of it as written: changed where the document has spares."""
        first: list[Fault] = []
        for spare in (*doc.spare_fonts, None):
            seen = look(page, doc.page.width_mm * PX_PER_MM, doc.html)
            wrong = self._preflight.wrong(seen.texts)
            if not wrong:
                return seen
            first = first or self._preflight.faults(seen.texts)
            if spare is not None:
                change_fonts(page, wrong, spare)
        listed = "; ".join(str(fault) for fault in first[:5])
        raise FontError(first[0].reason, "print", listed, first[0].font, first[0].script)

    def _probe(
        self, page: Page, language: str, split: tuple[int, ...], made: Made
    ) -> tuple[bytes, tuple[PrintedPage, ...], Snapshot]:
        """Paint the words, those in `split` by grapheme cluster, and print again."""
        snapshot = paint_words(page, language, split, made)
        pdf = self._pdf(page, tagged=False)
        with pymupdf.open(stream=pdf, filetype="pdf") as document:
            return pdf, trace(document), snapshot

    def _roll(self, page: Page, width: float, height: float) -> bytes:
        """One page as long as the content. Layout rounds at print, so the length may need a little more."""
        if height > MAX_ROLL_MM:
            raise SampleError("too_many_pages", "print", f"roll of {height:.0f} mm, at most {MAX_ROLL_MM:.0f}")
        for extra in (0.3, 2.0, 6.0, 15.0):
            pdf = self._pdf(page, f"@page{{size:{width}mm {height + extra:.2f}mm;margin:0}}")
            if len(_sizes(pdf)) == 1:
                return pdf
        raise SampleError("page_size", "print", f"content of {height:.0f} mm does not fit one page of that length")

    def _pdf(self, page: Page, css: str | None = None, tagged: bool = True) -> bytes:
        if css is not None:
            page.evaluate(SET_PAGE, css)
        return slim(page.pdf(tagged=tagged, print_background=True, prefer_css_page_size=True))

    def _start(self) -> None:
        try:
            self._browser = self._playwright.chromium.launch(
                executable_path=self._staging.launcher,
                chromium_sandbox=self.sandboxed,
                args=list(FLAGS),
                env={**self._staging.environment},
                timeout=60_000,
            )
        except PlaywrightError as error:
            raise UserError(
                f"Chromium does not start: {error.message.splitlines()[0][:300]}",
                str(find_chromium()),
                "run it by hand with --version, or set execution.sandbox to off if all documents are your own",
            ) from error

    def _kill(self, late: threading.Event) -> None:
        """End a browser that does not answer; the call under way then fails."""
        late.set()
        with contextlib.suppress(OSError, ValueError):
            os.killpg(int(self._staging.pid_file.read_text()), signal.SIGKILL)


def _sizes(pdf: bytes) -> list[tuple[float, float]]:
    with pymupdf.open(stream=pdf, filetype="pdf") as document:
        return [(document[n].rect.width, document[n].rect.height) for n in range(document.page_count)]


def _check_pages(pdf: bytes, paper: PageSize) -> None:
    shadings = pdf.count(b"/ShadingType")
    if shadings > MAX_SHADINGS or len(pdf) > MAX_PDF_BYTES:
        raise SampleError("too_large", "print", f"a PDF of {len(pdf)} bytes with {shadings} gradients")
    sizes = _sizes(pdf)
    if len(sizes) > MAX_PAGES:
        raise SampleError("too_many_pages", "print", f"{len(sizes)} pages, at most {MAX_PAGES}")
    for width, height in sizes:
        off = abs(width - paper.width_mm * PT_PER_MM)
        if paper.height_mm is not None:
            off = max(off, abs(height - paper.height_mm * PT_PER_MM))
        if off > 1.5:  # Chromium rounds pages to whole pixels
            raise SampleError("page_size", "print", f"a page is {width:.0f} x {height:.0f} points, not {paper.name}")
