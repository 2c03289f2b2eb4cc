"""The lock: everything a sample's bytes depend on, pinned before anything is made (DESIGN decision 1)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from actors.inventory import Inventory, take
from engine.assets import pack_all, publish
from engine.scenes import Told, bake_all
from engine.store import Store, claim
from schemas.errors import EnvironmentMismatch, UserError
from schemas.question_settings import DEFAULT_KINDS
from schemas.recipe import LLM_WRITER_KEYS, Content, Recipe
from schemas.release import LAYOUT_VERSION, LOCK_KEY, Asset, Lock, SceneLock


def locked_content(content: Content) -> dict[str, Any]:
    """The content as the lock holds it: without the numbers of samples and without the names of local folders."""
    data = content.model_dump(mode="json")
    # A list, since canonical JSON sorts mappings and the order of splits numbers the shards.
    data["splits"] = [{"name": name, "share": split["share"]} for name, split in data["splits"].items()]
    if data["questions"] is None:
        del data["questions"]  # locks made before there were questions stay as they are
    elif data["questions"]["llm"] is None:
        del data["questions"]["llm"], data["questions"]["kind"]
    if content.questions is not None and content.questions.kinds == DEFAULT_KINDS:
        del data["questions"]["kinds"]  # nor before they had weights
    if not data["labels"]["characters"]:
        del data["labels"]
    if not data["fonts"]["substitute"]:
        del data["fonts"]["substitute"]
    if not content.degradation.faults:
        for name in ("faults", "faults_per_page", "severity", "target_cer"):
            del data["degradation"][name]  # nor before there were faults
    data["writer"]["folders"] = len(content.writer.folders)
    for name in LLM_WRITER_KEYS if content.writer.kind == "template" else ():
        del data["writer"][name]  # as above
    for name in {"examples", "personas"} & data["writer"].keys():
        data["writer"][name] = data["writer"][name] is not None
    data["fonts"]["folders"] = len(content.fonts.folders)
    return data


def draft(content: Content, inventory: Inventory, assets: list[Asset], scenes: list[SceneLock]) -> Lock:
    return Lock(
        layout=LAYOUT_VERSION,
        content=locked_content(content),
        versions=inventory.versions,
        templates=inventory.templates,
        fonts=inventory.fonts,
        models=inventory.models,
        assets=assets,
        scenes=scenes,
    )


def stored_lock(store: Store) -> Lock | None:
    """The lock of an output, None if it has none yet; UserError if it is not one of ours."""
    try:
        data = store.get(LOCK_KEY)
    except KeyError:
        return None
    try:
        return Lock.model_validate_json(data)
    except ValueError as error:
        fix = "give another output, or the Pageloom version that made this one"
        raise UserError("the lock there cannot be read", f"{store.url}/{LOCK_KEY}", fix) from error


@dataclass(frozen=True)
class Prepared:
    """What a recipe needs of this machine: the user's folders, packed, and the inventory."""

    packed: list[tuple[Asset, bytes]]
    inventory: Inventory


def prepare(content: Content) -> Prepared:
    """Look at all that a recipe asks for, and write nothing. UserError for whatever is missing or wrong."""
    return Prepared(pack_all(content), take(content))


def resolve(recipe: Recipe, prepared: Prepared, store: Store, cache: Path, told: Told) -> Lock:
    """The lock of this run: the output's own if it has one and it agrees, else a new one, with its scenes baked.

    Needs Ray only where scenes are missing. UserError naming what differs if the output belongs to another lock.
    """
    content, inventory = recipe.content, prepared.inventory
    assets = [asset for asset, _ in prepared.packed]
    found = stored_lock(store)
    if found is None:
        publish(store, prepared.packed)
        scenes = bake_all(inventory.scenes, inventory.versions["blender"], recipe.execution, store, cache, told)
        lock = draft(content, inventory, assets, scenes)
        if claim(store, LOCK_KEY, lock.to_bytes()) == lock.to_bytes():
            return lock
        found = stored_lock(store)  # another run was first
        assert found is not None
    check_same(found, draft(content, inventory, assets, found.scenes), store.url)
    return found


def check_same(found: Lock, mine: Lock, where: str) -> None:
    """UserError that names up to three differences between an output's lock and what would be made now."""
    differences = found.differences(mine)
    if differences:
        more = f" and {len(differences) - 3} more" if len(differences) > 3 else ""
        raise UserError(
            f"this output belongs to another lock: {'; '.join(differences[:3])}{more}",
            where,
            "give another --out, or go back to what the lock names",
        )


def check_environment(lock: Lock, content: Content) -> None:
    """EnvironmentMismatch if this machine's browser, fonts, templates or models are not those of the lock."""
    inventory = take(content)
    differences = lock.differences(draft(content, inventory, lock.assets, lock.scenes))
    if differences:
        fix = "use the image or the versions the lock names"
        raise EnvironmentMismatch(f"this machine cannot make the same bytes: {'; '.join(differences[:3])}", "lock", fix)
