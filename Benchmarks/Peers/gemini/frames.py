"""Gemini Live's frames in plain Python: JSON is parsed, base64 decoded, frames and their bytes are counted.

    frames.py websockets|aiohttp|picows

Prints its address, and serves until standard input ends. A setup is answered with `setupComplete`, a text with the
counts since the setup. Pictures are not looked at, and nothing is checked beyond what counting needs: least work.
"""

import asyncio
import os
import socket
import sys
import threading

KIND = sys.argv[1]

if KIND == "picows":
    # All C: with the loop and the options with which each is fastest here.
    import orjson
    import picows
    import pybase64
    import uvloop

    parse, write = orjson.loads, orjson.dumps

    def decode(text):
        # Validated, it decodes with vector instructions.
        return pybase64.b64decode(text, validate=True)
else:
    import base64
    import json

    parse, decode = json.loads, base64.b64decode

    def write(value):
        return json.dumps(value).encode()


class Session:
    """What one connection has brought."""

    def __init__(self):
        self.frames = 0
        self.bytes = 0

    def take(self, message):
        """Takes a message, and returns the answer, if there is one."""
        fields = parse(message)
        if "realtimeInput" in fields:
            realtime = fields["realtimeInput"]
            if "video" in realtime:
                self.bytes += len(decode(realtime["video"]["data"]))
                self.frames += 1
                return None
            text = f"{self.frames} frames, {self.bytes} bytes"
            return write({"serverContent": {"modelTurn": {"parts": [{"text": text}]}}})
        if "setup" in fields:
            return write({"setupComplete": {}})
        raise ValueError("an unknown message")


async def with_websockets(listener):
    from websockets.asyncio.server import serve

    async def handle(connection):
        session = Session()
        # Bytes, which json decodes as fast: one copy less.
        while True:
            answer = session.take(await connection.recv(decode=False))
            if answer is not None:
                await connection.send(answer)

    await serve(handle, sock=listener, compression=None, ping_interval=None)


async def with_aiohttp(listener):
    from aiohttp import WSMsgType, web

    async def handle(request):
        response = web.WebSocketResponse(compress=False)
        await response.prepare(request)
        session = Session()
        async for message in response:
            if message.type not in (WSMsgType.TEXT, WSMsgType.BINARY):
                break
            answer = session.take(message.data)
            if answer is not None:
                await response.send_bytes(answer)
        return response

    application = web.Application()
    application.router.add_get("/{path:.*}", handle)
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    await web.SockSite(runner, listener).start()


async def with_picows(listener):
    class Listener(picows.WSListener):
        def __init__(self):
            self.session = Session()

        def on_ws_frame(self, transport, frame):
            if frame.msg_type not in (picows.WSMsgType.TEXT, picows.WSMsgType.BINARY):
                return transport.disconnect()
            answer = self.session.take(frame.get_payload_as_memoryview())
            if answer is not None:
                transport.send(picows.WSMsgType.BINARY, answer)

    await picows.ws_create_server(lambda request: Listener(), sock=listener)


async def main():
    # The protocol by its number, as asyncio's own listeners have it: without it nobody switches Nagle's algorithm off.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    await {"websockets": with_websockets, "aiohttp": with_aiohttp, "picows": with_picows}[KIND](listener)
    print(f"127.0.0.1:{port}", flush=True)
    await asyncio.Event().wait()


def end_with_input():
    sys.stdin.read()
    os._exit(0)


threading.Thread(target=end_with_input, daemon=True).start()
if KIND == "picows":
    uvloop.run(main())
else:
    asyncio.run(main())
