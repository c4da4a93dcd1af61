"""Python's `aiohttp` as server of a client on LiveTransport that echoes. Usage: aiohttp_server.py ECHO_CLIENT PACKAGE"""

import asyncio
import sys

from aiohttp import WSMsgType, web
from exchange import LARGE_BYTES, LARGE_TEXT, PATIENCE, REASON, Visitor, check, server_worlds

echo_client, package = sys.argv[1:]
closes = asyncio.Queue()


async def status(request):
    return web.Response(status=int(request.match_info["code"]), text="refused\n")


async def upgraded(request):
    socket = web.WebSocketResponse(max_msg_size=0, compress=True)
    await socket.prepare(request)
    return socket


async def messages(request):
    socket = web.WebSocketResponse(max_msg_size=0, autoping=False)
    await socket.prepare(request)
    await socket.send_str(LARGE_TEXT)
    await socket.ping(b"between")
    await socket.send_bytes(LARGE_BYTES)
    expected = {WSMsgType.TEXT: LARGE_TEXT, WSMsgType.PONG: b"between", WSMsgType.BINARY: LARGE_BYTES}
    while expected:
        message = await socket.receive()
        if expected.pop(message.type, None) != message.data:
            check(False, f"what was sent comes back: {message.type}")
    check(True, "4 MB of text, 4 MB of bytes and a pong come back")
    await socket.close()
    return socket


async def close(request):
    socket = await upgraded(request)
    await socket.close(code=int(request.match_info["code"]), message=REASON.encode())
    return socket


async def last(request):
    # By itself, aiohttp answers every close with 1000.
    socket = web.WebSocketResponse(autoclose=False)
    await socket.prepare(request)
    await socket.send_str("last")
    if await socket.receive_str() != "last":
        check(False, "the message before the end comes back")
    end = await socket.receive()
    closes.put_nowait((end.data, end.extra))
    await socket.close(code=end.data, message=end.extra.encode())
    return socket


async def cut(request):
    socket = await upgraded(request)
    request.transport.abort()
    return socket


async def main():
    for scheme, context, root in server_worlds(package):
        application = web.Application()
        for path, handler in (
            ("/status/{code}", status), ("/messages", messages), ("/close/{code}", close), ("/last", last), ("/cut", cut)
        ):
            application.router.add_get(path, handler)
        runner = web.AppRunner(application)
        await runner.setup()
        await web.TCPSite(runner, "127.0.0.1", 0, ssl_context=context).start()
        try:
            async with Visitor(echo_client, root) as visitor:
                address = f"{scheme}://127.0.0.1:{runner.addresses[0][1]}"
                print(f"aiohttp as server, {address}", flush=True)
                await asyncio.wait_for(visitor.visits(address, closes), PATIENCE)
        finally:
            await runner.cleanup()


asyncio.run(main())
