"""`pageloom predict` against scripted endpoints: pictures that are really sent, faults, budget, resume, keys."""

from __future__ import annotations

import hashlib
import io
import json
import logging
from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import pyarrow.parquet as pq
import pytest
import ray

from engine.store import open_store
from jobs.costs import costs_of
from jobs.predict import Predicted, Wanted, ledger_of, predict
from schemas.errors import UserError
from schemas.llm import LlmSettings
from synth.llm.pictures import MAX_PIXELS
from synth.llm.tracks import Asking
from synth.score.answer import Prediction
from synth.score.kie import Kie
from synth.score.track import answer_of
from tests.fixtures.llm_endpoint import Answer, Script, ScriptedEndpoint, faulty, good, llm_endpoint, pictures_of
from tests.fixtures.small_release import value_of, write_release
from tests.jobs.said import Pageloom

DOCUMENTS = 20


@pytest.fixture(scope="module", autouse=True)
def one_ray() -> Iterator[None]:
    """One local Ray for all tests here: `predict` leaves one that is there as it is."""
    ray.shutdown()  # what other tests may have left
    ray.init(address="local", num_cpus=8, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    yield
    ray.shutdown()


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_release(tmp_path_factory.mktemp("release"), DOCUMENTS, questions=True)


def settings(endpoint: ScriptedEndpoint, in_flight: int = 4, **more: Any) -> LlmSettings:
    one = {"name": "e", "base_url": endpoint.base_url}
    policy = {"in_flight": in_flight, "deadline_s": 30, "attempt_s": 1.0, "backoff_s": 0.05, "max_answer_bytes": 10**6}
    return LlmSettings.model_validate({"endpoints": [one], "policy": policy, **more})


def lines(out: Path) -> list[dict[str, Any]]:
    found = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
    assert [Prediction.model_validate(line).id for line in found] == sorted({line["id"] for line in found})
    return found


def run(release: Path, out: Path, llm: LlmSettings | None, track: Any = "kie", **more: Any) -> Predicted:
    asking = {k: more.pop(k) for k in ("constrained", "steps", "see", "max_tokens", "max_pixels") if k in more}
    return predict(str(release), out, Wanted(track, Asking("m", **asking), llm, **more), lambda line: None)


def sighted(release: Path) -> Script:
    """Answers from the picture that was sent, known by its bytes: one that is not sent, or another's, is no answer."""
    known: dict[str, str] = {}
    store = open_store(release)
    for key in store.list("pages/"):
        for row in pq.read_table(io.BytesIO(store.get(key))).to_pylist():
            known[hashlib.sha256(row["image"]["bytes"]).hexdigest()] = value_of(int(row["document_id"][-8:]))

    def script(body: dict[str, Any], earlier: int) -> Answer:
        (picture,) = pictures_of(body)
        total = known[hashlib.sha256(picture).hexdigest()]
        found = {"answer": total} if "Question:" in str(body) else {"total": total, "date": "2026-11-30"}
        return Answer(json.dumps(found))

    return script


@pytest.mark.parametrize("track", ["kie", "qa"])
@pytest.mark.parametrize("constrained", [True, False])
def test_a_vision_model_sees_each_picture(release: Path, tmp_path: Path, track: str, constrained: bool) -> None:
    out = tmp_path / "p.jsonl"
    with llm_endpoint(sighted(release), 0.05) as endpoint:
        result = run(release, out, settings(endpoint), track, constrained=constrained)
        assert endpoint.served == DOCUMENTS == result.asked and endpoint.peak == 4
        formats = {("response_format" in call.body, call.body["temperature"]) for call in endpoint.calls}
        assert formats == {(constrained, 0.0)}
    found = lines(out)
    assert len(found) == DOCUMENTS and result.statuses == {"ok": DOCUMENTS}
    for number, line in enumerate(found):
        if track == "kie":
            answer = answer_of(Kie(), Prediction.model_validate(line))
            assert answer.status == "answered" and answer.value == {"total": value_of(number), "date": "2026-11-30"}
        else:
            assert (line["id"], line["prediction"]) == (f"train-{number:08d}-q0", value_of(number))


def test_pictures_are_scaled_to_the_limit_and_boxes_back(release: Path, tmp_path: Path) -> None:
    def script(body: dict[str, Any], earlier: int) -> Answer:
        (picture,) = pictures_of(body)
        height, width = cv2.imdecode(np.frombuffer(picture, np.uint8), cv2.IMREAD_COLOR).shape[:2]
        assert 0.95 * 100_000 < width * height <= 100_000
        assert f"{width} pixels wide and {height} pixels high" in str(body), "the model is told the size it sees"
        return Answer(json.dumps({"blocks": [{"role": "title", "box": [0, 0, width, height], "score": 1}]}))

    out = tmp_path / "p.jsonl"
    with llm_endpoint(script) as endpoint:
        run(release, out, settings(endpoint), "layout", max_pixels=100_000, sample=3)
    for line in lines(out):
        assert line["prediction"] == [{"role": "title", "box": [0, 0, 620.0, 877.0], "score": 1}]
    assert MAX_PIXELS > 620 * 877, "by default these pictures are small enough to go as they are"


def test_chain_of_thought_and_text_only(release: Path, tmp_path: Path) -> None:
    def script(body: dict[str, Any], earlier: int) -> Answer:
        assert not pictures_of(body) and "Receipt\nTotal:" in str(body["messages"][0]["content"])
        value = {"total": "1", "date": "2"}
        if "response_format" in body:
            return Answer(json.dumps({"reasoning": "as {one} sees", "answer": value}))
        return Answer(f'It could be {{"total": "9", "date": "9"}}, but no.\n```json\n{json.dumps(value)}\n```')

    with llm_endpoint(script) as endpoint:
        for constrained in (True, False):
            out = tmp_path / f"{constrained}.jsonl"
            run(release, out, settings(endpoint), see="text", steps=True, constrained=constrained, sample=4)
            assert [line["prediction"] for line in lines(out)] == [{"total": "1", "date": "2"}] * 4


def test_a_faulty_endpoint_loses_and_doubles_nothing(release: Path, tmp_path: Path) -> None:
    out = tmp_path / "p.jsonl"
    with llm_endpoint(faulty, 0.02) as endpoint:
        result = run(release, out, settings(endpoint, 6), "qa", constrained=True)
        assert result.asked == DOCUMENTS and result.failed == 0 and endpoint.peak <= 6
        assert endpoint.served == sum(endpoint.seen.values()) >= DOCUMENTS == len(endpoint.seen)
        first, served = out.read_bytes(), endpoint.served
        again = run(release, out, settings(endpoint, 6), "qa", constrained=True)
        assert (again.asked, again.replayed, endpoint.served) == (0, DOCUMENTS, served)
        assert out.read_bytes() == first, "from the ledger it is the same file"
    found = lines(out)
    assert len(found) == DOCUMENTS and len({line["meta"]["status"] for line in found}) >= 5
    for line in found:
        status = line["meta"]["status"]
        if status == "refused":
            assert line["refused"] and line["reply"], "with what was said"
        elif status in ("length", "too_large"):
            assert line["failed"] and line["meta"]["reply"], "with the text as far as it came"
        elif status == "empty":
            assert not line["reply"].strip()
        else:
            assert "prediction" in line
    offline = run(release, tmp_path / "p.jsonl", None, "qa", constrained=True)
    assert offline.replayed == DOCUMENTS and out.read_bytes() == first


def test_a_budget_stops_before_its_limit_and_more_of_it_pays_only_the_rest(release: Path, tmp_path: Path) -> None:
    out = tmp_path / "p.jsonl"
    prices = {"m": {"input": "2", "output": "8"}}
    with llm_endpoint() as endpoint:
        llm = settings(endpoint, prices=prices)
        options: dict[str, Any] = {"see": "text", "max_tokens": 50}
        with pytest.raises(UserError, match=r"stopped before the limit: \d+ of 3500 tokens spent"):
            run(release, out, llm, budget_tokens=3500, **options)
        first, paid = endpoint.served, endpoint.tokens
        assert 0 < first < DOCUMENTS and 1500 < paid <= 3500 and not out.exists()
        result = run(release, out, llm, budget_tokens=10**6, **options)
        assert (result.replayed, result.asked) == (first, DOCUMENTS - first) and endpoint.served == DOCUMENTS
        assert result.tokens == endpoint.tokens and len(lines(out)) == DOCUMENTS
        costs = costs_of(open_store(ledger_of(out)))
        assert costs.total.tokens == endpoint.tokens and costs.samples == costs.total.calls == DOCUMENTS
        prompt, answer = costs.total.prompt_tokens, costs.total.completion_tokens
        assert costs.total.cost == result.cost == Decimal(2 * prompt + 8 * answer) / 10**6
        with pytest.raises(UserError, match=r"of 0\.005 spent"):
            run(release, tmp_path / "q.jsonl", llm, budget_cost=Decimal("0.005"), **options)


@pytest.mark.parametrize(
    ("fault", "said"), [("401", "HTTP 401"), ("404", "HTTP 404"), ("500", "calls in a row failed")]
)
def test_an_endpoint_that_answers_nobody_ends_the_run_in_one_line(
    release: Path, tmp_path: Path, fault: str, said: str
) -> None:
    with llm_endpoint(lambda body, earlier: Answer("", fault)) as endpoint:
        llm = settings(endpoint)
        llm = llm.model_copy(update={"policy": llm.policy.model_copy(update={"attempts": 2, "deadline_s": 2.0})})
        with pytest.raises(UserError, match=said):
            run(release, tmp_path / "p.jsonl", llm)
    assert not (tmp_path / "p.jsonl").exists()


def test_one_document_that_no_model_takes_is_a_line_and_the_rest_go_on(
    release: Path, tmp_path: Path, pageloom: Pageloom
) -> None:
    def script(body: dict[str, Any], earlier: int) -> Answer:
        return Answer("", "400") if "$3.00" in str(body) else good(body, earlier)

    out = tmp_path / "p.jsonl"
    with llm_endpoint(script) as endpoint:
        words = ["predict", release, "--out", out, "--model", "m", "--base-url", endpoint.base_url, "--see", "text"]
        said = pageloom(*words)
    assert said.code == 1 and "1 calls gave no answer" in said.err and "Traceback" not in said.err
    found = lines(out)
    assert [line["id"] for line in found if "failed" in line] == ["train-00000003"]
    assert Counter(line["meta"]["status"] for line in found) == {"ok": DOCUMENTS - 1, "failed": 1}


def test_no_key_appears_anywhere(
    release: Path, tmp_path: Path, pageloom: Pageloom, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The endpoint gets the key, and gives it back in errors and in answers."""
    key = "sk-planted-9876543210"
    monkeypatch.setenv("PLANTED_KEY", key)

    def script(body: dict[str, Any], earlier: int) -> Answer:
        fault = {3: "400", 4: "500"}.get(int(hashlib.sha256(str(body).encode()).hexdigest(), 16) % 5, "")
        return Answer(json.dumps({"total": key, "date": key}), fault if not earlier else "")

    out = tmp_path / "p.jsonl"
    # A fresh Ray, whose workers have the key in their environment, as on a node where it is exported.
    ray.shutdown()
    with llm_endpoint(script) as endpoint:
        endpoint.echo = key
        words = ["predict", release, "--out", out, "--model", "m", "--base-url", endpoint.base_url, "--see", "text"]
        said = pageloom(*words, "--key-env", "PLANTED_KEY")
        assert {call.headers["authorization"] for call in endpoint.calls} == {f"Bearer {key}"}
    ray.init(address="local", num_cpus=8, include_dashboard=False, log_to_driver=False, logging_level=logging.ERROR)
    assert len(lines(out)) == DOCUMENTS and "[key]" in out.read_text()
    texts = {"stdout": said.out.encode(), "stderr": said.err.encode()}
    texts |= {str(path): path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
    assert len(texts) > 5
    assert [name for name, text in texts.items() if key.encode() in text] == []


def test_mistakes_are_one_line(
    release: Path, tmp_path: Path, pageloom: Pageloom, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PAGELOOM_LLM_KEY", raising=False)
    secret = "sk-typed-in-the-wrong-place"
    bad = tmp_path / "bad.yaml"
    bad.write_text(f"endpoints: [{{name: a, base_url: 'http://h/v1', key: {secret}}}]", encoding="utf-8")
    base = ["predict", release, "--out", tmp_path / "p.jsonl", "--model", "m"]
    cases: list[tuple[list[Any], str]] = [
        ([], "no endpoint is given"),
        (["--base-url", "host:3500"], "give a URL"),
        (["--base-url", f"http://user:{secret}@h/v1"], "comes from the environment"),
        (["--base-url", "http://h/v1", "--key-env", secret], "NAME of an environment variable"),
        (["--base-url", "http://127.0.0.1:9/v1", "--key-env", "NOT_SET_AT_ALL"], "NOT_SET_AT_ALL"),
        (["--endpoints", bad], "endpoints.0.key"),
        (["--endpoints", tmp_path / "none.yaml"], "cannot be read"),
        (["--base-url", "http://h/v1", "--budget-cost", "1"], "no prices"),
        (["--base-url", "http://h/v1", "--budget-cost", "much"], "is no amount"),
        (["--base-url", "http://h/v1", "--track", "layout", "--see", "text"], "boxes cannot be found in text"),
        (["--base-url", "http://h/v1", "--split", "dev"], "no split 'dev'"),
        (["--offline"], "the ledger holds no answer"),
    ]
    for words, expected in cases:
        said = pageloom(*base, *words)
        assert said.code == 2 and expected in said.err and len(said.err.strip().splitlines()) == 1, (words, said)
        assert secret not in said.err + said.out
    assert not (tmp_path / "p.jsonl").exists()
    said = pageloom("costs", tmp_path)
    assert said.code == 2 and "no ledger" in said.err
