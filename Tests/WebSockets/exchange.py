"""What independent WebSocket ends exchange with ours, whoever is client and whoever is server."""

import asyncio
import contextlib
import json
import pathlib
import ssl
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent / "Clients"))

from peer import check  # noqa: E402, F401, from the folder above

# Four megabytes: many frames of the socket, more than its buffers, and a length of 64 bits in the frame.
LARGE = 4 * 1024 * 1024
TEXT = "Grüße, 世界 🌍 "
LARGE_TEXT = TEXT * (LARGE // len(TEXT.encode()))
LARGE_BYTES = bytes(range(256)) * (LARGE // 256)
FRAGMENTS = [b"one ", b"", b"two ", LARGE_BYTES[:70_000], b" end"]
# Those that RFC 6455 and IANA's registry let an endpoint send.
CODES = [1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 1012, 1013, 1014, 3000, 3999, 4000, 4999]
STATUSES = [400, 401, 403, 404, 429, 500, 503]
REASON = "bye-für-heute"
# Seconds that a step may take before it counts as stuck.
PATIENCE = 60


async def messages_by_websockets(socket):
    """The messages of all exchanges, by Python's `websockets` at either end."""
    await socket.send(LARGE_TEXT)
    check(await socket.recv() == LARGE_TEXT, "4 MB of text come back")
    await socket.send(LARGE_BYTES)
    check(await socket.recv() == LARGE_BYTES, "4 MB of bytes come back")

    async def fragments():
        for fragment in FRAGMENTS:
            yield fragment
            # While the message is open.
            await (await socket.ping())

    await socket.send(fragments())
    check(await socket.recv() == b"".join(FRAGMENTS), "fragments with answered pings between them are one message")


@contextlib.contextmanager
def running(*command):
    """A program for as long as the block lasts."""
    process = subprocess.Popen(
        ["setpriv", "--pdeathsig", "KILL", *command], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        yield process
    finally:
        process.terminate()
        process.wait()


@contextlib.contextmanager
def echo(lenssim, *options):
    """What `lenssim serve echo` says of itself, and a context that trusts it."""
    with running(lenssim, "serve", "echo", "--json", *options) as process:
        facts = json.loads(process.stdout.readline())
        context = ssl.create_default_context(cafile=facts["caFile"]) if "caFile" in facts else None
        yield facts, context


def worlds(lenssim):
    """The server in plain text and over TLS."""
    for options in ([], ["--tls"]):
        with echo(lenssim, *options) as (facts, context):
            yield facts, context


def server_worlds(package):
    """Scheme, TLS context of a server of this machine, and the root to trust."""
    chain, key, root = [f"{package}/Fixtures/Certificates/{name}.pem" for name in ("localhost", "localhost-key", "root")]
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(chain, key)
    return [("ws", None, root), ("wss", context, root)]


class Visitor:
    """Our client, which visits addresses, echoes, and says how each visit ended."""

    def __init__(self, program, root):
        self.command = ["setpriv", "--pdeathsig", "KILL", program, root]

    async def __aenter__(self):
        pipe = asyncio.subprocess.PIPE
        self.process = await asyncio.create_subprocess_exec(*self.command, stdin=pipe, stdout=pipe)
        return self

    async def __aexit__(self, *error):
        if self.process.returncode is None:
            self.process.terminate()
        await self.process.wait()

    async def visit(self, *words):
        self.process.stdin.write((" ".join(words) + "\n").encode())
        return (await self.process.stdout.readline()).decode().strip()

    async def visits(self, address, closes):
        """All that there is on a server, which puts into `closes` how the client closed."""
        end = await self.visit(f"{address}/messages")
        check(end == "closed 1000", f"the client sees the end: {end}")
        for status in STATUSES:
            end = await self.visit(f"{address}/status/{status}")
            if end != f"refused {status}":
                check(False, f"the client is refused with {status}: {end}")
        check(True, f"{len(STATUSES)} refusals reach the client, each with its status")
        for code in CODES:
            end = await self.visit(f"{address}/close/{code}")
            if end != f"closed {code} {REASON}":
                check(False, f"the client sees {code}: {end}")
            end = await self.visit(f"{address}/last", str(code), REASON)
            # The client may be done first.
            seen = await closes.get()
            if end != f"closed {code} {REASON}" or seen != (code, REASON):
                check(False, f"the client closes with {code}: {end}, and the server saw {seen}")
        check(True, f"{len(CODES)} close codes arrive, and {len(CODES)} of the client's own")
        end = await self.visit(f"{address}/cut")
        check(end == "closed 1006", f"a cut connection is an abnormal end: {end}")
