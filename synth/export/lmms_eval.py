"""A task of lmms-eval (docs/task_guide.md of EvolvingLMMs-Lab/lmms-eval): YAML, questions as JSON lines, pictures."""

from __future__ import annotations

from collections import Counter
from importlib.resources import files
from typing import ClassVar

from synth.export.out import Sink, line
from synth.export.questions import questions
from synth.export.rows import Release, Row, Sample

_TASK = """\
# {name} {version} ({license}), split {split}; release digest {digest}
dataset_path: json
dataset_kwargs:
  data_files:
    {split}: data/{split}.jsonl
task: {task}
test_split: {split}
output_type: generate_until
doc_to_visual: !function utils.doc_to_visual
doc_to_text: !function utils.doc_to_text
doc_to_target: answers
generation_kwargs:
  max_new_tokens: 128
  temperature: 0
  do_sample: false
metric_list:
  - metric: anls
    aggregation: mean
    higher_is_better: true
lmms_eval_specific_kwargs:
  default:
    pre_prompt: ""
    post_prompt: "\\nAnswer the question using a single word or phrase."
metadata:
  - version: {version}
"""


class LmmsEval:
    """`NAME_SPLIT.yaml` for each split, `NAME.yaml` for all, `utils.py`, `data/SPLIT.jsonl`, `images/SPLIT/`.

    A question names its picture's file, so no picture is written twice. Scored with lmms-eval's own ANLS.
    """

    tables: ClassVar[tuple[str, ...]] = ("words", "layout", "cells", "kie", "qa")
    looks_ahead: ClassVar[bool] = False

    def __init__(self, out: Sink, release: Release) -> None:
        self._out, self._release = out, release
        self._splits: list[str] = []
        self._number = 0
        self.counts: Counter[str] = Counter(documents=0, pages=0)

    def look(self, document: Row) -> None: ...

    def add(self, sample: Sample) -> None:
        if sample.split not in self._splits:
            self._splits.append(sample.split)
            self._out.append(f"data/{sample.split}.jsonl", b"")
        found, left = questions(sample)
        for one in found:
            self._number += 1
            item = {
                "question_id": self._number,
                "image_path": f"images/{sample.split}/{one.page.file}",
                "question": one.text,
                "answers": list(one.answers),
                "question_type": one.kind,
                "document_id": sample.id,
                "page_id": one.page.id,
                "source": one.source,
                "type": sample.type,
                "language": sample.language,
            }
            self._out.append(f"data/{sample.split}.jsonl", line(item))
        for page in sample.pages:
            self._out.put(f"images/{sample.split}/{page.file}", page.picture)
        self.counts += Counter(documents=1, pages=len(sample.pages), questions=len(found)) + left

    def close(self) -> None:
        release = self._release
        tasks = [self._task(split) for split in self._splits]
        for split, task in zip(self._splits, tasks, strict=True):
            text = _TASK.format(
                task=task, split=split, name=release.name, version=release.version, license=release.license,
                digest=release.digest,
            )  # fmt: skip
            self._out.put(f"{task}.yaml", text.encode())
        group = f"group: {self._task()}\ntask:\n" + "".join(f"  - {task}\n" for task in tasks)
        self._out.put(f"{self._task()}.yaml", group.encode())
        self._out.put("utils.py", files("synth.export").joinpath("lmms_task.py").read_bytes())

    def _task(self, split: str = "") -> str:
        return "_".join(filter(None, ("pageloom", self._release.slug, split))).lower()

    def usage(self) -> str:
        return (
            f"`python -m lmms_eval --include_path THIS_FOLDER --tasks {self._task()} --model ... --batch_size 1`; "
            f"one split is `{self._task()}_SPLIT`. lmms-eval 0.7 finds the data beside the YAML; where an older one "
            "does not, start it in this folder."
        )
