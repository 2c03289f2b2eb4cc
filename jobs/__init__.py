"""Entry points: the command line and what it calls. Imports all rooms."""

import schemas as schemas  # before anything that imports ONNX Runtime
