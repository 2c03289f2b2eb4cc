"""`pageloom submit`: a recipe as a Ray job. The recipe and the user's folders travel with the job."""

from __future__ import annotations

import asyncio
import os
import shlex
import shutil
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

import yaml
from ray.job_submission import JobStatus, JobSubmissionClient

from schemas.errors import UserError
from schemas.recipe import Recipe
from schemas.release import canonical, sha256

AGENT_S = 90.0

# What workers need to reach the store; Ray passes them on, Pageloom writes them nowhere.
STORE_VARIABLES = (
    "AWS_ACCESS_KEY_ID",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SESSION_TOKEN",
    "AWS_DEFAULT_REGION",
    "AWS_REGION",
    "AWS_ENDPOINT_URL",
    "AWS_ENDPOINT_URL_S3",
    "AWS_CA_BUNDLE",
)


def submit_recipe(path: Path, recipe: Recipe, out: str, address: str, shards: str | None, wait: bool) -> int:
    """Submit, and follow the log until the job ends: 0 when it succeeded, 1 when not.

    The submission id is a digest of recipe, output and part, so that a job that still runs is joined, not doubled.
    """
    if "://" not in out and not Path(out).is_absolute():
        out = str(Path(out).resolve())
    try:
        client = JobSubmissionClient(address)
    except (ConnectionError, RuntimeError, ValueError) as error:
        fix = "give the dashboard's address, like http://head:8265"
        raise UserError(f"no Ray dashboard answers: {str(error).splitlines()[0]}", address, fix) from None
    with TemporaryDirectory(prefix="pageloom-job-") as folder:
        pack(recipe, Path(folder))
        job = _submit(client, Path(folder), submission_id(recipe, out, shards), out, shards)
    print(f"job {job} at {address}", flush=True)
    if not wait:
        return 0
    asyncio.run(_follow(client, job))
    status = client.get_job_status(job)
    print(f"job {job}: {status.value}", flush=True)
    return 0 if status == JobStatus.SUCCEEDED else 1


def pack(recipe: Recipe, folder: Path) -> None:
    """The recipe as `recipe.yaml` in `folder`, with copies of the folders that it names beside it."""
    data = recipe.model_dump(mode="json")
    for part, folders in (("writer", recipe.content.writer.folders), ("fonts", recipe.content.fonts.folders)):
        names = []
        for i, source in enumerate(folders):
            if not source.is_dir():
                raise UserError("no such folder", str(source), "name an existing folder in the recipe")
            shutil.copytree(source, folder / f"{part}-{i}")
            names.append(f"{part}-{i}")
        data["content"][part]["folders"] = names
    for name in ("examples", "personas"):
        source = getattr(recipe.content.writer, name)
        if source is not None:
            if not source.is_dir():
                raise UserError("no such folder", str(source), f"name an existing folder in writer.{name}")
            shutil.copytree(source, folder / name)
            data["content"]["writer"][name] = name
    (folder / "recipe.yaml").write_text(yaml.safe_dump(data, sort_keys=False, allow_unicode=True), encoding="utf-8")


def submission_id(recipe: Recipe, out: str, shards: str | None) -> str:
    key = canonical([recipe.content.model_dump(mode="json"), out, shards])
    return f"pageloom-{recipe.content.name}-{sha256(key)[:10]}"


def _submit(client: JobSubmissionClient, folder: Path, wanted: str, out: str, shards: str | None) -> str:
    """The id of a job that runs: a new one, or the one that runs already under the stable id (then -2, -3, ...)."""
    command = ["pageloom", "run", "recipe.yaml", "--out", out, *(["--shards", shards] if shards else [])]
    variables = {name: os.environ[name] for name in STORE_VARIABLES if name in os.environ}
    known = {job.submission_id: job.status for job in client.list_jobs()}
    number, job = 1, wanted
    while job in known:
        if not known[job].is_terminal():
            return job
        number += 1
        job = f"{wanted}-{number}"
    environment = {"working_dir": str(folder), "env_vars": variables}
    deadline = time.monotonic() + AGENT_S
    while True:
        try:
            return client.submit_job(
                entrypoint=shlex.join(command), submission_id=job, runtime_env=environment, entrypoint_num_cpus=0
            )
        except RuntimeError as error:
            # A head answers some seconds before its job agent does.
            if "No available agent" in str(error) and time.monotonic() < deadline:
                time.sleep(2)
                continue
            raise UserError(
                f"Ray refuses the job: {str(error).splitlines()[0]}", "submit", "see the head's log"
            ) from None


async def _follow(client: JobSubmissionClient, job: str) -> None:
    async for lines in client.tail_job_logs(job):
        sys.stdout.write(lines)
        sys.stdout.flush()
