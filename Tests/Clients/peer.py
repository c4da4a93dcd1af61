"""A peer that `lenssim serve` runs on a free port of this machine, for as long as a `with` lasts."""

import contextlib
import re
import shutil
import signal
import subprocess
import sys


def check(holds, promise):
    print(("✔ " if holds else "✘ ") + promise, flush=True)
    if not holds:
        sys.exit(1)


@contextlib.contextmanager
def served(lenssim, kind, last_line, *options):
    """Gives the peer's address, and what it prints as names and values, of which `last_line` is the last."""
    command = [lenssim, "serve", kind, "--port", "0", *options]
    # Whatever ends this process ends the peer too; and a polite end leaves by `finally`, which Python skips otherwise.
    if shutil.which("setpriv"):
        command = ["setpriv", "--pdeathsig", "KILL", *command]
    before = signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        address, values = None, {}
        while last_line not in values:
            line = process.stdout.readline()
            if not line:
                sys.exit(f"lenssim serve {kind} ended with {process.wait()}")
            if found := re.search(r"https?://[^ ,]+", line):
                address = found[0]
            elif found := re.fullmatch(r"  (\w+(?: \w+)*) +(\S+)\n", line):
                values[found[1]] = found[2]
        yield address, values
    finally:
        signal.signal(signal.SIGTERM, before)
        process.terminate()
        process.wait()
