"""What happens to one document, as plain functions. Imports schemas only."""

import schemas as schemas  # before anything that imports ONNX Runtime
