"""What the lock pins of the writer, and what is missing is said before anything is made."""

from __future__ import annotations

from pathlib import Path

import pytest

from schemas.errors import UserError
from schemas.recipe import Content
from synth.write.inputs import check_inputs, input_digests
from tests.synth.write.writing import content


def test_prompts_descriptions_and_grammars_are_pinned() -> None:
    found = input_digests()
    for name in (
        *("prompts/describe-1", "prompts/write-1", "prompts/repair-1", "writer/receipt.yaml", "writer/looks.yaml"),
        *("writer/conventions.yaml", "personas/bn.yaml", "places/zh.yaml"),
    ):
        assert len(found[name]) == 64


def test_what_a_recipe_lacks_is_one_line(tmp_path: Path) -> None:
    check_inputs(content())
    of_own = content(examples=tmp_path).model_copy(update={"types": {"loan_slip": 1.0}})
    with pytest.raises(UserError, match="no example found"):
        check_inputs(of_own)
    (tmp_path / "loan_slip" / "zh").mkdir(parents=True)
    (tmp_path / "loan_slip" / "zh" / "a.txt").write_text("借书单")
    with pytest.raises(UserError, match="no example of loan_slip for en"):
        check_inputs(of_own)
    (tmp_path / "more" / "loan_slip").mkdir(parents=True)
    (tmp_path / "more" / "loan_slip" / "a.txt").write_text("A loan slip")
    check_inputs(content(examples=tmp_path / "more").model_copy(update={"types": {"loan_slip": 1.0}}))
    misspelt = content().model_copy(update={"types": {"reciept": 1.0}})
    with pytest.raises(UserError, match="did you mean receipt"):
        check_inputs(misspelt)
    (tmp_path / "people").mkdir()
    (tmp_path / "people" / "p.yaml").write_text("name: Ada Wood")
    with pytest.raises(UserError, match="1 personas for en cannot be parted among 2 splits"):
        check_inputs(content(personas=tmp_path / "people"))


@pytest.mark.parametrize(
    ("writer", "said"),
    [
        ({"kind": "llm"}, "needs a model"),
        ({"kind": "llm", "model": "m", "folders": ["x"]}, "folders is not for kind: llm"),
        ({"model": "m"}, "model is not for kind: template"),
        ({"repairs": 3}, "repairs is not for kind: template"),
    ],
)
def test_keys_of_the_other_writer_are_refused(writer: dict, said: str) -> None:
    whole = content().model_dump() | {"writer": writer}
    with pytest.raises(ValueError, match=said):
        Content.model_validate(whole)
