"""Requests a second of `lenssim serve s3`, in memory and in a folder, and of moto: objects of 100 KB are put, and got.

    rates.py LENSSIM [SECONDS]

The client costs as little as it can: over two connections, each in a process of its own, it sends the same signed bytes again and
again and reads answers to their end. Prints a line of JSON for each server, and for each the ratio to moto. `Peers/s3/build` prints
the Python to run it with; LENSSIM is a release build.
"""

import contextlib
import json
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.parse

import botocore.auth
import botocore.awsrequest
import botocore.credentials

CONNECTIONS = 2
BODY = os.urandom(100_000)


@contextlib.contextmanager
def lenssim(program, *options):
    process = subprocess.Popen([program, "serve", "s3", "--json", *options], stdout=subprocess.PIPE, text=True)
    try:
        values = json.loads(process.stdout.readline())
        yield values["endpoint"], values["accessKey"], values["secretKey"], values["bucket"]
    finally:
        process.terminate()
        process.wait()


@contextlib.contextmanager
def moto():
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        endpoint = f"http://127.0.0.1:{port}"
        while process.poll() is None:
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            time.sleep(0.05)
        exchange(endpoint, signed("PUT", f"{endpoint}/media", b"", "ANYBODY", "secret"))
        yield endpoint, "ANYBODY", "secret", "media"
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait()


def signed(method, address, body, key, secret):
    """The bytes of a request."""
    request = botocore.awsrequest.AWSRequest(method, address, data=body)
    botocore.auth.S3SigV4Auth(botocore.credentials.Credentials(key, secret), "s3", "us-east-1").add_auth(request)
    place = urllib.parse.urlsplit(address)
    fields = {"Host": place.netloc, "Content-Length": str(len(body))} | dict(request.headers.items())
    lines = [f"{method} {place.path} HTTP/1.1", *[f"{name}: {value}" for name, value in fields.items()], "", ""]
    return "\r\n".join(lines).encode() + body


class Connection:
    def __init__(self, endpoint):
        place = urllib.parse.urlsplit(endpoint)
        self.socket = socket.create_connection((place.hostname, place.port))
        self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.rest = bytearray()

    def exchange(self, request):
        """Sends a request, and returns the status and the length of the answer's body; whether the server ends the connection then."""
        self.socket.sendall(request)
        while (end := self.rest.find(b"\r\n\r\n")) < 0:
            self.receive()
        head = bytes(self.rest[:end]).lower()
        fields = dict(line.split(b": ", 1) for line in head.split(b"\r\n")[1:])
        length = int(fields.get(b"content-length", 0))
        while len(self.rest) < end + 4 + length:
            self.receive()
        del self.rest[: end + 4 + length]
        return int(head.split()[1]), length, fields.get(b"connection") == b"close"

    def receive(self):
        received = self.socket.recv(1 << 18)
        if not received:
            raise ConnectionError("the server has ended the connection")
        self.rest += received


def exchange(endpoint, request):
    return Connection(endpoint).exchange(request)


def repeat(endpoint, request, wanted, seconds, counts):
    """Sends the request for so long, and puts how often into a queue."""
    connection, count = Connection(endpoint), 0
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        status, length, isLast = connection.exchange(request)
        if (status, length) != wanted:
            raise SystemExit(f"{endpoint} answers with {status} and {length} bytes, not {wanted}")
        if isLast:
            connection = Connection(endpoint)
        count += 1
    counts.put(count)


def rate(endpoint, requests, wanted, seconds):
    counts = multiprocessing.Queue()
    clients = [multiprocessing.Process(target=repeat, args=(endpoint, request, wanted, seconds, counts)) for request in requests]
    for client in clients:
        client.start()
    total = sum(counts.get(timeout=seconds + 60) for _ in clients)
    for client in clients:
        client.join()
    return round(total / seconds)


def measured(name, server, seconds):
    with server as (endpoint, key, secret, bucket):
        places = [f"{endpoint}/{bucket}/object-{number}" for number in range(CONNECTIONS)]
        puts = rate(endpoint, [signed("PUT", place, BODY, key, secret) for place in places], (200, 0), seconds)
        gets = rate(endpoint, [signed("GET", place, b"", key, secret) for place in places], (200, len(BODY)), seconds)
    return {"server": name, "puts": puts, "gets": gets}


def main():
    program = sys.argv[1]
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 5
    peer = measured("moto", moto(), seconds)
    print(json.dumps(peer), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, options in (("lenssim serve s3", ()), ("lenssim serve s3 --data", ("--data", folder))):
            figures = measured(name, lenssim(program, *options), seconds)
            ratios = {f"{kind} of moto's": round(figures[kind] / peer[kind], 1) for kind in ("puts", "gets")}
            print(json.dumps(figures | ratios), flush=True)


if __name__ == "__main__":
    main()
