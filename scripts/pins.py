"""Print the pins of the running environment as a constraints file."""

from __future__ import annotations

import sys
from importlib.metadata import distributions

# Tied to the Python version; on another one pyproject.toml decides alone.
BY_PYTHON = {"bpy", "numpy", "pyarrow"}
# The project itself, the installer, and what requirements-weights.txt pins.
LEFT_OUT = {"pageloom", "pip", "setuptools", "wheel", "rapidocr"}


def pins() -> list[str]:
    found = {d.metadata["Name"]: d.version for d in distributions()}
    marker = "; python_version < '3.12'"
    return [
        f"{name}=={version}{marker if name.lower() in BY_PYTHON else ''}"
        for name, version in sorted(found.items(), key=lambda item: item[0].lower())
        if name.lower() not in LEFT_OUT
    ]


if __name__ == "__main__":
    print(
        "# The environment that the tests ran in, exactly. Made by `make pins` from the working .venv on Python 3.11."
    )
    sys.stdout.write("\n".join(pins()) + "\n")
