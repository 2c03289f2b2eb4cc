"""What the calls in a ledger have cost: by stage and model, and for each accepted sample of a release."""

from __future__ import annotations

import json
from collections import defaultdict
from dataclasses import asdict, dataclass
from decimal import Decimal

from engine.llm_ledger import records
from engine.seal import read_release
from engine.store import Store
from schemas.errors import UserError


@dataclass
class Cost:
    """Sums of some calls. `lost_tokens` were reserved for attempts that came to nothing; they count as spent."""

    calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    lost_tokens: int = 0
    cost: Decimal = Decimal(0)
    seconds: float = 0.0
    attempts: int = 0

    @property
    def tokens(self) -> int:
        return self.prompt_tokens + self.completion_tokens + self.lost_tokens


@dataclass(frozen=True)
class Costs:
    """`rows` by (stage, model asked); `samples` are the accepted documents of a release, or the distinct ones asked
    about where the ledger belongs to none."""

    rows: dict[tuple[str, str], Cost]
    total: Cost
    samples: int

    def to_json(self) -> str:
        rows = [{"stage": s, "model": m, **asdict(c), "cost": str(c.cost)} for (s, m), c in sorted(self.rows.items())]
        total = {**asdict(self.total), "cost": str(self.total.cost), "tokens": self.total.tokens}
        return json.dumps({"rows": rows, "total": total, "samples": self.samples}, ensure_ascii=False, indent=1)


def costs_of(store: Store) -> Costs:
    """All calls in a store's ledger. UserError if it has none."""
    rows: dict[tuple[str, str], Cost] = defaultdict(Cost)
    total = Cost()
    documents: set[tuple[str, str, str]] = set()
    for key, record in records(store):
        dataset, split, index, _, stage, _ = key.split("/", 5)
        documents.add((dataset, split, index))
        for cost in (rows[stage, record["asked"]], total):
            cost.calls += record["finish_reason"] != "lost"
            cost.prompt_tokens += record["prompt_tokens"]
            cost.completion_tokens += record["completion_tokens"]
            cost.lost_tokens += record["lost_tokens"]
            cost.cost += Decimal(record["cost"])
            cost.seconds += record["latency_s"]
            cost.attempts += record["attempts"]
    if not rows:
        raise UserError("there is no ledger of model calls", store.url, "name OUT.ledger of `predict`, or a release")
    release = read_release(store)
    return Costs(dict(rows), total, release.documents if release is not None else len(documents))


def as_text(costs: Costs) -> str:
    """The sums as a table for people."""
    head = ["stage", "model", "calls", "prompt", "answer", "lost", "cost", "s/call", "tries/call", "tokens/sample"]
    table = [head]
    named = [(stage, model, cost) for (stage, model), cost in sorted(costs.rows.items())]
    for stage, model, cost in [*named, ("all", "", costs.total)]:
        calls = max(1, cost.calls)
        numbers = [f"{n:,}" for n in (cost.calls, cost.prompt_tokens, cost.completion_tokens, cost.lost_tokens)]
        rest = [f"{cost.cost:.4f}", f"{cost.seconds / calls:.2f}", f"{cost.attempts / calls:.2f}"]
        table.append([stage, model, *numbers, *rest, f"{cost.tokens / max(1, costs.samples):,.0f}"])
    widths = [max(len(row[at]) for row in table) for at in range(len(head))]
    lines = [
        "  ".join(
            text.ljust(w) if at < 2 else text.rjust(w) for at, (text, w) in enumerate(zip(row, widths, strict=True))
        )
        for row in table
    ]
    return "\n".join(line.rstrip() for line in lines)
