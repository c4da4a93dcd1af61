"""A hub that `lenssim serve argus` hosts has its events delivered through `lenssim serve push`, as its provider.

Usage: argus_push_client.py LENSSIM PACKAGE. Exits with 1 at the first check that fails. `make clients` prepares
everything and runs it.
"""

import asyncio
import json
import sys
import urllib.request
import uuid

from peer import check, served
from push_device import device

lenssim = sys.argv[1]


def call(hub, path, body, token=None):
    request = urllib.request.Request(hub["url"] + path, json.dumps(body).encode(), {"Content-Type": "application/json"})
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.loads(answer.read() or b"null")


async def from_hub(service):
    """A hub that is served has its events delivered as the service's provider."""
    options = ["--push", service["url"].replace("127.0.0.1", "localhost"), "--push-key", service["keyFile"], "--push-ca", service["caFile"]]
    with served(lenssim, "argus", "--event-interval", "3600", *options) as hub:
        async with device(service) as phone:
            code = {"code": hub["pairingCode"], "device_id": str(uuid.uuid4()), "device_name": "Phone"}
            token = call(hub, "/api/v1/mobile/auth/verify", code)["access_token"]
            call(hub, "/api/v1/mobile/push/register", {"push_token": phone.token, "platform": "ios"}, token)
            event = {"camera_id": "cam_front", "description": "A fox", "detection_type": "animal"}
            event_id = call(hub, "/api/v1/events", event, hub["adminToken"])["id"]
            message = await phone.next()
            check(message["payload"]["event_id"] == event_id, "an event at the hub reaches the device through the service")
            await phone.shown(message)


async def main():
    with served(lenssim, "push", "--tls") as service:
        await from_hub(service)


asyncio.run(main())
