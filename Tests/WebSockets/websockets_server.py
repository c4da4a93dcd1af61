"""Python's `websockets` as server of a client on LiveTransport that echoes. Usage: websockets_server.py ECHO_CLIENT PACKAGE"""

import asyncio
import http
import sys

from exchange import PATIENCE, REASON, Visitor, check, messages_by_websockets, server_worlds
from websockets.asyncio.server import serve

echo_client, package = sys.argv[1:]
closes = asyncio.Queue()


async def exchange(socket):
    """What the path asks for."""
    kind, *given = socket.request.path.strip("/").split("/")
    if kind == "messages":
        await messages_by_websockets(socket)
    elif kind == "close":
        await socket.close(int(given[0]), REASON)
    elif kind == "last":
        await socket.send("last")
        if await socket.recv() != "last":
            check(False, "the message before the end comes back")
        await socket.wait_closed()
        closes.put_nowait((socket.close_code, socket.close_reason))
    elif kind == "cut":
        socket.transport.abort()


def refuse(connection, request):
    kind, *given = request.path.strip("/").split("/")
    if kind == "status":
        return connection.respond(http.HTTPStatus(int(given[0])), "refused\n")


async def main():
    for scheme, context, root in server_worlds(package):
        async with (
            serve(exchange, "127.0.0.1", 0, ssl=context, process_request=refuse, max_size=None) as server,
            Visitor(echo_client, root) as visitor,
        ):
            address = f"{scheme}://127.0.0.1:{server.sockets[0].getsockname()[1]}"
            print(f"websockets as server, {address}", flush=True)
            await asyncio.wait_for(visitor.visits(address, closes), PATIENCE)


asyncio.run(main())
