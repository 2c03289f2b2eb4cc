"""The report's section on labels: what every document passed, and the last audit of this very release."""

from __future__ import annotations

import re
from dataclasses import asdict, replace
from pathlib import Path

from engine.store import Store, open_store
from jobs.release_report import last_audit
from jobs.report import render
from jobs.report_figures import label_checks
from schemas.checks import LabelChecks
from schemas.release import AUDIT_KEY, AuditRecord
from synth.audit.document import Findings
from synth.extract.readings import Reading
from tests.jobs.releases import release

FOUND = asdict(Findings(documents=2, words=40, words_within_1=38, words_within_2=40, words_without_ink=1))


def record(digest: str) -> AuditRecord:
    read = {"Bengali": {"PyMuPDF": asdict(Reading(pages=2, exact=1, characters=40, edits=3, lost=0, added=3))}}
    return AuditRecord(
        release=digest, total=FOUND, cells={"form/en": FOUND}, failed=["words without ink"], extractors=read
    )


def test_counts_shares_and_faults() -> None:
    rows = {said: row for said, *row in label_checks(LabelChecks(words=50, tags_agree=49).counts(), record("x"))}
    assert rows["Words"] == [50, None, False]
    assert rows["Words that the PDF's tags bind as the probe print does"] == [49, 0.98, False]
    assert rows["Ink box within 1 px of the ink on all sides"] == [38, 0.95, False]
    assert rows["Words without ink"] == [1, 0.025, True]
    assert rows["Children outside their parent"] == [0, 0.0, False]
    assert label_checks({}, None) == []


def test_the_report_has_them_and_says_what_failed() -> None:
    made = release([("form", "en")], per_cell=1)
    assert 'id="labels"' not in render(made)
    manifest = made.manifest.model_copy(update={"checks": LabelChecks(words=50, tags_agree=50).counts()})
    html = render(replace(made, manifest=manifest, audit=record(manifest.digest)))
    section = re.findall(r'<section id="labels".*?</section>', html, re.DOTALL)[0]
    assert "2 documents, printed again" in section and "not held: words without ink" in section
    assert section.count("(fault)") == 1
    row = re.findall(r"<tr><th[^>]*>Bengali</th>.*?</tr>", section)[0]
    assert re.findall(r"<td[^>]*>([^<]*)</td>", row) == ["PyMuPDF", "2", "1", "40", "0.00 %", "7.50 %"]


def test_only_an_audit_of_this_release_counts(tmp_path: Path) -> None:
    store: Store = open_store(tmp_path)
    manifest = release([("form", "en")], per_cell=1).manifest
    assert last_audit(store, manifest) is None
    store.put(AUDIT_KEY, record("another").to_bytes())
    assert last_audit(store, manifest) is None
    store.put(AUDIT_KEY, record(manifest.digest).to_bytes())
    assert last_audit(store, manifest) == record(manifest.digest)
    store.put(AUDIT_KEY, b"{")
    assert last_audit(store, manifest) is None
