"""Prints by a real Chromium: same bytes everywhere, hostile HTML harmless, nothing left behind."""

from __future__ import annotations

import hashlib
import io
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pikepdf
import psutil
import pymupdf
import pytest
from playwright.sync_api import Page

from schemas.errors import SampleError, UserError
from schemas.recipe import PAPERS
from schemas.sample import HtmlDocument
from synth.render import chromium as module
from synth.render import pages
from synth.render.chromium import Chromium
from synth.render.fonts import FontSet, font_set
from synth.render.raw import RawPrint
from synth.render.staging import PREFIX, can_isolate
from tests.synth.render.printing import ROLL, document, page_of

ROOT = Path(__file__).parents[3]
isolating = pytest.mark.skipif(not can_isolate(), reason="this kernel gives no namespaces to unprivileged users")

PRINT = """
import hashlib, sys, pymupdf
from synth.render.chromium import Chromium
from synth.render.fonts import font_set
from tests.synth.render.printing import page_of
with Chromium(font_set(["en", "zh", "bn"])) as browser:
    print(browser._staging.root, browser._staging.pid_file.read_text().strip(), flush=True)
    for language in ("bn", "zh", "en"):
        print(hashlib.sha256(browser.print(page_of(language)).pdf).hexdigest(), flush=True)
    sys.stdin.readline()
"""


def refusal(chromium: Chromium, html: str, **more: object) -> SampleError:
    with pytest.raises(SampleError) as caught:
        chromium.print(document(html, **more))  # type: ignore[arg-type]
    return caught.value


def other_process(cwd: Path) -> subprocess.Popen[str]:
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    return subprocess.Popen(
        [sys.executable, "-c", PRINT], cwd=cwd, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def test_bytes_are_the_same_in_another_process_folder_and_second(chromium: Chromium, tmp_path: Path) -> None:
    here = [hashlib.sha256(chromium.print(page_of(lang)).pdf).hexdigest() for lang in ("bn", "zh", "en")]
    out, _ = other_process(tmp_path).communicate("\n", timeout=120)
    assert out.split()[2:] == here


def test_a_killed_process_leaves_no_browser_and_its_folder_is_swept(fonts: FontSet, tmp_path: Path) -> None:
    process = other_process(tmp_path)
    assert process.stdout and process.stdin
    root, pid = process.stdout.readline().split()
    process.stdout.readline()
    browser = psutil.Process(int(pid))
    family = [browser, *browser.children(recursive=True)]
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    process.stdin.close()
    process.stdout.close()
    _, alive = psutil.wait_procs(family, timeout=20)
    assert alive == []
    Chromium(fonts).close()  # or that of another test beside this one
    assert not Path(root).exists()


def test_close_ends_all_processes_and_removes_the_folder(fonts: FontSet) -> None:
    with Chromium(fonts) as browser:
        folder = browser._staging.root
        pid = int(browser._staging.pid_file.read_text())
        family = [psutil.Process(pid), *psutil.Process(pid).children(recursive=True)]
        assert folder.name.startswith(PREFIX) and len(family) > 1
    browser.close()
    assert psutil.wait_procs(family, timeout=10)[1] == []
    assert not folder.exists()


def test_the_released_pdf_is_tagged_and_tells_no_date(chromium: Chromium) -> None:
    pdf = chromium.print(page_of("en")).pdf
    with pymupdf.open(stream=pdf, filetype="pdf") as opened:
        told = opened.metadata or {}
        assert not any(told[key] for key in ("creationDate", "modDate", "producer", "creator"))
        assert "StructTreeRoot" in opened.xref_object(opened.pdf_catalog())


@isolating
def test_the_browser_is_nobody_in_its_sandbox_without_a_network(fonts: FontSet) -> None:
    with Chromium(fonts, "require") as browser:
        assert browser.sandboxed
        page = browser._browser.new_page()
        page.set_content("<p>x")
        root = psutil.Process(int(browser._staging.pid_file.read_text()))
        family = [root, *root.children(recursive=True)]
        renderers = [p for p in family if "--type=renderer" in p.cmdline()]
        assert renderers and not any("--no-sandbox" in p.cmdline() for p in family)
        for process in family:
            assert process.uids().real == (65534 if os.geteuid() == 0 else os.geteuid())
            assert Path(f"/proc/{process.pid}/ns/net").readlink() != Path("/proc/self/ns/net").readlink()
        for process in renderers:
            assert "Seccomp:\t2" in Path(f"/proc/{process.pid}/status").read_text()
        assert "SSH_AUTH_SOCK" not in root.environ() and "FONTCONFIG_FILE" in root.environ()


def test_no_environment_variable_of_ours_reaches_the_browser(fonts: FontSet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "not for renderers")
    with Chromium(fonts) as browser:
        assert "AWS_SECRET_ACCESS_KEY" not in psutil.Process(int(browser._staging.pid_file.read_text())).environ()


def test_require_is_refused_where_the_kernel_has_no_sandbox(fonts: FontSet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "can_isolate", lambda: False)
    with pytest.raises(UserError, match="sandbox"):
        Chromium(fonts, "require")
    with Chromium(fonts, "auto") as browser:
        assert not browser.sandboxed and browser.print(document("<p>x")).pdf


def test_no_browser_is_one_line_with_a_fix(fonts: FontSet, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PAGELOOM_CHROMIUM", str(tmp_path / "none"))
    with pytest.raises(UserError, match="is not a program"):
        Chromium(fonts)
    monkeypatch.delenv("PAGELOOM_CHROMIUM")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(UserError, match="apt-get install chromium-headless-shell"):
        Chromium(fonts)
    (tmp_path / "broken").write_text("#!/bin/sh\nexit 3\n")
    (tmp_path / "broken").chmod(0o755)
    monkeypatch.undo()
    monkeypatch.setenv("PAGELOOM_CHROMIUM", str(tmp_path / "broken"))
    # Its own folder for what is temporary: browsers of other test processes come and go in the usual one.
    own = Path(tempfile.mkdtemp(prefix="pageloom-test-"))
    own.chmod(0o755)
    monkeypatch.setattr(tempfile, "tempdir", str(own))
    with pytest.raises(UserError, match="does not start"):
        Chromium(fonts, "off")
    own.rmdir()  # nothing was left in it


@pytest.fixture
def visitors() -> Iterator[tuple[str, list[str]]]:
    """A server on loopback and the paths it was asked for."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            asked.append(self.path)
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"<p>FROM THE NETWORK")

        def log_message(self, format: str, *args: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}", asked
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize(
    "html",
    [
        "<script>document.body.innerHTML='SCRIPTED';fetch('{url}/fetch')</script>",
        "<img src='{url}/image' onerror=\"document.body.innerHTML='SCRIPTED'\"><img src='{file}'>",
        "<link rel=stylesheet href='{url}/css'><style>@import '{url}/import';p{{background:url({url}/bg)}}</style>",
        "<style>@font-face{{font-family:f;src:url({url}/font)}}@font-face{{font-family:g;src:url({file})}}"
        "p{{font-family:f,g,serif}}</style>",
        "<link rel=preconnect href='{url}'><link rel=prefetch href='{url}/pre'><base href='{url}'><img src=relative>",
        "<svg width=10 height=10><image href='{url}/svg'/><use href='{url}/use#a'/></svg>",
        "<p style='mask:url({url}/m#a);clip-path:url({url}/c#a);filter:url({url}/f#a)'></p>",
        "<ul style='list-style-image:url({url}/l);cursor:url({url}/c),auto'><li style='border-image:url({url})'></ul>",
    ],
)
def test_hostile_html_reaches_nothing(
    chromium: Chromium, visitors: tuple[str, list[str]], tmp_path: Path, html: str
) -> None:
    url, asked = visitors
    secret = tmp_path / "secret.txt"
    secret.write_text("SECRET")
    raw = chromium.print(document("<p>harmless</p>" + html.format(url=url, file=secret.as_uri())))
    with pymupdf.open(stream=raw.pdf, filetype="pdf") as opened:
        assert str(opened[0].get_text()).split() == ["harmless"]
    assert asked == []


@pytest.mark.parametrize(
    "tag", ["iframe src={0}", "object data={0}", "embed src={0}", "iframe srcdoc=hello", "audio controls src={0}"]
)
def test_frames_are_refused_and_stay_empty(chromium: Chromium, visitors: tuple[str, list[str]], tag: str) -> None:
    url, asked = visitors
    assert refusal(chromium, f"<p>x</p><{tag.format(url)}>").reason == "unlabelled_text"
    assert refusal(chromium, f"<p>x</p><{tag.format('file:///etc/passwd')}>").reason == "unlabelled_text"
    assert asked == []


def test_a_page_that_leaves_is_refused_or_printed_as_it_was(
    chromium: Chromium, visitors: tuple[str, list[str]]
) -> None:
    url, asked = visitors
    for target in (url, "file:///etc/passwd"):
        try:
            raw = chromium.print(document(f"<meta http-equiv=refresh content='0;url={target}'><p>stays</p>"))
        except SampleError as error:
            assert error.stage == "print"
        else:
            assert [w.text for w in raw.snapshot.words] == ["stays"]
    assert asked == []


@pytest.mark.parametrize("what", ["<input type=password value=x>", "<math><mi>x</mi></math>"])
def test_text_that_cannot_be_labelled_is_refused(chromium: Chromium, what: str) -> None:
    assert refusal(chromium, f"<p>x</p>{what}").reason == "unlabelled_text"


def test_limits(chromium: Chromium, monkeypatch: pytest.MonkeyPatch) -> None:
    assert refusal(chromium, "<p>x</p>" * 20_000).reason == "too_many_pages"
    assert refusal(chromium, "<p style='height:99999999px'>x").reason == "too_many_pages"
    assert refusal(chromium, "<p style='height:9999999px'>x", page=ROLL).reason == "too_many_pages"
    columns = "<p style='break-after:page;margin:0;font-size:1px;line-height:1'>x</p>" * 60
    assert refusal(chromium, columns).reason == "too_many_pages"
    monkeypatch.setattr(module, "MAX_HTML_BYTES", 100)
    assert refusal(chromium, "<p>" + "x" * 100).reason == "too_large"


def test_no_text_other_paper_and_unknown_roles_are_refused(chromium: Chromium) -> None:
    assert refusal(chromium, "<img src='data:image/png;base64,'>").reason == "no_words"
    assert refusal(chromium, "").reason == "no_words"
    assert refusal(chromium, "<p data-role=nonsense>x").reason == "bad_role"
    assert refusal(chromium, "<style>@page{size:A3 !important}</style><p>x").reason == "page_size"


def test_missing_glyphs_are_refused_never_drawn_as_boxes(chromium: Chromium) -> None:
    error = refusal(chromium, "<p>fine ᠠ</p>")
    assert (error.reason, error.stage) == ("missing_glyphs", "print") and "U+1820" in error.detail


def fonts_of(pdf: bytes) -> set[str]:
    with pymupdf.open(stream=pdf, filetype="pdf") as opened:
        return {font[3].split("+")[-1] for font in opened.get_page_fonts(0)} - {""}


@pytest.mark.parametrize(
    ("family", "drawn"),
    [
        ("'Liberation Mono'", "LiberationMono"),
        ("'Times New Roman'", "NotoSerif-Regular"),
        ("NotInstalled, sans-serif", "NotoSans-Regular"),
        ("monospace", "DejaVuSansMono"),
    ],
)
def test_named_and_generic_families_are_drawn_with_locked_fonts(chromium: Chromium, family: str, drawn: str) -> None:
    assert fonts_of(chromium.print(document(f'<p style="font-family:{family}">latin')).pdf) == {drawn}


def test_no_font_but_the_locked_ones_is_drawn_with(chromium: Chromium) -> None:
    only_english = font_set(["en"])
    with Chromium(only_english) as browser, pytest.raises(SampleError, match="U\\+6587"):
        browser.print(document("<p>文"))
    assert refusal(chromium, "<p style='font-family:Likhan'>বাংলা").reason == "font_fallback"  # there, but not locked
    loose = document("<p style='font-family:Likhan,serif'>বাংলা")
    assert not any("Likhan" in name for name in fonts_of(chromium.print(loose).pdf))


def test_a_browser_that_does_not_answer_is_killed_and_started_again(
    fonts: FontSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Chromium(fonts) as browser:
        browser.print(document("<p>one"))
        pid = int(browser._staging.pid_file.read_text())
        real_print = Chromium._print

        def hang(self: Chromium, page: Page, doc: HtmlDocument) -> RawPrint:
            os.killpg(pid, signal.SIGSTOP)  # as a renderer does that never ends its layout
            return real_print(self, page, doc)

        monkeypatch.setattr(module, "DOCUMENT_S", 1.0)
        monkeypatch.setattr(Chromium, "_print", hang)
        assert refusal(browser, "<p>two").reason == "print_timeout"
        assert psutil.wait_procs([psutil.Process(pid)] if psutil.pid_exists(pid) else [], timeout=5)[1] == []
        monkeypatch.undo()
        assert browser.print(document("<p>three")).snapshot.words[0].text == "three"
        assert browser.sandboxed == can_isolate()


def test_a_browser_that_crashed_between_documents_harms_none(fonts: FontSet) -> None:
    with Chromium(fonts) as browser:
        browser.print(document("<p>one"))
        os.killpg(int(browser._staging.pid_file.read_text()), signal.SIGKILL)
        assert browser.print(document("<p>two")).snapshot.words[0].text == "two"


def test_a_document_prints_the_same_after_any_others(fonts: FontSet, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "RENEW_AFTER", 3)
    with Chromium(fonts) as browser, Chromium(fonts) as other:  # two at once in one thread
        first = browser.print(page_of("bn"))
        for language in ("zh", "en", "bn", "en", "zh"):
            browser.print(page_of(language))
        for again in (browser.print(page_of("bn")), other.print(page_of("bn"))):
            assert (again.pdf, again.probe, again.snapshot) == (first.pdf, first.probe, first.snapshot)
        assert len(browser._browser.contexts) == 1


def test_paper_is_as_asked(chromium: Chromium) -> None:
    for paper in PAPERS.values():
        html = "<style>@page{size:A3;margin:10mm}</style><p>x"
        with pymupdf.open(stream=chromium.print(document(html, page=paper)).pdf, filetype="pdf") as opened:
            assert abs(opened[0].rect.width - paper.width_mm * 72 / 25.4) < 1


def test_table_heads_have_the_same_names_after_any_documents(fonts: FontSet) -> None:
    table = "<table><tr><th>a<th>b<tr><td>1<td>2</table>"
    with Chromium(fonts) as browser:
        first = browser.print(document(table)).pdf
        browser.print(document(f"<p>some</p><div>more</div>{table}{table}"))
        assert browser.print(document(table)).pdf == first
    with pikepdf.open(io.BytesIO(first)) as opened:
        names = [bytes(o.ID) for o in opened.objects if isinstance(o, pikepdf.Dictionary) and "/ID" in o]
    assert sorted(names) == [b"node00000001", b"node00000002"]


def test_playwright_leaves_its_folders_in_ours(fonts: FontSet, monkeypatch: pytest.MonkeyPatch) -> None:
    scratch = Path(tempfile.mkdtemp())  # short, and open to the browser's own user
    scratch.chmod(0o755)
    monkeypatch.setenv("TMPDIR", str(scratch))
    monkeypatch.setattr("tempfile.tempdir", None)
    seen: list[str] = []

    def look() -> None:
        with Chromium(fonts) as browser:
            browser.print(document("<p>x</p>"))
            seen.extend(path.name for path in scratch.iterdir())

    other = threading.Thread(target=look)  # this thread has a driver already
    other.start()
    other.join()
    assert seen and all(name.startswith("pageloom-browser-") for name in seen)
    assert list(scratch.iterdir()) == []
    scratch.rmdir()
