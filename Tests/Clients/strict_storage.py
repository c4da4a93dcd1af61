"""nanio, an S3 that is strict about signatures, for as long as a `with` lasts."""

import contextlib
import os
import pathlib
import socket
import subprocess
import sys
import tempfile
import time


@contextlib.contextmanager
def nanio(key, secret):
    """Gives the address of a store without buckets that knows one pair of keys."""
    with socket.socket() as free, tempfile.TemporaryDirectory() as folder:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        program = pathlib.Path(sys.executable).parent / "nanio"
        command = [program, "serve", "--data-dir", folder, "--host", "127.0.0.1", "--port", str(port), "--no-access-log", "--log-level", "error"]
        keys = {"NANIO_ACCESS_KEY": key, "NANIO_SECRET_KEY": secret}
        process = subprocess.Popen(command, env=os.environ | keys, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            while process.poll() is None:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                time.sleep(0.05)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            process.wait()
