"""A phone in Python uses the home hub that `lenssim serve argus` simulates, in both dialects, over the hub's own port and over the relay's.

Usage: argus_client.py LENSSIM PACKAGE. Exits with 1 at the first check that fails. `make clients` prepares everything and runs it.
"""

import concurrent.futures
import json
import sys
import time
import urllib.error
import urllib.request
import uuid

import jwt

from peer import check, served

lenssim = sys.argv[1]
PICTURE = b"\xff\xd8\xff"


class Phone:
    """A client of one address, with a token once it has one."""

    def __init__(self, address, token=None):
        self.address, self.token = address, token

    def __call__(self, method, path, body=None, token=None):
        """The status and the document of an answer, or its bytes where it is none."""
        request = urllib.request.Request(f"{self.address}{path}", method=method)
        token = token or self.token
        if token:
            request.add_header("Authorization", f"Bearer {token}")
        if body is not None:
            request.add_header("Content-Type", "application/json")
            request.data = json.dumps(body).encode()
        try:
            with urllib.request.urlopen(request, timeout=20) as answer:
                status, content = answer.status, answer.read()
        except urllib.error.HTTPError as error:
            status, content = error.code, error.read()
        try:
            return status, json.loads(content)
        except ValueError:
            return status, content


def tokens_are_sound(tokens, kind, lifetime):
    claims = jwt.decode(tokens["access_token"], options={"verify_signature": False, "require": ["sub", "iat", "exp", "jti"]})
    check(jwt.get_unverified_header(tokens["access_token"])["alg"] == "HS256", "an access token is a JWT of HS256, as PyJWT reads it")
    check(claims["exp"] - claims["iat"] == lifetime, f"it lasts {lifetime} seconds, and belongs to {claims['sub']}")
    check(tokens["token_type"] == kind and len(tokens["refresh_token"]) == 128, f"its kind is {kind}, and its refresh token has 128 digits")


def rotation(phone, tokens, extra):
    """Refreshes six times at once with one token, and once more with the newest."""
    path, body = "/api/v1/mobile/auth/refresh", {"refresh_token": tokens["refresh_token"], **extra}
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: phone("POST", path, body), range(6)))
    check([status for status, _ in answers] == [200] * 6, "six refreshes at once are all answered within the grace")
    new = [answer["refresh_token"] for _, answer in answers if answer["refresh_token"] != tokens["refresh_token"]]
    check(len(new) == 1, "one of them has the next refresh token, and five have the old one back")
    status, next_tokens = phone("POST", path, body | {"refresh_token": new[0]})
    check(status == 200 and next_tokens["refresh_token"] != new[0], "the next one is good for one refresh more")
    check(phone("POST", path, body | {"refresh_token": "0" * 128})[0] == 401, "a token that nobody gave is refused")
    return next_tokens


def seed(facts):
    phone, device = Phone(facts["url"]), str(uuid.uuid4())
    verify = lambda code: phone("POST", "/api/v1/mobile/auth/verify", {"code": code, "device_id": device, "device_name": "python"})
    wrong = f"{(int(facts['pairingCode']) + 1) % 1_000_000:06}"
    check(verify(wrong)[0] == 401 and verify("12345a")[0] == 400, "a wrong code is 401, and what is none 400")
    status, tokens = verify(facts["pairingCode"])
    check(status == 200 and tokens["expires_in"] == 600, "the code that the hub shows pairs")
    check(verify(facts["pairingCode"])[0] == 401, "and only once")
    tokens_are_sound(tokens, "Bearer", 600)
    phone.token = rotation(phone, tokens, {})["access_token"]

    pages = [phone("GET", f"/api/v1/mobile/events?page={page}&page_size=20")[1] for page in (1, 2, 3, 4)]
    check([len(page["events"]) for page in pages] == [20, 20, 5, 0] and pages[0]["total"] == 45, "45 events come in pages of 20, 20 and 5")
    check(len({event["id"] for page in pages for event in page["events"]}) == 45, "none of them twice")
    event = pages[0]["events"][0]
    check(phone("GET", f"/api/v1/mobile/events/{event['id']}") == (200, event), "one event is the same by itself")
    check(phone("GET", event["thumbnail_url"])[1][:3] == PICTURE, "its picture is a JPEG")
    check(Phone(facts["url"])("GET", event["thumbnail_url"])[0] == 401, "for those alone who have a token")
    check(len(phone("GET", "/api/v1/mobile/cameras")[1]["cameras"]) == 3, "three cameras are listed")
    register = lambda: phone("POST", "/api/v1/mobile/push/register", {"push_token": "ab" * 32, "platform": "ios"})[0]
    check([register(), register()] == [201, 200], "a device token is registered, and once more")
    check(phone("DELETE", "/api/v1/mobile/push/unregister")[0] == 204, "and withdrawn")


def hub(facts):
    check("pairingCode" not in facts, "no code is shown where only phones ask for codes")
    phone, admin, device = Phone(facts["url"]), Phone(facts["url"], facts["adminToken"]), str(uuid.uuid4())
    status, asked = phone("POST", "/api/v1/mobile/auth/pair", {"device_id": device, "platform": "ios", "device_name": "python"})
    code, how = asked["code"], lambda: phone("GET", f"/api/v1/mobile/auth/status/{asked['code']}")[1]
    check(status == 200 and 290 <= asked["expires_in"] <= 300, "a phone is given a code for five minutes")
    check(how() == {"confirmed": False, "expired": False}, "which waits for a person")
    exchange = lambda: phone("POST", "/api/v1/mobile/auth/exchange", {"code": code})
    check(exchange()[0] == 401, "and is good for nothing before")
    check(admin("GET", "/api/v1/mobile/auth/pending")[1]["pairings"][0]["code"] == code, "the hub's page lists it")
    check(admin("POST", "/api/v1/mobile/auth/confirm", {"code": code})[0] == 200 and how()["confirmed"], "a person confirms it there")
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(lambda _: exchange(), range(4)))
    check(sorted(status for status, _ in answers) == [200, 401, 401, 401], "of four exchanges at once exactly one is answered")
    tokens = next(answer for status, answer in answers if status == 200)
    check(tokens["expires_in"] == 900 and how()["expired"], "its tokens last 900 seconds, as they say, and the code is used up")
    tokens_are_sound(tokens, "bearer", 600)
    refresh = {"refresh_token": tokens["refresh_token"]}
    check(phone("POST", "/api/v1/mobile/auth/refresh", refresh)[0] == 422, "a refresh wants the hub's own ID of the device")
    check(phone("POST", "/api/v1/mobile/auth/refresh", refresh | {"device_id": device})[0] == 401, "and not the phone's")
    phone.token = rotation(phone, tokens, {"device_id": tokens["device_id"]})["access_token"]

    pages = [phone("GET", f"/api/v1/events?limit=20&offset={offset}")[1] for offset in (0, 20, 40, 60)]
    check([page["next_offset"] for page in pages] == [20, 40, None, None], "pages say where the next one begins, until the end")
    check(len({event["id"] for page in pages for event in page["events"]}) == 45, "45 events come, none of them twice")
    event = pages[0]["events"][0]
    check(phone("GET", f"/api/v1/events/{event['id']}")[1]["id"] == event["id"], "one event is there by itself")
    check(Phone(facts["url"])("GET", event["thumbnail_path"])[1][:3] == PICTURE, "its picture is a JPEG for anybody who knows its path")
    check(phone("GET", event["thumbnail_path"].replace("2026", "%2e%2e").replace("2025", "%2e%2e"))[0] == 404, "which leaves no folder")
    check(len(phone("GET", "/api/v1/cameras")[1]) == 3, "three cameras are listed, bare")
    status, row = phone("POST", "/api/v1/devices", {"device_id": device, "platform": "ios", "push_token": "ab" * 32})
    check(status == 201 and row["id"] == tokens["device_id"] and not row["is_new"], "a device token is registered with the device")
    check(Phone(facts["url"])("GET", "/api/v1/nothing")[0] == 401 and phone("GET", "/api/v1/nothing")[0] == 404, "what is not there is behind the wall")
    check(phone("DELETE", f"/api/v1/devices/{device}")[0] == 204, "the device is removed")
    check(phone("GET", "/api/v1/cameras")[0] == 200, "its access token lives on, as the public hub's")


def relay(facts):
    begun = time.monotonic()
    status, answer = Phone(facts["relay"])("GET", "/health")
    took = time.monotonic() - begun
    check(status == 200 and answer["hub_id"] == facts["hubID"] and took >= 0.15, f"the relay is the same hub, {took * 1000:.0f} ms away")
    code = Phone(facts["relay"], facts["adminToken"])("GET", "/api/v1/nothing")[0]
    check(code == 404, "with the same tokens")


OPTIONS = ["--events", "45", "--event-interval", "86400", "--access-lifetime", "600", "--grace", "echoes-old"]
for dialect, visit in (("seed", seed), ("hub", hub)):
    with served(lenssim, "argus", "--dialect", dialect, "--relay-port", "0", "--relay-latency", "150", *OPTIONS) as facts:
        check(facts["dialect"] == dialect, f"the hub speaks {dialect}")
        visit(facts)
        relay(facts)
