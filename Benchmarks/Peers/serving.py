"""What measurements of services have in common: a client that costs the server nothing, and the processor time of a server."""

import contextlib
import os
import pathlib
import signal
import socket
import subprocess
import sys
import time


@contextlib.contextmanager
def ended(process):
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


@contextlib.contextmanager
def served(script, *arguments):
    """A server in Python, started as `script PORT ARGUMENT…`; gives its process and its address once it listens."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with ended(subprocess.Popen([sys.executable, script, str(port), *arguments])) as process:
        while process.poll() is None:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.05)
        yield process.pid, f"http://127.0.0.1:{port}"


class Client:
    """One connection that is kept."""

    def __init__(self, address, token):
        host, port = address.removeprefix("http://").split(":")
        self.host, self.token, self.rest = f"{host}:{port}", token, bytearray()
        self.socket = socket.create_connection((host, int(port)))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def get(self, path):
        self.socket.sendall(f"GET {path} HTTP/1.1\r\nHost: {self.host}\r\nAuthorization: Bearer {self.token}\r\n\r\n".encode())
        while (end := self.rest.find(b"\r\n\r\n")) < 0:
            self.receive()
        head = bytes(self.rest[:end]).lower()
        length = int(head.split(b"content-length: ")[1].split(b"\r\n")[0])
        while len(self.rest) < end + 4 + length:
            self.receive()
        body = bytes(self.rest[end + 4 : end + 4 + length])
        del self.rest[: end + 4 + length]
        if not head.startswith(b"http/1.1 200"):
            raise SystemExit(f"{self.host} answers with {head[:40]} to {path}")
        return body

    def receive(self):
        received = self.socket.recv(1 << 18)
        if not received:
            raise SystemExit(f"{self.host} has ended the connection")
        self.rest += received


def processor_seconds(pid):
    """User and system time of a process with all its threads."""
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def rate(pid, client, paths, seconds):
    """Pages for each second of a core, after each was read once."""
    for path in paths:
        client.get(path)
    before, end, count, size = processor_seconds(pid), time.monotonic() + seconds, 0, 0
    while time.monotonic() < end:
        for path in paths:
            size += len(client.get(path))
            count += 1
    return {"pages a core-second": round(count / (processor_seconds(pid) - before)), "bytes a page": size // count, "pages": count}
