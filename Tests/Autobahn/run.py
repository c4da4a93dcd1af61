"""Runs the cases of autobahntestsuite against the server and the client of this package, and writes the report.

Usage: run.py LENSSIM ECHO_CLIENT REPORT [PATTERN …], with patterns like `6.4.*`; the report is written only for all cases.
Exits with 1 if a case is not as it should be. `make autobahn` prepares everything and runs it.
"""

import asyncio
import contextlib
import fnmatch
import json
import pathlib
import sys
import time

import cases
import fuzzing
from fuzzing import FuzzingClient, FuzzingServer, client_factory, outcome, server_factory
from report import report

lenssim, echo_client, report_file = sys.argv[1:4]
patterns = sys.argv[4:] or ["*"]


def chosen():
    """The cases in the order of their numbers."""
    kinds = {kind.__name__.removeprefix("Case").replace("_", "."): kind for kind in cases.Cases}
    names = [name for name in kinds if any(fnmatch.fnmatch(name, pattern) for pattern in patterns)]
    return [kinds[name] for name in sorted(names, key=lambda name: [int(part) for part in name.split(".")])]


@contextlib.asynccontextmanager
async def program(*arguments):
    """A program for as long as the block lasts, which gets lines and gives lines."""
    process = await asyncio.create_subprocess_exec(
        "setpriv", "--pdeathsig", "KILL", *arguments, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    try:
        yield process
    finally:
        if process.returncode is None:
            process.terminate()
        await process.wait()


async def arrival(accepted, client):
    """The next connection, unless the client has ended."""
    waits = [asyncio.ensure_future(accepted.get()), asyncio.ensure_future(client.wait())]
    done, others = await asyncio.wait(waits, timeout=fuzzing.LONGEST_CASE, return_when=asyncio.FIRST_COMPLETED)
    for wait in others:
        wait.cancel()
    if waits[0] not in done:
        sys.exit("the client did not connect")
    return waits[0].result()


def shown(end, result):
    if not result.is_good:
        print(f"✘ {end} {result.name}: {result.behavior}, {result.close}: {result.detail} {result.close_detail}", flush=True)
    return result


async def test_server():
    """The suite as client of `lenssim serve echo`."""
    loop = asyncio.get_running_loop()
    results = []
    async with program(lenssim, "serve", "echo", "--json") as served:
        address = json.loads(await served.stdout.readline())["webSocket"]
        for kind in chosen():
            factory = client_factory(address)
            _, connection = await loop.create_connection(
                lambda: FuzzingClient(factory, kind), factory.host, factory.port
            )
            results.append(shown("server", await outcome(connection)))
    return results


async def test_client():
    """The suite as server of a client that echoes."""
    loop = asyncio.get_running_loop()
    results = []
    waiting = asyncio.Queue()
    accepted = asyncio.Queue()

    def accept():
        connection = FuzzingServer(factory, waiting.get_nowait())
        accepted.put_nowait(connection)
        return connection

    server = await loop.create_server(accept, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    factory = server_factory(f"ws://127.0.0.1:{port}")
    async with server, program(echo_client) as client:
        for kind in chosen():
            waiting.put_nowait(kind)
            client.stdin.write(f"ws://127.0.0.1:{port}/{kind.__name__}\n".encode())
            connection = await arrival(accepted, client)
            results.append(shown("client", await outcome(connection)))
            await asyncio.wait_for(client.stdout.readline(), fuzzing.LONGEST_CASE)
    return results


async def main():
    started = time.monotonic()
    server, client = await test_server(), await test_client()
    print(f"{len(server)} cases each way in {time.monotonic() - started:.0f} s")
    text, is_good = report(server, client, {kind.__name__: kind for kind in cases.Cases})
    if patterns == ["*"]:
        pathlib.Path(report_file).write_text(text, encoding="utf-8")
    else:
        print(text)
    sys.exit(0 if is_good else 1)


asyncio.run(main())
