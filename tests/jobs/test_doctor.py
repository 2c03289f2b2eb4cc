from __future__ import annotations

import os
import subprocess
import sys
import uuid
from pathlib import Path

import pytest

from jobs import doctor
from tests.fixtures.s3 import S3Server
from tests.fixtures.swift import SwiftServer


@pytest.fixture(scope="module")
def findings() -> dict[str, doctor.Finding]:
    return {finding.name: finding for finding in doctor.check()}


def test_this_machine_has_what_a_run_needs(findings: dict[str, doctor.Finding]) -> None:
    lacking = [f"{f.name}: {f.says} -> {f.fix}" for f in findings.values() if f.needed and not f.ok]
    assert lacking == []
    assert {"browser", "fonts en", "fonts zh", "fonts bn", "tesseract", "OCR weights", "Blender", "Ray"} <= set(
        findings
    )
    assert "Chromium" in findings["browser"].says
    assert findings["Blender"].says[0].isdigit()


def test_every_lack_comes_with_its_fix(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """A machine with no programs on its path and another interpreter's packages."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("PAGELOOM_CHROMIUM", raising=False)
    monkeypatch.setattr(doctor.sys, "executable", str(_empty_python(tmp_path)))
    found = {finding.name: finding for finding in doctor.check()}
    for name in ("browser", "tesseract", "Blender", "OpenCV", "PaddleOCR", "Ray"):
        assert not found[name].ok and found[name].needed, name
        assert "install" in found[name].fix, name
    assert "chromium-headless-shell" in found["browser"].fix
    assert "bpy" in found["Blender"].says


def _empty_python(folder: Path) -> Path:
    launcher = folder / "python"
    launcher.write_text(f'#!/bin/sh\nexec "{sys.executable}" -I -S "$@"\n')
    launcher.chmod(0o755)
    return launcher


def test_exit_code_and_words(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    good = doctor.Finding("one", True, "fine")
    note = doctor.Finding("two", False, "meagre", "buy more", needed=False)
    bad = doctor.Finding("three", False, "absent", "apt-get install three")
    monkeypatch.setattr(doctor, "check", lambda out: [good, note])
    assert doctor.main() == 0
    assert "nothing needed is missing" in capsys.readouterr().out
    monkeypatch.setattr(doctor, "check", lambda out: [good, note, bad])
    assert doctor.main() == 2
    said = capsys.readouterr().out
    assert "apt-get install three" in said and "missing: three\n" in said


def test_output_folder_is_written_and_left_empty(tmp_path: Path) -> None:
    finding = doctor._output(str(tmp_path))
    assert finding.ok and [p for p in tmp_path.rglob("*") if p.is_file()] == []


def test_output_that_cannot_be_used(moto: S3Server, monkeypatch: pytest.MonkeyPatch) -> None:
    moto.use(monkeypatch)
    url = f"s3://missing-{uuid.uuid4().hex}/x"
    [finding] = doctor._look([("output", lambda: doctor._output(url))])
    assert not finding.ok and finding.needed and "no bucket" in finding.says and finding.fix


def test_output_whose_races_have_two_winners_is_noted(swift: SwiftServer, monkeypatch: pytest.MonkeyPatch) -> None:
    swift.s3.use(monkeypatch)
    bucket = f"b{uuid.uuid4().hex}"
    swift.s3.create_bucket(bucket)
    finding = doctor._output(f"s3://{bucket}/x")
    assert not finding.ok and not finding.needed and "both won" in finding.says


def test_the_command_runs(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "jobs.cli", "doctor", "--out", f"{tmp_path}/file/x"]
    (tmp_path / "file").write_text("")
    done = subprocess.run(command, capture_output=True, text=True, env=os.environ | {"COLUMNS": "200"})
    assert done.returncode == 2, done.stderr
    assert "missing: output" in done.stdout and "Traceback" not in done.stderr
