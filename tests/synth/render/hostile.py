"""What a malicious model might write, to reach out (`hostile.yaml`) or to hold a browser up (`STUBBORN`).

Run as a program it is the machine that they attack: with an address and a name server of its own, listeners on all of
them, a watch on the planted file, and a browser with or without a network of its own. It prints what was heard.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import json
import os
import select
import socket
import struct
import sys
import tempfile
import threading
import time
from pathlib import Path
from unittest import mock

import pymupdf
import yaml

from schemas.errors import SampleError
from schemas.recipe import PAPERS
from synth.render import chromium as module
from synth.render.chromium import Chromium
from synth.render.fonts import font_set
from tests.synth.render.printing import ROLL, document

DEADLINE_S = 3.0
MARGIN_S = 5.0  # a killed browser is started again
REACHING: dict[str, str] = yaml.safe_load((Path(__file__).parent / "hostile.yaml").read_text())
STUBBORN = {
    "50,000 nodes": "<b>y</b> " * 50_000,
    "50,000 levels": "<div>" * 50_000,
    "endless animation": "<style>@keyframes k{to{transform:rotate(1turn)}}p{animation:k 1ms linear infinite}</style>"
    "<svg><rect width=9 height=9><animate attributeName=x to=9 dur=1ms repeatCount=indefinite /></rect></svg>"
    "<marquee>m</marquee>",
    "a page of 10 m": "<style>@page{size:210mm 10000mm !important}</style><div style='height:10000mm'></div>",
    "10 m of content": "<div style='height:10000mm'></div><p>end</p>",
    "a roll of 10 m": "<div style='height:10000mm'></div><p>end</p>",
    "endless script": "<script>for(;;);</script>",
    "dialogs": "<script>alert(1);prompt(2)</script><body onbeforeunload='return 1'>",
    "gradients": "<div style='height:200mm;background:"
    + ",".join(f"radial-gradient(circle at {n}px {n}px,red,transparent)" for n in range(2000))
    + "'></div>",
    "one word of 300,000 letters": "<p>" + "x" * 300_000,
    "nested uses": "<svg width=9 height=9><g id=a0><rect width=1 height=1 /></g>"
    + "".join(f"<g id=a{n}>" + f"<use href='#a{n - 1}'/>" * 10 + "</g>" for n in range(1, 9))
    + "</svg>",
    "blurred layers": "<div style='filter:blur(100px);width:200mm;height:250mm;background:red'>" * 200,
}


def attack(browser: Chromium, html: str, roll: bool = False) -> tuple[str, float]:
    """What a hostile document came to, its text or the reason it was refused, and how long it took."""
    start = time.monotonic()
    try:
        raw = browser.print(document(f"<p>harmless</p>{html}", page=ROLL if roll else PAPERS["A4"]))
        with pymupdf.open(stream=raw.pdf, filetype="pdf") as opened:
            text = " ".join(str(page.get_text()) for page in opened)
    except SampleError as error:
        assert error.stage == "print", error
        text = f"refused: {error.reason}"
    return text, time.monotonic() - start


class Listeners:
    """Sockets that note who comes: TCP on every address, DNS (UDP and TCP) on the name server's."""

    def __init__(self, addresses: list[str], nameserver: str | None) -> None:
        self.heard: list[str] = []
        self.port = 0
        self._names: dict[int, str] = {}
        self._sockets: list[socket.socket] = []
        for address in addresses:
            self._listen(address, self.port, socket.SOCK_STREAM, f"tcp {address}")
            self.port = self._sockets[-1].getsockname()[1]
        if nameserver:
            self._listen(nameserver, 53, socket.SOCK_DGRAM, "dns")
            self._listen(nameserver, 53, socket.SOCK_STREAM, "dns over tcp")
        threading.Thread(target=self._serve, daemon=True).start()

    def _listen(self, address: str, port: int, kind: socket.SocketKind, name: str) -> None:
        made = socket.socket(socket.AF_INET, kind)
        made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((address, port))
        if kind == socket.SOCK_STREAM:
            made.listen()
        made.setblocking(False)
        self._sockets.append(made)
        self._names[made.fileno()] = name

    def _serve(self) -> None:
        while True:
            for ready in select.select(self._sockets, [], [])[0]:
                with contextlib.suppress(OSError):
                    asked = ""
                    if ready.type == socket.SOCK_DGRAM:
                        asked = f" {_name_in(ready.recv(4096))}"
                    else:
                        ready.accept()[0].close()
                    self.heard.append(self._names[ready.fileno()] + asked)


def _name_in(query: bytes) -> str:
    """The host name that a DNS query asks for (RFC 1035, 4.1)."""
    labels, at = [], 12
    while at < len(query) and query[at]:
        labels.append(query[at + 1 : at + 1 + query[at]].decode("latin-1"))
        at += 1 + query[at]
    return ".".join(labels)


class Watch:
    """Notes every opening of a file (inotify)."""

    def __init__(self, path: Path) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        self._fd = libc.inotify_init1(os.O_NONBLOCK)
        assert libc.inotify_add_watch(self._fd, str(path).encode(), 0x20 | 0x1) > 0  # IN_OPEN, IN_ACCESS

    def openings(self) -> int:
        with contextlib.suppress(BlockingIOError):
            return len(os.read(self._fd, 65536)) // 16
        return 0


def nameserver_of(resolv: Path = Path("/etc/resolv.conf")) -> str | None:
    """The first IPv4 name server that this machine asks."""
    for line in resolv.read_text().splitlines() if resolv.is_file() else []:
        words = line.split()
        if len(words) > 1 and words[0] == "nameserver" and words[1].count(".") == 3:
            return words[1]
    return None


def give_address(number: int, address: str) -> None:
    """Give the loopback device another address (SIOCSIFADDR), and bring it up (SIOCSIFFLAGS)."""
    device = f"lo:{number}" if number else "lo"
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        packed = struct.pack("16sHH4s8x", device.encode(), socket.AF_INET, 0, socket.inet_aton(address))
        fcntl.ioctl(any_socket, 0x8916, packed)
        fcntl.ioctl(any_socket, 0x8914, struct.pack("16sH14x", device.encode(), 0x1 | 0x40))


def main(own_network: bool) -> None:
    """Be attacked in a fresh network namespace (`unshare --net`); say what was heard, and by whom."""
    host, nameserver = "192.0.2.77", nameserver_of()
    give_address(0, "127.0.0.1")
    give_address(1, host)
    if nameserver is not None and not nameserver.startswith("127."):
        give_address(2, nameserver)
    listeners = Listeners(["127.0.0.1", host], nameserver)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        planted = Path(folder) / "planted.html"
        planted.write_text("<p>PLANTED</p>")
        planted.chmod(0o644)
        watch = Watch(planted)
        said: dict[str, str] = {}
        with mock.patch.object(module, "can_isolate", lambda: own_network), Chromium(font_set(["en"])) as browser:
            for name, html in REACHING.items():
                for url in (f"http://127.0.0.1:{listeners.port}", f"http://{host}:{listeners.port}"):
                    filled = (
                        html.replace("URL", url).replace("FILE", planted.as_uri()).replace("HOST", f"{name}.example")
                    )
                    said[name] = attack(browser, filled)[0]
            time.sleep(0.5)  # for what still is on its way
            result = {"said": said, "heard": list(listeners.heard), "opened": watch.openings()}
            if not own_network:  # the same browser without our bars does reach them
                context = browser._browser.new_context()
                page = context.new_page()
                with contextlib.suppress(Exception):
                    page.goto(planted.as_uri(), timeout=3000)
                page.set_content(
                    f"<img src='http://{host}:{listeners.port}/'><img src='http://127.0.0.1:{listeners.port}/'>"
                )
                with contextlib.suppress(Exception):
                    page.goto("http://control.example/", timeout=3000)
                result["control"] = {"heard": sorted(set(listeners.heard)), "opened": watch.openings()}
                context.close()
    print(json.dumps(result))


if __name__ == "__main__":
    main(sys.argv[1] == "own")
