"""The browser of the guide to discovery backends meets the requirements of service browsers on an etcd.

Usage: etcd_server.py ETCD-CONFORMANCE. Exits with 1 at the first check that fails. `make clients` prepares everything and runs it.
"""

import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

from peer import check

program = sys.argv[1]
# A polite end leaves by `finally`, which ends the server; Python skips it otherwise.
signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))


def free_port():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return free.getsockname()[1]


def is_up(url):
    try:
        with urllib.request.urlopen(f"{url}/health", timeout=1) as answer:
            return answer.status == 200
    except OSError:
        return False


url, peer = f"http://127.0.0.1:{free_port()}", f"http://127.0.0.1:{free_port()}"
with tempfile.TemporaryDirectory() as place, open(pathlib.Path(place, "log"), "w") as log:
    command = [shutil.which("etcd"), "--data-dir", f"{place}/data", "--listen-client-urls", url, "--advertise-client-urls", url]
    command += ["--listen-peer-urls", peer, "--initial-advertise-peer-urls", peer, "--initial-cluster", f"default={peer}"]
    etcd = subprocess.Popen(command, stdout=log, stderr=log)
    try:
        start = time.monotonic()
        while not is_up(url):
            if etcd.poll() is not None or time.monotonic() > start + 60:
                check(False, f"etcd starts {pathlib.Path(place, 'log').read_text()[-2_000:]}")
            time.sleep(0.1)
        run = subprocess.run([program, url], capture_output=True, text=True, timeout=300)
    finally:
        etcd.terminate()
        etcd.wait(30)
cases = [line.split(" ", 2) for line in run.stdout.splitlines()]
failed = [" ".join(case) for case in cases if case[0] != "passed"]
check(run.returncode == 0 and not failed and len(cases) >= 18, f"{len(cases)} requirements hold on etcd {failed or ''}{run.stderr}")
