"""A service that `lenssim serve` runs on a free port of this machine, for as long as a `with` lasts."""

import contextlib
import json
import shutil
import signal
import subprocess
import sys


def check(holds, promise):
    print(("✔ " if holds else "✘ ") + promise, flush=True)
    if not holds:
        sys.exit(1)


@contextlib.contextmanager
def served(lenssim, kind, *options):
    """Gives what the service says of itself: addresses and keys, and with `--tls` the file of the certificate to trust."""
    command = [lenssim, "serve", kind, "--json", *options]
    # Whatever ends this process ends the service too; and a polite end leaves by `finally`, which Python skips otherwise.
    if shutil.which("setpriv"):
        command = ["setpriv", "--pdeathsig", "KILL", *command]
    before = signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline()
        if not line:
            sys.exit(f"lenssim serve {kind} ended with {process.wait()}")
        yield json.loads(line)
    finally:
        signal.signal(signal.SIGTERM, before)
        process.terminate()
        process.wait()
