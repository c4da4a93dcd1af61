"""Pages of a list of 10,000 events for each second of a core: `lenssim serve argus --dialect hub`, and a hub on FastAPI and uvicorn.

    pages.py LENSSIM [SECONDS]

Both serve the same events with the same answers, which is checked: pages of 20, from the first to the last and again. Counted is the processor time
of each server, user and system; the client is one process that sends the next request when it has read the answer to the one before, over one
connection, and costs the server nothing. Prints a line of JSON for each server, and the ratio. `Peers/argus/build` prints the Python to run it
with; LENSSIM is a release build.
"""

import contextlib
import json
import os
import pathlib
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

EVENTS, SIZE = 10_000, 20
HERE = pathlib.Path(__file__).resolve().parent


@contextlib.contextmanager
def ended(process):
    try:
        yield process
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


@contextlib.contextmanager
def ours(program):
    command = [program, "serve", "argus", "--json", "--dialect", "hub", "--events", str(EVENTS), "--event-interval", "86400"]
    with ended(subprocess.Popen(command, stdout=subprocess.PIPE, text=True)) as process:
        facts = json.loads(process.stdout.readline())
        yield process.pid, facts["url"], facts["adminToken"]


@contextlib.contextmanager
def theirs(events):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "events.json")
        file.write_text(json.dumps(events))
        with ended(subprocess.Popen([sys.executable, HERE / "hub.py", str(port), file, "token"])) as process:
            while process.poll() is None:
                with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                    break
                time.sleep(0.05)
            yield process.pid, f"http://127.0.0.1:{port}", "token"


class Client:
    """One connection that is kept."""

    def __init__(self, address, token):
        host, port = address.removeprefix("http://").split(":")
        self.host, self.token, self.rest = f"{host}:{port}", token, bytearray()
        self.socket = socket.create_connection((host, int(port)))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def page(self, offset):
        self.socket.sendall(
            f"GET /api/v1/events?limit={SIZE}&offset={offset} HTTP/1.1\r\nHost: {self.host}\r\nAuthorization: Bearer {self.token}\r\n\r\n".encode()
        )
        while (end := self.rest.find(b"\r\n\r\n")) < 0:
            self.receive()
        head = bytes(self.rest[:end]).lower()
        length = int(head.split(b"content-length: ")[1].split(b"\r\n")[0])
        while len(self.rest) < end + 4 + length:
            self.receive()
        body = bytes(self.rest[end + 4 : end + 4 + length])
        del self.rest[: end + 4 + length]
        if not head.startswith(b"http/1.1 200"):
            raise SystemExit(f"{self.host} answers with {head[:40]} at offset {offset}")
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


def measured(name, server, seconds):
    with server as (pid, address, token):
        client = Client(address, token)
        first = [json.loads(client.page(offset)) for offset in (0, SIZE, EVENTS - SIZE)]
        for offset in range(0, EVENTS, SIZE):
            client.page(offset)
        before, end, count, size = processor_seconds(pid), time.monotonic() + seconds, 0, 0
        while time.monotonic() < end:
            for offset in range(0, EVENTS, SIZE):
                size += len(client.page(offset))
                count += 1
        used = processor_seconds(pid) - before
    return first, {"server": name, "pages a core-second": round(count / used), "bytes a page": size // count, "pages": count}


def events_of(program):
    """All events, as ours has them."""
    with ours(program) as (_, address, token):
        found = []
        for offset in range(0, EVENTS, 500):
            request = urllib.request.Request(f"{address}/api/v1/events?limit=500&offset={offset}")
            request.add_header("Authorization", f"Bearer {token}")
            with urllib.request.urlopen(request) as answer:
                found += json.load(answer)["events"]
        return found


def without_times(pages):
    """The events of a run of ours lie before its own start."""
    return [
        page | {"events": [event | {"timestamp": "", "created_at": "", "thumbnail_path": ""} for event in page["events"]]} for page in pages
    ]


def main():
    program = sys.argv[1]
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 10
    (same, peer), (own, figures) = (
        measured("FastAPI and uvicorn", theirs(events_of(program)), seconds),
        measured("lenssim serve argus", ours(program), seconds),
    )
    if without_times(own) != without_times(same):
        raise SystemExit("the two answer with different pages")
    print(json.dumps(peer))
    print(json.dumps(figures | {"of FastAPI's": round(figures["pages a core-second"] / peer["pages a core-second"], 1)}))


if __name__ == "__main__":
    main()
