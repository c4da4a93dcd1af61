"""stubllm as its command `serve` runs it, without the log of requests, and on a port that the system chooses.

    stubllm_server.py FIXTURES

Prints its address, and serves until standard input ends.
"""

import os
import pathlib
import socket
import sys
import threading

import uvicorn
from stubllm.server import create_app


def end_with_input():
    sys.stdin.read()
    os._exit(0)


# The protocol by its number, as asyncio's own listeners have it: without it nobody switches Nagle's algorithm off.
listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
listener.bind(("127.0.0.1", 0))
# Whoever connects before the server runs waits in the queue.
listener.listen(100)
app = create_app(fixture_files=[pathlib.Path(sys.argv[1])])
print(f"127.0.0.1:{listener.getsockname()[1]}", flush=True)
threading.Thread(target=end_with_input, daemon=True).start()
uvicorn.Server(uvicorn.Config(app, log_level="warning")).run(sockets=[listener])
