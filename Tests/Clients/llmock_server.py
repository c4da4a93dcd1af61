"""The chat model of the guide to model backends meets the requirements of chat models on LLMock, and is not met by servers that do otherwise.

Usage: llmock_server.py COMPLETIONS-CONFORMANCE. Exits with 1 at the first check that fails. `scripts/validations` prepares everything and runs it.
"""

import contextlib
import json
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import time
import urllib.request

from peer import check
from results import cases, file, kept

program = sys.argv[1]
key = "key-of-one-run"
# What the interface, LLMock or the sockets of this machine do not have, each for a reason that the result gives.
untried = {"question.tokens", "count.tokens", "answer.cost", "answer.blocked", "answer.recitation"}
untried |= {"stream.cost", "stream.blocked", "stream.beforeBreak", "stream.failure", "failure.lost"}


@contextlib.contextmanager
def llmock(*options):
    """Gives the address of a server."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ["setpriv", "--pdeathsig", "KILL"] if shutil.which("setpriv") else []
    command += [pathlib.Path(sys.executable).parent / "llmock", "serve", "--host", "127.0.0.1", "--port", str(port), "--log-level", "error", *options]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        while process.poll() is None:
            with contextlib.suppress(OSError), urllib.request.urlopen(f"{address}/_llmock/scenario", timeout=1):
                break
            time.sleep(0.05)
        else:
            sys.exit(f"LLMock ended with {process.returncode}")
        yield address
    finally:
        process.terminate()
        process.wait()


def validated(address, name, *options):
    command = [program, address, *options, *kept(name, "chat-model")]
    out = file(name, "chat-model")
    out.unlink(missing_ok=True)
    run = subprocess.run(command, env=os.environ | {"COMPLETIONS_KEY": key}, capture_output=True, text=True, timeout=300)
    if not out.exists():
        sys.exit(f"{command} ended with {run.returncode}: {run.stderr}")
    result = json.loads(out.read_text())
    check(key not in run.stdout + run.stderr + json.dumps(result), "and the key is in no result")
    return run.returncode, result


with llmock() as address:
    status, result = validated(address, "LLMock", "--llmock")
    failed, skipped, passed = (cases(result, outcome) for outcome in ("failed", "skipped", "passed"))
    check(not failed and status == 0, f"{len(passed)} requirements hold on LLMock {failed or ''}")
    check(skipped.keys() == untried and all(skipped.values()), f"{len(skipped)} are not tried, each for a reason {skipped.keys() ^ untried or ''}")
    again = file("LLMock", "chat-model").read_bytes()
    status, _ = validated(address, "LLMock", "--llmock")
    check(status == 0 and file("LLMock", "chat-model").read_bytes() == again, "a second run has the same result")
# One that answers by itself: it takes any key, knows every model, and cuts its streams.
with llmock("--stream-fault", "truncate=1", "--stream-fault", "disconnect=0") as address:
    status, result = validated(address, "LLMock that cuts streams")
    failed = cases(result, "failed")
    check(failed.keys() == {"question.stream", "question.unknownModel", "failure.invalidKey"} and status == 1, f"of a server that cuts streams {sorted(failed)} are reported")
    check("interrupted" in failed["question.stream"], "with what was wrong")
    file("LLMock that cuts streams", "chat-model").unlink()
