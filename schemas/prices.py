"""What calls cost, from a table of prices per million tokens."""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal

from schemas.errors import UserError
from schemas.llm import LlmRequest, Price

FREE = Price(input=Decimal(0), output=Decimal(0))


def price_of(prices: Mapping[str, Price], model: str) -> Price:
    """Price of a model: its own line, else the line `*`, else nothing. UserError if the table has neither."""
    if not prices:
        return FREE
    found = prices.get(model) or prices.get("*")
    if found is None:
        raise UserError(f"no price for model {model!r}", "prices", f"add it, or a line `*`; there: {', '.join(prices)}")
    return found


def free(_: str) -> Price:
    """Every model for nothing."""
    return FREE


def worst_case(request: LlmRequest, price: Price) -> tuple[int, Decimal]:
    """Most tokens and money that one attempt can use."""
    prompt = request.prompt_bound
    return prompt + request.max_tokens, price.cost(prompt, request.max_tokens)
