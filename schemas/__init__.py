"""Contracts shared by all rooms. Imports nothing of ours."""

import os

# ONNX Runtime reports to its maker from the moment it is imported (1.29 and later), and PyMuPDF imports it. Every room
# imports this one first.
os.environ.setdefault("ORT_DISABLE_TELEMETRY", "1")
