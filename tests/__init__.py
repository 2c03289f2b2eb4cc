"""Tests of all rooms; they mirror the source."""

import schemas as schemas  # before anything that imports ONNX Runtime
