"""Python's `websockets` as client of `lenssim serve echo`. Usage: websockets_client.py LENSSIM"""

import asyncio
import sys

from exchange import CODES, PATIENCE, REASON, STATUSES, check, messages_by_websockets, worlds
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus


async def messages(address, context):
    async with connect(address, ssl=context, max_size=None, compression="deflate") as socket:
        check(not socket.protocol.extensions, "compression is offered, and not accepted")
        await messages_by_websockets(socket)


async def refusals(address, context):
    for status in STATUSES:
        try:
            async with connect(f"{address}/status/{status}", ssl=context):
                check(False, f"a handshake is refused with {status}")
        except InvalidStatus as error:
            if error.response.status_code != status:
                check(False, f"a handshake is refused with {status}: {error}")
            body = error.response.body
    check(body == b"refused, as the path asks", f"{len(STATUSES)} handshakes are refused, each with its status and words")


async def closes(address, context):
    for code in CODES:
        async with connect(address, ssl=context) as socket:
            await socket.close(code, REASON)
            if (socket.close_code, socket.close_reason) != (code, REASON):
                check(False, f"our own close {code} is answered: {socket.close_code} {socket.close_reason}")
        async with connect(f"{address}/close/{code}/reason", ssl=context) as socket:
            await socket.send("last")
            check_last(await socket.recv())
            try:
                await socket.recv()
                check(False, f"the server closes with {code}")
            except ConnectionClosed as end:
                if end.rcvd is None or (end.rcvd.code, end.rcvd.reason) != (code, "reason"):
                    check(False, f"the server closes with {code}: {end}")
    check(True, f"{len(CODES)} close codes are answered, and {len(CODES)} arrive with their reasons")
    async with connect(f"{address}/close/1006", ssl=context) as socket:
        await socket.send("last")
        check_last(await socket.recv())
        try:
            await socket.recv()
        except ConnectionClosed as end:
            check(end.rcvd is None, "a cut connection has no close frame")


def check_last(message):
    if message != "last":
        check(False, f"the message before the end comes back: {message}")


async def main():
    for facts, context in worlds(sys.argv[1]):
        address = facts["webSocket"]
        print(f"websockets as client, {address}")
        for step in (messages, refusals, closes):
            await asyncio.wait_for(step(address, context), PATIENCE)


asyncio.run(main())
