"""A private folder for one browser: its fonts, its profile, its launcher. Gone when the browser is closed.

Chromium sees no other fonts than the locked ones (FONTCONFIG_FILE), runs as nobody when we are root, in a network
namespace of its own where the kernel allows, and gets none of our environment (DESIGN decision 14).
"""

from __future__ import annotations

import fcntl
import os
import shlex
import shutil
import subprocess
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from schemas.errors import UserError
from synth.render.faces import GENERICS, names_of
from synth.render.fonts import FontSet

PREFIX = "pageloom-browser-"
NOBODY = 65534


@dataclass(frozen=True)
class Staging:
    """Folder of one browser and the open lock that says that it is in use."""

    root: Path
    lock: IO[bytes]

    @property
    def launcher(self) -> Path:
        return self.root / "launch.sh"

    @property
    def pid_file(self) -> Path:
        return self.root / "run" / "pid"

    @property
    def environment(self) -> dict[str, str]:
        """All the environment Chromium gets."""
        run = str(self.root / "run")
        return {
            "PATH": "/usr/bin:/bin:/usr/sbin:/sbin",
            "HOME": run,
            "TMPDIR": run,
            "XDG_CACHE_HOME": run,
            "XDG_CONFIG_HOME": run,
            "LANG": "C.UTF-8",
            "TZ": "UTC",
            "FONTCONFIG_FILE": str(self.root / "fonts.conf"),
        }

    def remove(self) -> None:
        shutil.rmtree(self.root, ignore_errors=True)
        self.lock.close()


def own_folder() -> tuple[Path, IO[bytes]]:
    """A new scratch folder and the open lock that says that it is in use; what dead processes left is swept away."""
    sweep()
    root = Path(tempfile.mkdtemp(prefix=PREFIX))
    lock = (root / "lock").open("wb")
    fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return root, lock


def stage(fonts: FontSet, executable: Path, isolated: bool) -> Staging:
    """Make the folder. `isolated`: start Chromium without a network. UserError if a locked font is no longer there."""
    _check_open(Path(tempfile.gettempdir()).resolve())
    root, lock = own_folder()
    root.chmod(0o755)
    for name in ("fonts", "run", "cache"):
        (root / name).mkdir(mode=0o755)
    for file in fonts.files:
        if not file.path.is_file():
            shutil.rmtree(root, ignore_errors=True)
            raise UserError("a locked font is missing", str(file.path), f"apt-get install {file.package}")
        if file.package:
            (root / "fonts" / file.path.name).symlink_to(file.path)
        else:  # a user's folder need not be readable for nobody
            shutil.copyfile(file.path, root / "fonts" / file.path.name)
            (root / "fonts" / file.path.name).chmod(0o644)
    (root / "fonts.conf").write_text(_fonts_conf(root, fonts), encoding="utf-8")
    launcher = root / "launch.sh"
    launcher.write_text(_launcher(root, executable, isolated), encoding="utf-8")
    launcher.chmod(0o755)
    if os.geteuid() == 0:
        for name in ("run", "cache"):
            os.chown(root / name, NOBODY, NOBODY)
    return Staging(root, lock)


def _check_open(folder: Path) -> None:
    """UserError if we are root and the browser's unprivileged user could not reach a folder in `folder`."""
    for part in (folder, *folder.parents) if os.geteuid() == 0 else ():
        if not part.stat().st_mode & 0o001:
            fix = "name another folder in TMPDIR, or `chmod o+x` this one"
            raise UserError(
                "the browser's unprivileged user may not enter the folder for scratch files", str(part), fix
            )


def sweep() -> None:
    """Remove folders whose process was killed before it could: nobody holds their lock."""
    for root in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        try:
            with (root / "lock").open("rb") as lock:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(root, ignore_errors=True)
        except OSError:  # in use, being made, or somebody else's
            continue


def can_isolate() -> bool:
    """Whether an unprivileged user may make user and network namespaces here, which Chromium's sandbox needs too."""
    setpriv, unshare = shutil.which("setpriv"), shutil.which("unshare")
    if unshare is None or (os.geteuid() == 0 and setpriv is None):
        return False
    try:
        done = subprocess.run([*_as_nobody(), *_ALONE, "true"], capture_output=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return False
    return done.returncode == 0


_ALONE = ("unshare", "--user", "--map-current-user", "--net", "--")


def _as_nobody() -> list[str]:
    if os.geteuid() != 0:
        return []
    return ["setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--no-new-privs", "--"]


def _launcher(root: Path, executable: Path, isolated: bool) -> str:
    command = shlex.join([*_as_nobody(), *(_ALONE if isolated else ()), str(executable)])
    # Playwright makes the profile as us; nobody could not write into it. exec keeps the pid and the debugging pipe.
    return (
        "#!/bin/sh\n"
        f"run={shlex.quote(str(root / 'run'))}\n"
        "for a do\n"
        "  shift\n"
        '  case "$a" in --user-data-dir=*) a="--user-data-dir=$run/profile" ;; esac\n'
        '  set -- "$@" "$a"\n'
        "done\n"
        'echo $$ > "$run/pid"\n'
        f'exec {command} "$@"\n'
    )


def _fonts_conf(root: Path, fonts: FontSet) -> str:
    aliases = ""
    for generic, kind in GENERICS:
        prefer = "".join(f"<family>{name}</family>" for name in names_of(kind, fonts))
        if prefer:
            aliases += f'<alias binding="same"><family>{generic}</family><prefer>{prefer}</prefer></alias>\n'
    return (
        '<?xml version="1.0"?>\n<!DOCTYPE fontconfig SYSTEM "fonts.dtd">\n<fontconfig>\n'
        f"<dir>{root / 'fonts'}</dir>\n<cachedir>{root / 'cache'}</cachedir>\n{aliases}"
        # Grid fitting depends on the build of FreeType; labels and pictures must not.
        '<match target="font"><edit name="hinting" mode="assign"><bool>false</bool></edit>'
        '<edit name="embeddedbitmap" mode="assign"><bool>false</bool></edit></match>\n'
        "<config><rescan><int>0</int></rescan></config>\n</fontconfig>\n"
    )
