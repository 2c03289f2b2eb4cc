"""Runs a command that must not outlive the process that asked for it: `python leash.py COMMAND...`.

The parent holds the other end of standard input. When that closes, also by SIGKILL, the command's whole process group
is ended; and should this process be killed first, the kernel ends the command. Only the standard library, so that it
starts at once.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import threading

GRACE_S = 10.0
_PR_SET_PDEATHSIG = 1  # <sys/prctl.h>


def main(command: list[str]) -> int:
    """Exit code of the command, which ends with the parent."""
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, start_new_session=True, preexec_fn=_die_with_parent)

    def watch() -> None:
        while os.read(0, 4096):
            pass
        _end(child, signal.SIGTERM)
        try:
            child.wait(GRACE_S)
        except subprocess.TimeoutExpired:
            _end(child, signal.SIGKILL)

    threading.Thread(target=watch, daemon=True).start()
    signal.signal(signal.SIGTERM, lambda number, frame: _end(child, signal.SIGTERM))
    code = child.wait()
    _end(child, signal.SIGKILL)  # what it may have left in its group
    return code if code >= 0 else 128 - code


def _die_with_parent() -> None:
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def _end(child: subprocess.Popen[bytes], number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(child.pid, number)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
