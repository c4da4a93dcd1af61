"""Python's `aiohttp` as client of `lenssim serve echo`, its HTTP included. Usage: aiohttp_client.py LENSSIM"""

import asyncio
import sys

import aiohttp
from exchange import CODES, LARGE_BYTES, LARGE_TEXT, PATIENCE, REASON, STATUSES, check, worlds


async def bodies(session, facts, context):
    async with session.post(facts["http"] + "/body", data=LARGE_BYTES, ssl=context) as answer:
        check(answer.status == 200 and await answer.read() == LARGE_BYTES, "a body of 4 MB comes back")

    async def chunks():
        for index in range(8):
            yield bytes([index]) * 100_000

    async with session.put(facts["http"], data=chunks(), ssl=context) as answer:
        expected = b"".join([chunk async for chunk in chunks()])
        check(await answer.read() == expected, "so does one in chunks")


async def messages(session, facts, context):
    async with session.ws_connect(facts["webSocket"], ssl=context, max_msg_size=0, compress=15) as socket:
        check(not socket.compress, "compression is offered, and not accepted")
        await socket.send_str(LARGE_TEXT)
        await socket.ping(b"between")
        check(await socket.receive_str() == LARGE_TEXT, "4 MB of text come back, with a ping after them")
        await socket.send_bytes(LARGE_BYTES)
        check(await socket.receive_bytes() == LARGE_BYTES, "4 MB of bytes come back")


async def refusals(session, facts, context):
    for status in STATUSES:
        try:
            await session.ws_connect(f"{facts['webSocket']}/status/{status}", ssl=context)
            check(False, f"a handshake is refused with {status}")
        except aiohttp.WSServerHandshakeError as error:
            if error.status != status:
                check(False, f"a handshake is refused with {status}: {error}")
    check(True, f"{len(STATUSES)} handshakes are refused, each with its status")


async def closes(session, facts, context):
    for code in CODES:
        async with session.ws_connect(facts["webSocket"], ssl=context) as socket:
            await socket.close(code=code, message=REASON.encode())
            if socket.close_code != code:
                check(False, f"our own close {code} is answered: {socket.close_code}")
        async with session.ws_connect(f"{facts['webSocket']}/close/{code}/reason", ssl=context) as socket:
            await socket.send_str("last")
            last, end = await socket.receive(), await socket.receive()
            if (last.data, end.type, end.data, end.extra) != ("last", aiohttp.WSMsgType.CLOSE, code, "reason"):
                check(False, f"the server closes with {code}: {last} {end}")
    check(True, f"{len(CODES)} close codes are answered, and {len(CODES)} arrive with their reasons")


async def main():
    for facts, context in worlds(sys.argv[1]):
        print(f"aiohttp as client, {facts['webSocket']}")
        async with aiohttp.ClientSession() as session:
            for step in (bodies, messages, refusals, closes):
                await asyncio.wait_for(step(session, facts, context if context else True), PATIENCE)


asyncio.run(main())
