"""The core of Argus pairs with a hub that shares no code with it, and speaks as the public hub does.

Usage: argus_hub.py ARGUS-VISITOR. Exits with 1 at the first check that fails. `make clients` prepares everything and runs it.

The hub is written from runs of the public one: names, statuses and traps are its own, such as a refresh token that is given back for 30 seconds
after its use, an `expires_in` that has nothing to do with the token, and pages that move while events come.
"""

import contextlib
import datetime
import http.server
import json
import re
import secrets
import socket
import subprocess
import sys
import threading
import time
import urllib.parse
import uuid

from peer import check

GRACE = 30
PICTURE = bytes.fromhex("ffd8ffe000104a46494600010100000100010000ffd9")


class Refusal(Exception):
    def __init__(self, status, detail):
        self.status, self.detail = status, detail


class Hub:
    """What the hub knows. One lock for all of it."""

    def __init__(self, events):
        self.lock = threading.Lock()
        self.codes, self.rows, self.access, self.refresh = {}, {}, {}, {}
        self.push, self.calls, self.failures = {}, [], []
        self.cameras = [
            {"id": str(uuid.uuid4()), "name": "Front", "type": "rtsp", "is_enabled": True, "rtsp_url": "rtsp://x"},
            {"id": str(uuid.uuid4()), "name": "Garden", "type": "usb", "is_enabled": True, "frame_rate": 5},
        ]
        self.events = []
        for number in range(events):
            self.happen(number)

    def happen(self, number):
        """Newest first; every other picture is where POST puts it, and every third instant has no fraction."""
        day = "2026-01-05"
        moment = datetime.datetime(2026, 1, 5, 12, tzinfo=datetime.UTC) + datetime.timedelta(seconds=number)
        name = str(uuid.uuid4())
        self.events.insert(0, {
            "id": name,
            "camera_id": self.cameras[number % 2]["id"] if number % 5 else str(uuid.uuid4()),
            "camera_name": None,
            "timestamp": moment.strftime("%Y-%m-%dT%H:%M:%SZ" if number % 3 == 0 else "%Y-%m-%dT%H:%M:%S.250000Z"),
            "description": f"Event {number}",
            "confidence": 80,
            "objects_detected": ["person"] if number % 2 else ["unknown"],
            "smart_detection_type": ["vehicle", None, "hovercraft"][number % 3],
            "is_doorbell_ring": False,
            "analysis_mode": "of_another_version",
            "thumbnail_path": (f"{day}/event_{name}.jpg" if number % 2 else f"/api/v1/thumbnails/{day}/event_{name}.jpg"),
            "thumbnail_base64": None,
            "matched_entity": None,
        })

    # Tokens

    def tokens(self, row, refresh):
        access = secrets.token_urlsafe(24)
        self.access[access] = row
        return {"access_token": access, "refresh_token": refresh, "token_type": "bearer", "expires_in": 900, "device_id": row}

    def next_refresh(self, row):
        token = secrets.token_hex(64)
        self.refresh[token] = {"row": row, "used": None}
        return token

    # Calls

    def pair(self, body):
        text(body, "device_id"), text(body, "platform")
        if body["platform"] not in ("ios", "android"):
            raise invalid("platform")
        code = f"{secrets.randbelow(1_000_000):06}"
        self.codes[code] = {"device": body["device_id"], "confirmed": False, "end": time.monotonic() + 300}
        return 200, {"code": code, "expires_in": 299, "expires_at": "2026-01-05T12:05:00Z"}

    def status(self, code):
        found = self.codes.get(code)
        return 200, {"confirmed": bool(found and found["confirmed"]), "expired": not found or found["end"] < time.monotonic()}

    def exchange(self, body):
        found = self.codes.get(text(body, "code"))
        if not found or not found["confirmed"] or found["end"] < time.monotonic():
            raise Refusal(401, "Invalid or expired pairing code")
        del self.codes[body["code"]]
        row = self.rows.setdefault(found["device"], str(uuid.uuid4()))
        return 200, self.tokens(row, self.next_refresh(row))

    def renew(self, body):
        token, row = text(body, "refresh_token"), text(body, "device_id")
        found = self.refresh.get(token)
        if not found or found["row"] != row:
            raise Refusal(401, "Invalid refresh token")
        if found["used"] is None:
            found["used"] = time.monotonic()
            return 200, self.tokens(row, self.next_refresh(row))
        if time.monotonic() - found["used"] > GRACE:
            raise Refusal(401, "Invalid refresh token")
        return 200, self.tokens(row, token)

    def revoke(self, row, body):
        token = body.get("refresh_token")
        found = self.refresh.get(token)
        family = [key for key, value in self.refresh.items() if found and value["row"] == found["row"] == row]
        live = [key for key in family if self.refresh.pop(key)["used"] is None]
        return 200, {"revoked_count": len(live)}

    def page(self, query):
        limit, offset = (number(query, "limit", 50, 1, 500), number(query, "offset", 0, 0, 1 << 60))
        some, total = self.events[offset : offset + limit], len(self.events)
        more = offset + len(some) < total
        return 200, {
            "events": some, "total_count": total, "has_more": more, "next_offset": offset + len(some) if more else None,
            "limit": limit, "offset": offset,
        }

    def event(self, name):
        found = next((event for event in self.events if event["id"] == name), None)
        if found is None:
            raise Refusal(404, f"Event {name} not found")
        return 200, found | {"correlated_events": []}

    def add_device(self, body):
        device, is_new = text(body, "device_id"), body["device_id"] not in self.rows
        row = self.rows.setdefault(device, str(uuid.uuid4()))
        if body.get("push_token"):
            self.push[device] = body["push_token"]
        return 201, {"id": row, "device_id": device, "platform": body.get("platform"), "created_at": "2026-01-05T12:00:00Z", "is_new": is_new}

    def remove_device(self, device):
        if self.rows.pop(device, None) is None:
            raise Refusal(404, "Device not found")
        self.push.pop(device, None)
        return 204, None


def invalid(name):
    return Refusal(422, [{"type": "value_error", "loc": ["body", name], "msg": "Input is not valid", "input": None}])


def text(body, name):
    if not isinstance(body, dict) or not isinstance(body.get(name), str) or not body[name]:
        raise invalid(name)
    return body[name]


def number(query, name, usual, least, most):
    try:
        value = int(query.get(name, [usual])[0])
    except ValueError:
        raise invalid(name) from None
    if not least <= value <= most:
        raise invalid(name)
    return value


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def answer(self):
        hub, place = self.server.hub, urllib.parse.urlsplit(self.path)
        length = int(self.headers.get("Content-Length") or 0)
        data = self.rfile.read(length)
        with hub.lock:
            hub.calls.append((self.command, self.path, self.headers.get("Authorization"), data.decode()))
            failure = next((one for one in hub.failures if re.search(one[0], self.path)), None)
            if failure:
                hub.failures.remove(failure)
        if failure and failure[1] == "before":
            return self.write(500, b"Internal Server Error", "text/plain; charset=utf-8")
        try:
            with hub.lock:
                status, answer = self.route(hub, place, data)
        except Refusal as refusal:
            status, answer = refusal.status, {"detail": refusal.detail}
        if failure:
            # It took effect, and nobody hears of it.
            self.close_connection = True
            return self.connection.close()
        if isinstance(answer, bytes):
            return self.write(status, answer, "image/jpeg")
        self.write(status, b"" if answer is None else json.dumps(answer).encode(), "application/json")

    do_GET = do_POST = do_DELETE = answer

    def route(self, hub, place, data):
        method, path = self.command, urllib.parse.unquote(place.path)
        try:
            body = json.loads(data) if data else {}
        except ValueError:
            raise invalid("body") from None
        auth = "/api/v1/mobile/auth/"
        match method, path:
            case "POST", "/api/v1/mobile/auth/pair": return hub.pair(body)
            case "POST", "/api/v1/mobile/auth/exchange": return hub.exchange(body)
            case "POST", "/api/v1/mobile/auth/refresh": return hub.renew(body)
            case "GET", _ if path.startswith(auth + "status/"): return hub.status(path.rsplit("/", 1)[1])
            case "GET", _ if path.startswith("/api/v1/thumbnails/"):
                known = re.fullmatch(r"/api/v1/thumbnails/2026-01-05/event_(.*)\.jpg", path)
                return (200, PICTURE) if known and hub.event(known[1]) else (404, None)
        scheme, _, token = (self.headers.get("Authorization") or "").partition(" ")
        if scheme != "Bearer" or not token:
            raise Refusal(401, "Not authenticated")
        if token not in hub.access:
            raise Refusal(401, "Invalid token")
        match method, path:
            case "GET", "/api/v1/events": return hub.page(urllib.parse.parse_qs(place.query))
            case "GET", "/api/v1/cameras": return 200, hub.cameras
            case "GET", _ if path.startswith("/api/v1/events/"): return hub.event(path.rsplit("/", 1)[1])
            case "POST", "/api/v1/mobile/auth/revoke": return hub.revoke(hub.access[token], body)
            case "POST", "/api/v1/devices": return hub.add_device(body)
            case "DELETE", _ if path.startswith("/api/v1/devices/"): return hub.remove_device(path.rsplit("/", 1)[1])
        raise Refusal(404, "Not Found")

    def write(self, status, body, kind):
        self.send_response(status)
        self.send_header("Content-Type", kind)
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, hub, port=0):
        super().__init__(("127.0.0.1", port), Handler)
        self.hub, self.open = hub, set()
        threading.Thread(target=self.serve_forever, daemon=True).start()

    def process_request(self, request, address):
        self.open.add(request)
        super().process_request(request, address)

    def end(self):
        """Ends as a machine that is switched off, with all connections."""
        self.shutdown()
        self.server_close()
        for connection in self.open:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, request, address):
        pass


class Visitor:
    """The app's core in a process of its own."""

    def __init__(self, program, address):
        self.process = subprocess.Popen([program, address, "hub"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, *words):
        self.process.stdin.write(" ".join(words) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"the visitor ended with {self.process.wait()}")
        return json.loads(line)


def until(holds, seconds=10):
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return holds()


def main():
    hub = Hub(45)
    server = Server(hub)
    port = server.server_address[1]
    visit = Visitor(sys.argv[1], f"http://127.0.0.1:{port}")
    try:
        journey(hub, server, port, visit)
    finally:
        visit.process.kill()
        visit.process.wait()


def journey(hub, server, port, visit):
    paths = lambda: [path for _, path, _, _ in hub.calls]
    code = visit("code")["code"]
    check(re.fullmatch(r"[0-9]{6}", code or ""), f"the hub gives a code, and the app shows it: {code}")
    hub.failures += [("auth/status", "before"), ("auth/exchange", "before")]
    hub.codes[code]["confirmed"] = True
    paired = visit("paired")
    check(paired["root"] == "events", f"a person confirms it, and the app is paired, though a question and an exchange failed first: {paired}")
    check(paths().count("/api/v1/mobile/auth/exchange") == 2 and not any(token for _, path, token, _ in hub.calls if "/auth/" in path),
          "the code was exchanged, without a token of anybody")
    check(until(lambda: len(hub.push) == 1 and len(next(iter(hub.push.values()))) == 64), "its device token is registered at /devices")

    first = visit("list")
    check(first["ids"] == [event["id"] for event in hub.events[:20]] and first["hasMore"], "the first page is listed")
    check({"Front", "Garden"} < set(first["cameras"]) and {"vehicle", "person", "generic"} <= set(first["icons"]),
          f"with cameras and kinds, unknown ones too: {sorted(set(first['icons']))}")
    before = [event["id"] for event in hub.events]
    hub.happen(45), hub.happen(46)
    last = [visit("more") for _ in range(4)][-1]
    check(last["ids"] == before and not last["hasMore"], "later pages have no event twice, though two came meanwhile, and there is an end")
    check([path.partition("?")[2] for path in paths() if path.startswith("/api/v1/events?")]
          == [f"limit=20&offset={offset}" for offset in (0, 0, 20, 40, 60)],
          "pages are asked for by their offset, the first one when the list appears, and when it is wanted again")

    for event in hub.events[:2]:
        detail = visit("detail", event["id"])
        check(detail["description"] == event["description"] and detail["pictureBytes"] == len(PICTURE),
              f"an event is shown with its picture from {event['thumbnail_path'][:24]}…")
    gone = hub.events.pop()
    check("not have this" in visit("detail", gone["id"])["error"], "an event that is gone is said to be gone")

    hub.access.clear()
    check(len(visit("list")["ids"]) == 20, "a token that is refused is renewed, and the call goes out again")
    refreshes = [json.loads(body) for method, path, _, body in hub.calls if path.endswith("/auth/refresh")]
    row = next(iter(hub.rows.values()))
    check([one["device_id"] for one in refreshes] == [row], "with the hub's own ID of the device")
    visit("relaunch")
    check("error" not in visit("refresh") and visit("list")["root"] == "events", "after a new launch it is renewed again, with the newest refresh token")
    hub.failures.append(("auth/refresh", "after"))
    lost = visit("refresh")
    check("error" not in lost and visit("list")["root"] == "events",
          "a refresh whose answer is lost is asked for again, and the session goes on for as long as the access token")

    server.end()
    away = visit("list")
    check("cannot be reached" in away["error"] and away["root"] == "events", "a hub that is switched off cannot be reached, and the session stays")
    check(len(away["ids"]) == 20, "what was listed stays")
    server = Server(hub, port)
    back = visit("list")
    check("error" not in back and len(back["ids"]) == 20, "when it is back its events are listed again")

    for token in hub.refresh.values():
        token["used"] = token["used"] and token["used"] - 2 * GRACE
    hub.access.clear()
    ended = visit("list")
    check(ended["root"] == "pairing", f"the old refresh token, which the hub had given back, is refused after its grace: {ended['root']}")

    code = visit("code")["code"]
    hub.codes[code]["confirmed"] = True
    check(visit("paired")["root"] == "events" and len(hub.rows) == 1, "it is paired again, as the same device")
    until(lambda: hub.push)
    check(visit("leave")["root"] == "pairing", "it signs out")
    check(until(lambda: not hub.push and not hub.rows), "and the hub revokes the session and forgets the device")
    server.end()


if __name__ == "__main__":
    main()
