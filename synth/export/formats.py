"""The export formats by name."""

from __future__ import annotations

from synth.export.coco import Coco
from synth.export.docvqa import DocVqa
from synth.export.funsd import Funsd
from synth.export.lmms_eval import LmmsEval
from synth.export.omnidocbench import OmniDocBench
from synth.export.out import Format
from synth.export.unikie import UniKieConstrained, UniKieOpen
from synth.export.vlmevalkit import VlmEvalKit
from synth.export.webdataset import WebDataset

FORMATS: dict[str, type[Format]] = {
    "coco": Coco,
    "docvqa": DocVqa,
    "funsd": Funsd,
    "lmms-eval": LmmsEval,
    "omnidocbench": OmniDocBench,
    "unikie-constrained": UniKieConstrained,
    "unikie-open": UniKieOpen,
    "vlmevalkit": VlmEvalKit,
    "webdataset": WebDataset,
}
