"""The page of an evaluation, opened in a real browser."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest

from jobs.evaluate import Choice, evaluate
from jobs.evaluate_crops import locate
from tests.fixtures.small_release import write_release
from tests.jobs.browser import opened
from tests.jobs.releases import HOSTILE

DOCUMENTS = 4
WIDTH_OF = """e => new Promise(done => {
  const image = new Image();
  image.onload = () => done(image.naturalWidth);
  image.src = e.href.baseVal;
})"""


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Answers with a fault of each kind, one of them hostile, and an unknown id."""
    folder = tmp_path_factory.mktemp("page")
    release = write_release(folder / "release", DOCUMENTS, questions=True)
    values = [
        {"total": "2026-11-30", "date": "2026-11-30"},  # the other field's value
        {"total": "$1.08", "date": "Receipt"},  # misread; from another place
        {"total": HOSTILE, "date": "2026-11-30"},  # not on the page
        {"total": "$3.00"},  # not answered
    ]
    rows = [{"track": "kie", "id": f"train-{at:08d}", "prediction": one} for at, one in enumerate(values)]
    boxes = [{"box": [60, 80, 210, 120], "role": "text", "score": 0.9}, {"box": [400, 700, 600, 800], "role": "stamp"}]
    rows += [{"track": "layout", "id": "train-00000000-p0", "prediction": boxes}]
    rows += [{"track": "text", "id": f"train-{at:08d}-p0", "prediction": "Receipt"} for at in range(2)]
    rows += [{"track": "line_order", "id": "train-00000001-p0", "prediction": [0, 2, 1]}]
    rows += [{"track": "kie", "id": "<b>nobody</b>", "prediction": {}}]
    file = folder / "model <i>x.jsonl"
    file.write_text("\n".join(map(json.dumps, rows)), "utf-8")
    _, out = evaluate(str(release), file, Choice(resamples=100))
    return out / "evaluation.html"


def test_it_shows_scores_groups_and_warnings(page: Path) -> None:
    with opened(page) as view:
        tracks = [row.split("\t") for row in view.locator("#tracks tbody tr").all_inner_texts()]
        assert [row[0].strip() for row in tracks] == [
            "Key information extraction", "Layout", "Reading order of lines", "Text of the page",
        ]  # fmt: skip
        assert tracks[0][2].strip() == "40.0"  # 3 right, 4 wrong, 5 missed of 8
        assert "<b>nobody</b>" in view.locator(".warnings").inner_text()
        assert "model <i>x.jsonl" in view.locator("h1").inner_text()
        assert view.locator("#kie summary").all_inner_texts()[0].startswith("By split")
        meter = view.locator("#tracks .meter i").first
        whole = view.locator("#tracks .meter").first.bounding_box()
        bar = meter.bounding_box()
        assert bar and whole and bar["width"] / whole["width"] == pytest.approx(0.4, abs=0.01)
        headings = [int(n[1]) for n in view.evaluate("[...document.querySelectorAll('h1,h2,h3')].map(e => e.tagName)")]
        assert headings[0] == 1 and all(later - earlier <= 1 for earlier, later in pairwise(headings))


def test_the_gallery_draws_truth_and_prediction_and_can_be_narrowed(page: Path) -> None:
    with opened(page) as view:
        cards = view.locator(".gallery li")
        total = cards.count()
        kinds = set(view.evaluate("[...document.querySelectorAll('.gallery li')].map(e => e.dataset.kind)"))
        assert kinds == {"perception", "layout", "interpretation", "hallucination", "omission"}
        view.select_option("#by-track", "kie")
        view.select_option("#by-kind", "interpretation")
        shown = view.locator(".gallery li:not([hidden])")
        assert shown.count() == 1 and view.locator("#count").inner_text() == "1 shown"
        assert shown.locator("dd").all_inner_texts() == ["$0.00", "2026-11-30"]
        # The truth is drawn at the field's place, the prediction where its words stand.
        truth, said = shown.locator("rect.truth"), shown.locator("rect.said")
        assert [float(truth.get_attribute(k) or 0) for k in ("x", "y", "width", "height")] == [240, 200, 150, 40]
        assert [float(said.get_attribute(k) or 0) for k in ("x", "y", "width", "height")] == [240, 320, 150, 40]
        box, crop = truth.bounding_box(), shown.locator("svg").bounding_box()
        assert box and crop and crop["x"] <= box["x"] and box["x"] + box["width"] <= crop["x"] + crop["width"]
        assert view.evaluate(
            "[...document.querySelectorAll('.gallery image')].every(e => e.href.baseVal.startsWith('data:'))"
        )
        assert shown.locator("image").evaluate(WIDTH_OF) > 100
        view.select_option("#by-track", "")
        view.select_option("#by-kind", "")
        assert view.locator(".gallery li:not([hidden])").count() == total
        unnamed = view.evaluate("[...document.querySelectorAll('select')].filter(e => !e.labels?.length).length")
        assert unnamed == 0


def test_it_fits_a_phone_and_the_dark(page: Path) -> None:
    with opened(page, 360, 740) as view:
        view.emulate_media(color_scheme="dark")
        assert view.evaluate("document.documentElement.scrollWidth") <= 360
        box = view.locator(".gallery svg").first.bounding_box()
        assert box and 250 < box["width"] <= 360


def test_text_of_the_predictions_is_only_text(page: Path) -> None:
    html = page.read_text("utf-8")
    assert HOSTILE not in html and "&lt;script&gt;" in html
    assert re.findall(r'(?:src|href)="(?!data:|#)[^"]*"', html) == []


def test_without_a_gallery_there_are_no_pictures(page: Path, tmp_path: Path) -> None:
    folder = page.parent.parent
    [file] = folder.glob("*.jsonl")
    _, out = evaluate(str(folder / "release"), file, Choice(resamples=0, shown=0), tmp_path / "out")
    html = (out / "evaluation.html").read_text("utf-8")
    assert "<image" not in html and len(html) < 60_000
    with opened(out / "evaluation.html") as view:
        assert view.locator("#errors").count() == 0


def test_the_same_result_gives_the_same_page(page: Path, tmp_path: Path) -> None:
    folder = page.parent.parent
    [file] = folder.glob("*.jsonl")
    _, out = evaluate(str(folder / "release"), file, Choice(resamples=100), tmp_path / "out")
    assert (out / "evaluation.html").read_bytes() == page.read_bytes()


def test_words_are_located_line_by_line() -> None:
    words = [
        {"text": text, "order": at, "line_id": line, "box": [10 * at, 20 * line, 10 * at + 9, 20 * line + 15]}
        for at, (text, line) in enumerate([("Total", 0), ("due", 0), ("12", 1), ("Long", 1), ("Street", 2), ("12", 2)])
    ]
    assert locate("total DUE", words) == [(0, 0, 19, 15)]
    assert locate("Long Street", words) == [(30, 20, 39, 35), (40, 40, 49, 55)]
    assert locate("1", words) == locate("otal", words) == locate("", words) == locate("nothing", words) == []
