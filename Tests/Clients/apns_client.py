"""Provider clients that nobody here wrote deliver through `lenssim serve push`: aioapns, pyapns-client, curl, with tokens of PyJWT.

Usage: apns_client.py LENSSIM PACKAGE. Exits with 1 at the first check that fails. `make clients` prepares
everything and runs it.
"""

import asyncio
import json
import pathlib
import ssl
import subprocess
import sys
import time
import uuid

import aioapns
import pyapns_client
from aioapns import connection
from apns_calls import PAYLOAD, curl, provider_token
from peer import check, served
from push_device import device

lenssim = sys.argv[1]
ALERT = PAYLOAD["aps"]["alert"]


def port(url):
    return int(url.rsplit(":", 1)[1])


def aioapns_client(service, alpn):
    context = ssl.create_default_context(cafile=service["caFile"])
    if alpn:
        context.set_alpn_protocols(["h2"])
    client = aioapns.APNs(
        key=pathlib.Path(service["keyFile"]).read_text(),
        key_id=service["keyID"],
        team_id=service["teamID"],
        topic=service["topics"],
        ssl_context=context,
    )
    client.pool.protocol_class = type(
        "Protocol",
        (connection.APNsTLSClientProtocol,),
        {"APNS_SERVER": "localhost", "APNS_PORT": port(service["url"])},
    )
    return client


async def with_curl(service):
    kind = "over TLS" if "caFile" in service else "in plain text"
    token = provider_token(service)
    async with device(service) as phone:
        identity = str(uuid.uuid4())
        sent = dict(authorization=f"bearer {token}", apns_id=identity)
        status, version, fields, body = curl(service, phone.token, **sent)
        check((status, version, body) == (200, "HTTP/2", None), f"curl delivers {kind}, over HTTP/2")
        check(fields["apns-id"] == identity, "the answer has the apns-id of the request")
        message = await phone.next()
        check(message["payload"] == PAYLOAD and message["id"] == identity, "the device has it, as it was sent")
        await phone.shown(message)
        for change, wanted in [
            (dict(apns_topic="dev.other"), (400, "TopicDisallowed")),
            (dict(apns_priority="7"), (400, "BadPriority")),
            (dict(apns_push_type="loud"), (400, "InvalidPushType")),
            (dict(apns_collapse_id="c" * 65), (400, "BadCollapseId")),
            (dict(authorization="bearer a.b.c"), (403, "InvalidProviderToken")),
            (dict(authorization=f"bearer {provider_token(service, iat=int(time.time()) - 4000)}"), (403, "ExpiredProviderToken")),
            (dict(authorization=f"bearer {provider_token(service, iss='TEAMOFOTHR')}"), (403, "InvalidProviderToken")),
            (dict(payload={"aps": {"alert": "a" * 4096}}), (413, "PayloadTooLarge")),
            (dict(payload={"aps": {"alert": "a" * 40_000}}), (413, "PayloadTooLarge")),
            (dict(payload="{}"), (400, "PayloadEmpty")),
        ]:
            status, _, fields, body = curl(service, phone.token, **sent | change)
            check((status, body["reason"]) == wanted and fields["apns-id"] == identity, f"{wanted[0]} {wanted[1]}")
        status, _, _, body = curl(service, "ab" * 32, **sent)
        check((status, body["reason"]) == (400, "BadDeviceToken"), "a token that was never given is a bad one")
        status, _, _, body = curl(service, phone.token, "--request", "PUT", **sent)
        check((status, body["reason"]) == (405, "MethodNotAllowed"), "only POST is a method")
        before = time.time() * 1000
        await phone.unregister()
        status, _, _, body = curl(service, phone.token, **sent)
        check((status, body["reason"]) == (410, "Unregistered"), "a token that has ended is gone")
        check(before - 1000 <= body["timestamp"] <= time.time() * 1000, "410 says when it has ended, in milliseconds")


async def with_aioapns(service, alpn):
    kind = "with ALPN" if alpn else "without ALPN"
    client = aioapns_client(service, alpn)
    async with device(service) as phone:
        request = aioapns.NotificationRequest(phone.token, PAYLOAD, time_to_live=3600, priority=10, push_type=aioapns.PushType.ALERT)
        result = await asyncio.wait_for(client.send_notification(request), 20)
        check(result.is_successful, f"aioapns delivers {kind}")
        message = await phone.next()
        check(message["id"] == request.notification_id and message["payload"] == PAYLOAD, "the device has it")
        await phone.shown(message)
        requests = [aioapns.NotificationRequest(phone.token, PAYLOAD | {"number": number}) for number in range(50)]
        results = await asyncio.wait_for(asyncio.gather(*map(client.send_notification, requests)), 30)
        check(all(result.is_successful for result in results), "50 at once are all taken")
        numbers = set()
        for _ in requests:
            message = await phone.next()
            numbers.add(message["payload"]["number"])
            await phone.shown(message)
        check(numbers == set(range(50)), "the device has all of them")
        bad = aioapns.NotificationRequest("ab" * 32, PAYLOAD)
        result = await asyncio.wait_for(client.send_notification(bad), 20)
        check((result.status, result.description) == ("400", "BadDeviceToken"), "aioapns reads 400 BadDeviceToken")
        await phone.unregister()
        result = await asyncio.wait_for(client.send_notification(aioapns.NotificationRequest(phone.token, PAYLOAD)), 20)
        check((result.status, result.description) == ("410", "Unregistered"), "aioapns reads 410 Unregistered")
    client.pool.close()


async def with_pyapns(service):
    client_class = pyapns_client.APNSClient
    client_class.BASE_URLS = {"prod": f"https://localhost:{port(service['url'])}"}
    client = client_class(
        mode="prod",
        root_cert_path=service["caFile"],
        auth_key_path=service["keyFile"],
        auth_key_id=service["keyID"],
        team_id=service["teamID"],
    )
    alert = pyapns_client.IOSPayloadAlert(**ALERT)
    payload = pyapns_client.IOSPayload(alert=alert, custom={"event_id": "evt_123"})
    notification = pyapns_client.IOSNotification(payload=payload, topic=service["topics"])
    async with device(service) as phone:
        await asyncio.to_thread(client.push, notification, phone.token)
        message = await phone.next()
        check(message["payload"]["aps"]["alert"] == ALERT, "pyapns-client delivers, with a token whose time has a fraction")
        check(message["payload"]["event_id"] == "evt_123", "and its own members")
        await phone.shown(message)
        await phone.unregister()
        try:
            await asyncio.to_thread(client.push, notification, phone.token)
            check(False, "pyapns-client reads 410")
        except pyapns_client.UnregisteredException as error:
            check(error.timestamp_datetime is not None, "pyapns-client reads 410 and its time")
    client.close()


async def kept(service):
    """What becomes of notifications while the device is not there."""
    sent = dict(authorization=f"bearer {provider_token(service)}")
    async with device(service) as phone:
        welcome = phone.welcome
        curl(service, phone.token, payload=PAYLOAD | {"number": 0}, **sent)
        await phone.next()
    await asyncio.sleep(1)
    for number in 1, 2:
        check(curl(service, welcome["token"], payload=PAYLOAD | {"number": number}, **sent)[0] == 200, "one for an absent device is taken")
    check(curl(service, welcome["token"], apns_expiration="0", **sent)[0] == 200, "one that is not to be kept is taken too")
    async with device(service, again=welcome) as phone:
        check(phone.token == welcome["token"], "a device that comes back has its token")
        numbers = []
        while message := await phone.next(seconds=2):
            numbers.append(message["payload"].get("number"))
            await phone.shown(message)
        check(numbers == [0, 2], f"it gets what it has not acknowledged, and the last of the others: {numbers}")
    async with device(service, again=welcome) as phone:
        check(await phone.next(seconds=2) is None, "and none of it again")


async def receiving(service):
    """`lenssim receive` is a device as well."""
    command = [lenssim, "receive", service["deviceURL"].replace("127.0.0.1", "localhost"), "--json", "--count", "1", "--ca-file", service["caFile"]]
    process = await asyncio.create_subprocess_exec(*command, stdout=subprocess.PIPE)
    first = json.loads(await asyncio.wait_for(process.stdout.readline(), 30))
    check(first["event"] == "token", "lenssim receive prints its token first")
    curl(service, first["token"], authorization=f"bearer {provider_token(service)}")
    second = json.loads(await asyncio.wait_for(process.stdout.readline(), 30))
    check((second["title"], second["body"]) == (ALERT["title"], ALERT["body"]), "and then what arrives")
    check(json.loads(second["payload"]) == PAYLOAD, "with its payload")
    check(await asyncio.wait_for(process.wait(), 30) == 0, "and ends with 0 after so many")


async def main():
    with served(lenssim, "push", "--tls") as service:
        await with_curl(service)
        await with_aioapns(service, alpn=False)
        await with_aioapns(service, alpn=True)
        await with_pyapns(service)
        await kept(service)
        await receiving(service)
    with served(lenssim, "push") as service:
        await with_curl(service)
    check(not pathlib.Path(service["keyFile"]).exists(), "the key of a run goes with it")


asyncio.run(main())
