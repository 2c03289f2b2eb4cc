"""cluster.yaml against the launcher's own schema, without asking a cloud."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import ray.autoscaler
import yaml
from ray.autoscaler._private.util import prepare_config, validate_config

CONFIG = yaml.safe_load((Path(__file__).parents[1] / "cluster.yaml").read_text())


def test_it_follows_the_launchers_schema() -> None:
    schema = json.loads((Path(ray.autoscaler.__file__).parent / "ray-schema.json").read_text())
    jsonschema.validate(CONFIG, schema)


def test_ray_itself_takes_it() -> None:
    prepared: dict[str, Any] = prepare_config(copy.deepcopy(CONFIG))
    validate_config(prepared)


def test_ray_refuses_a_broken_one() -> None:
    broken = copy.deepcopy(CONFIG)
    broken["available_node_types"]["cpu_worker"]["min_workers"] = 100
    with pytest.raises(Exception, match=r"(min|max)_workers"):
        validate_config(prepare_config(broken))


def test_the_head_does_no_work_and_there_are_both_kinds_of_worker() -> None:
    types = CONFIG["available_node_types"]
    assert types[CONFIG["head_node_type"]]["resources"] == {"CPU": 0}
    assert any("--num-cpus=0" in command for command in CONFIG["head_start_ray_commands"])
    assert types["cpu_worker"]["resources"]["CPU"] > 0 and "GPU" not in types["cpu_worker"]["resources"]
    assert types["gpu_worker"]["resources"]["GPU"] >= 1
