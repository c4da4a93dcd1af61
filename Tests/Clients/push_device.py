"""A device of a push service, written after `Documentation/Push.md` alone."""

import asyncio
import contextlib
import json
import ssl

import websockets


class Device:
    """What one connection has to say."""

    def __init__(self, socket, welcome):
        self.socket, self.welcome = socket, welcome
        self.token = welcome["token"]

    async def next(self, seconds=10):
        """The next notification, with its payload read; None where none comes."""
        try:
            message = json.loads(await asyncio.wait_for(self.socket.recv(), seconds))
        except asyncio.TimeoutError:
            return None
        if message["type"] == "notification":
            message["payload"] = json.loads(message["payload"])
        return message

    async def shown(self, message):
        await self.socket.send(json.dumps({"type": "shown", "number": message["number"]}))

    async def unregister(self):
        await self.socket.send(json.dumps({"type": "unregister"}))
        with contextlib.suppress(websockets.ConnectionClosed):
            await self.socket.recv()


@contextlib.asynccontextmanager
async def device(service, again=None, environment="production", topic=None):
    """A device that has its token; `again` is the welcome of the same device before."""
    context = ssl.create_default_context(cafile=service["caFile"]) if "caFile" in service else None
    async with websockets.connect(service["deviceURL"], ssl=context) as socket:
        hello = {"type": "hello", "environment": environment, "topic": topic or service["topics"]}
        if again:
            hello |= {"installation": again["installation"], "secret": again["secret"]}
        await socket.send(json.dumps(hello))
        welcome = json.loads(await socket.recv())
        assert welcome["type"] == "welcome", welcome
        yield Device(socket, welcome)
