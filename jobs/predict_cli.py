"""Commands about models' answers: `predict` and `costs`."""

from __future__ import annotations

import os
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated, Any, Literal

import typer
import yaml
from pydantic import ValidationError

from schemas.errors import UserError
from schemas.llm import LlmSettings

ReleaseArg = Annotated[str, typer.Argument(help="Folder or s3://bucket/prefix of a release.", show_default=False)]
DEFAULT_KEY = "PAGELOOM_LLM_KEY"


def register(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.command()(predict)
    app.command()(costs)


def predict(
    release: ReleaseArg,
    out: Annotated[Path, typer.Option(help="Prediction file to write.", show_default=False)],
    model: Annotated[str, typer.Option(help="Name of the model, as the endpoint knows it.", show_default=False)],
    track: Annotated[Literal["kie", "qa", "layout", "text"], typer.Option(help="What is asked.")] = "kie",
    base_url: Annotated[
        list[str] | None, typer.Option(help="OpenAI-compatible endpoint, like http://host:8000/v1; may be repeated.")
    ] = None,
    key_env: Annotated[
        str | None, typer.Option(help=f"Environment variable that holds the key; {DEFAULT_KEY} if that is set.")
    ] = None,
    endpoints: Annotated[
        Path | None, typer.Option(help="YAML file of endpoints, engines, limits and prices; see docs/llm.md.")
    ] = None,
    gguf: Annotated[Path | None, typer.Option(help="A model file that Ray holds itself, by llama.cpp.")] = None,
    constrained: Annotated[
        bool, typer.Option("--constrained/--open", help="Hold answers to a JSON Schema, or ask for JSON in words only.")
    ] = True,
    cot: Annotated[bool, typer.Option("--cot", help="Chain of thought before the answer.")] = False,
    see: Annotated[
        Literal["picture", "text"], typer.Option(help="Send pictures, or the words of the pages.")
    ] = "picture",
    max_pixels: Annotated[int, typer.Option(min=10_000, help="Most pixels of a picture that is sent.")] = 1_605_632,
    max_tokens: Annotated[int | None, typer.Option(min=1, help="Tokens of an answer; by track if not given.")] = None,
    temperature: Annotated[float, typer.Option(help="Below 0: not sent, for models that refuse it.")] = 0.0,
    seed: Annotated[int | None, typer.Option(help="Seed that is sent, for endpoints that take one.")] = None,
    reasoning_effort: Annotated[str | None, typer.Option(help="Sent as it is: low, medium, high.")] = None,
    bound: Annotated[
        int | None, typer.Option(min=1, help="Longest text and list of a constrained answer, for small models.")
    ] = None,
    split: Annotated[str | None, typer.Option(help="Only this split.")] = None,
    ids: Annotated[Path | None, typer.Option(help="File of document ids, one a line.")] = None,
    sample: Annotated[int | None, typer.Option(min=1, help="Only this many documents, drawn by seed.")] = None,
    in_flight: Annotated[int, typer.Option(min=1, max=100_000, help="Calls under way at once.")] = 16,
    deadline: Annotated[float, typer.Option(min=1, help="Seconds for one call with all its tries.")] = 300,
    budget_tokens: Annotated[int | None, typer.Option(min=0, help="Stop before this many tokens are spent.")] = None,
    budget_cost: Annotated[
        str | None, typer.Option(help="Stop before this much is spent, in the prices' money.")
    ] = None,
    prices: Annotated[
        Path | None, typer.Option(help="YAML file: {model: {input: 0.5, output: 1.5}} a million.")
    ] = None,
    offline: Annotated[bool, typer.Option("--offline", help="Only from the ledger; a miss is an error.")] = False,
    address: Annotated[str | None, typer.Option(help="Ray cluster to join.")] = None,
) -> None:
    """Run a model over a release and write a prediction file. The same command again goes on."""
    from jobs.predict import Wanted
    from jobs.predict import predict as run
    from synth.llm.tracks import Asking

    asking = Asking(
        model=model,
        constrained=constrained,
        steps=cot,
        see=see,
        max_pixels=max_pixels,
        max_tokens=max_tokens,
        temperature=None if temperature < 0 else temperature,
        seed=seed,
        reasoning_effort=reasoning_effort,
        bound=bound,
    )
    settings = None
    if not offline:
        limits = {"in_flight": in_flight, "deadline_s": deadline, "attempt_s": deadline}
        settings = _settings(endpoints, base_url or [], key_env, gguf, limits, prices)
    money = _money(budget_cost)
    if money is not None and (settings is None or not settings.prices):
        raise UserError("there are no prices to count it in", "--budget-cost", "give --prices FILE")
    wanted = Wanted(track, asking, settings, split, ids, sample, budget_tokens, money)
    result = run(release, out, wanted, lambda line: typer.echo(line, err=True), address)
    said = ", ".join(f"{count} {status}" for status, count in sorted(result.statuses.items()))
    typer.echo(f"{sum(result.statuses.values())} predictions ({said}): {out}")
    money_said = f", {result.cost:.4f} in money" if result.cost else ""
    typer.echo(f"{result.asked} asked, {result.replayed} from the ledger, {result.tokens} tokens spent{money_said}")
    if result.failed:
        typer.echo(f"{result.failed} calls gave no answer: the same command asks them again", err=True)
        raise typer.Exit(1)


def costs(
    place: Annotated[str, typer.Argument(help="A ledger: OUT.ledger of `predict`, or a release.", show_default=False)],
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Show what model calls have cost, by stage and model."""
    from engine.store import open_store
    from jobs.costs import as_text, costs_of

    found = costs_of(open_store(place))
    typer.echo(found.to_json() if as_json else as_text(found))


def _settings(
    file: Path | None,
    urls: list[str],
    key_env: str | None,
    gguf: Path | None,
    limits: dict[str, Any],
    prices: Path | None,
) -> LlmSettings:
    """Settings from a file, or from the options. UserError in one line; never with a key in it."""
    given: dict[str, Any] = _yaml(file) if file is not None else {}
    if key_env is None and os.environ.get(DEFAULT_KEY):
        key_env = DEFAULT_KEY
    if file is not None and (urls or gguf):
        raise UserError("--endpoints names all endpoints", str(file), "leave --base-url and --gguf out")
    if file is None:
        if not urls and gguf is None:
            raise UserError("no endpoint is given", "--base-url", "give --base-url, --endpoints, --gguf or --offline")
        most = limits["in_flight"]
        given["endpoints"] = [
            {"name": f"endpoint-{number}", "base_url": url, "key_env": key_env, "in_flight": most}
            for number, url in enumerate(urls)
        ]
        if gguf is not None:
            given["engines"] = [{"kind": "llama", "path": str(gguf.resolve()), "in_flight": min(most, 2)}]
        given["policy"] = limits
    if prices is not None:
        given["prices"] = _yaml(prices)
    try:
        return LlmSettings.model_validate(given)
    except ValidationError as error:
        first = error.errors(include_input=False, include_url=False, include_context=False)[0]
        place = ".".join(str(part) for part in first["loc"]) or "endpoints"
        where = f"{file or prices or '--base-url'}: {place}"
        raise UserError(first["msg"].removeprefix("Value error, "), where, "see docs/llm.md") from None


def _yaml(path: Path) -> dict[str, Any]:
    try:
        data = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except OSError as error:
        raise UserError(f"cannot be read: {error.strerror}", str(path), "name a file you may read") from None
    except (yaml.YAMLError, UnicodeDecodeError):
        raise UserError("is no YAML", str(path), "see docs/llm.md") from None
    if not isinstance(data, dict):
        raise UserError("holds no mapping", str(path), "see docs/llm.md")
    return data


def _money(text: str | None) -> Decimal | None:
    if text is None:
        return None
    try:
        money = Decimal(text)
    except InvalidOperation:
        money = Decimal(-1)
    if not money.is_finite() or money < 0:
        raise UserError(f"{text!r} is no amount", "--budget-cost", "give a number like 2.50")
    return money
