"""llama.cpp behind an OpenAI-compatible port on loopback: `llama_server.py MODEL POOLING PORT SLOTS CONTEXT THREADS`.

A process of its own: `xllamacpp` cannot be loaded beside some other Cython packages, and when the engine crashes, only
this goes. The key that callers need comes in the environment as VLLM_API_KEY, as vLLM takes it.
"""

from __future__ import annotations

import importlib
import os
import signal
import sys
from typing import Any

NOT_INSTALLED, DOES_NOT_LOAD = 40, 41
_POOLING = {"model": -1, "mean": 1, "cls": 2, "last": 3}  # llama.cpp's numbers; -1: as the file says


def main(model: str, pooling: str, port: int, slots: int, context: int, threads: int) -> int:
    """Serve answers, or with a kind of `pooling` vectors, until ended. Exit codes above say why it did not start."""
    try:
        xllamacpp: Any = importlib.import_module("xllamacpp")
    except ImportError:
        return NOT_INSTALLED
    params = xllamacpp.CommonParams()
    params.model.path = model
    # The context is shared by the slots; every call gets its whole.
    params.n_ctx, params.n_parallel = context * slots, slots
    params.offline, params.use_jinja, params.ui = True, True, False
    params.hostnames, params.port = ["127.0.0.1"], port
    params.api_keys = [os.environ["VLLM_API_KEY"]]
    params.cpuparams.n_threads = threads
    params.model_alias = {os.path.basename(model)}  # noqa: PTH119  (nothing but the standard library is loaded here)
    params.verbosity = 0
    if pooling in _POOLING:
        params.embedding, params.pooling_type = True, _POOLING[pooling]
    try:
        server = xllamacpp.Server(params)
    except RuntimeError:
        return DOES_NOT_LOAD
    signal.sigwait({signal.SIGTERM, signal.SIGINT})
    del server
    return 0


if __name__ == "__main__":
    signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGTERM, signal.SIGINT})
    sys.exit(main(sys.argv[1], sys.argv[2], *map(int, sys.argv[3:7])))
