"""Errors with a meaning: what a user can cause is a `UserError`, what one sample can cause a `SampleError`."""

from __future__ import annotations

import errno

_FULL = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG}
_MACHINE = {
    *_FULL,
    *(errno.EACCES, errno.EPERM, errno.EROFS, errno.EIO, errno.ENOMEM, errno.EMFILE, errno.ENFILE, errno.EAGAIN),
    *(errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.ELOOP),
}


class UserError(Exception):
    """A mistake or lack the user can mend: what is wrong, where, and what to do. Shown as one line, exit code 2."""

    def __init__(self, what: str, where: str = "", fix: str = "") -> None:
        super().__init__(what, where, fix)
        self.what, self.where, self.fix = what, where, fix

    def __str__(self) -> str:
        line = self.what if not self.where else f"{self.where}: {self.what}"
        line = line if not self.fix else f"{line} -> {self.fix}"
        return " ".join(line.split())


class SampleError(Exception):
    """One try of one sample cannot become a document. It is rejected with this reason and drawn again as its next try.

    `reason` is a short snake_case word that is counted; `stage` is where it happened; `detail` is for people.
    """

    def __init__(self, reason: str, stage: str, detail: str = "") -> None:
        super().__init__(reason, stage, detail)
        self.reason, self.stage, self.detail = reason, stage, detail

    def __str__(self) -> str:
        return f"{self.stage}: {self.reason}" + (f" ({self.detail})" if self.detail else "")


class FontError(SampleError):
    """A font does not draw a text as it is written. `script` is its ISO 15924 code."""

    def __init__(self, reason: str, stage: str, detail: str, font: str, script: str) -> None:
        super().__init__(reason, stage, detail)
        self.args = (reason, stage, detail, font, script)  # it travels by pickle
        self.font, self.script = font, script


class DeterminismError(UserError):
    """Two honest attempts at the same shard gave different bytes; names what differs."""


class EnvironmentMismatch(UserError):
    """A worker's browser, fonts, models or scenes are not the ones the lock pins."""


def user_error_of(error: OSError) -> UserError | None:
    """What the machine lacks (space, a permission, a file, open files), as a UserError; None for any other OSError.

    A broken pipe or a lost connection is not among them: that is how an engine looks that crashed over a sample.
    """
    if error.errno not in _MACHINE:
        return None
    where = " -> ".join(str(name) for name in (error.filename, error.filename2) if name is not None)
    what = (error.strerror or type(error).__name__).lower()
    if error.errno in _FULL:
        return UserError(f"no space left ({what})", where, "free some space there or in TMPDIR, then run again")
    if error.errno in (errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EAGAIN):
        return UserError(what, where, "raise the limit (`ulimit -a`) or lower execution.in_flight and actor counts")
    return UserError(f"cannot be read or written: {what}", where, "name a path that this user may read and write")
