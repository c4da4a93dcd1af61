"""An app in Python uses the service that `lenssim serve nova` simulates: PyJWT checks its tokens by the published keys, requests sends its forms,
and pictures go to the storage at addresses that are used as they come.

Usage: nova_client.py LENSSIM PACKAGE. Exits with 1 at the first check that fails. `make clients` prepares everything and runs it.
"""

import concurrent.futures
import hashlib
import sys
import time
import uuid

import jwt
import requests

from peer import check, served

lenssim = sys.argv[1]
PICTURE = b"\xff\xd8\xff\xe0\r\n--boundary\r\n--" + bytes(range(256)) * 40


class App:
    """A client of one address, with a token once it has one."""

    def __init__(self, address, token=None):
        self.address, self.token = address, token
        self.session = requests.Session()

    def __call__(self, method, path, body=None, key=None, **more):
        headers = {}
        if self.token:
            headers["Authorization"] = f"Bearer {self.token}"
        if key:
            headers["Idempotency-Key"] = key
        return self.session.request(method, f"{self.address}{path}", json=body, headers=headers, timeout=20, **more)


def tokens(facts):
    """Signs in and refreshes, and gives an app that is signed in."""
    app = App(facts["url"])
    answer = app("POST", "/auth/signin", {"email": facts["email"], "password": facts["password"]})
    session = answer.json()
    check(answer.status_code == 200 and session["user"]["username"] == "ada", "e-mail and password open a session")
    keys = jwt.PyJWKClient(f"{facts['url']}/.well-known/jwks.json")

    def claims(token):
        key = keys.get_signing_key_from_jwt(token)
        return jwt.decode(token, key, algorithms=["RS256"], options={"require": ["sub", "iat", "exp", "jti"]})

    first = claims(session["access_token"])
    check(first["sub"] == session["user"]["id"] and first["exp"] - first["iat"] == 900, "PyJWT agrees with the token by the published key")
    pair = app("POST", "/auth/refresh", {"refresh_token": session["refresh_token"]}).json()
    check(claims(pair["access_token"])["jti"] != first["jti"], "a refresh gives another token")
    forged = jwt.encode(first, keys.get_signing_key("nova-1").key.public_numbers().n.to_bytes(256), algorithm="HS256")
    app.token = forged
    check(app("GET", "/feed").status_code == 401, "a token of HS256 with the public key opens nothing")
    reuse = app("POST", "/auth/refresh", {"refresh_token": session["refresh_token"]})
    app.token = pair["access_token"]
    check(reuse.status_code == 401 and app("GET", "/feed").status_code == 401, "a used refresh token ends its sign-in")
    app.token = app("POST", "/auth/signin", {"email": facts["email"], "password": facts["password"]}).json()["access_token"]
    return app, session["user"]["id"]


def apple(facts):
    """Signs in with tokens of the simulated issuer."""
    app, raw = App(facts["url"]), uuid.uuid4().hex
    claims = {"sub": "000123.abc", "nonce": hashlib.sha256(raw.encode()).hexdigest()}
    token = requests.post(f"{facts['apple']}/simulator/token", json=claims, timeout=20).json()["identity_token"]
    key = jwt.PyJWKClient(f"{facts['apple']}/auth/keys").get_signing_key_from_jwt(token)
    read = jwt.decode(token, key, algorithms=["RS256"], audience=facts["appleClientID"], issuer="https://" + "appleid.apple.com")
    check(read["nonce"] == claims["nonce"], "PyJWT agrees with the identity token by the issuer's keys")
    body = {"identity_token": token, "user": "000123.abc", "nonce": raw, "full_name": "Zoë"}
    answer = app("POST", "/auth/apple", body)
    check(answer.status_code == 200 and answer.json()["user"]["display_name"] == "Zoë", "an identity token opens a session")
    wrong = app("POST", "/auth/apple", body | {"nonce": "other"})
    check(wrong.status_code == 401 and wrong.json()["error"] == "invalid_identity_token", "another nonce does not")


def publish(app):
    """Uploads and publishes, with repetitions."""
    wish = {"filename": "photo.jpg", "content_type": "image/jpeg"}
    place = app("POST", "/upload/presign", wish).json()
    put = lambda address, **headers: requests.put(address, PICTURE, headers=headers, timeout=20)
    check(put(place["upload_url"], **{"Content-Type": "image/png"}).status_code == 403, "the storage refuses another type than was signed")
    check(put(place["upload_url"] + "&x=1", **{"Content-Type": "image/jpeg"}).status_code == 403, "and an address that was changed")
    stored = put(place["upload_url"], **{"Content-Type": "image/jpeg"})
    check(stored.headers["ETag"].strip('"') == hashlib.md5(PICTURE).hexdigest(), "the storage takes the picture at its address")
    body, key = {"image_key": place["file_key"], "caption": "Grüße"}, str(uuid.uuid4())
    with concurrent.futures.ThreadPoolExecutor(6) as pool:
        answers = list(pool.map(lambda _: app("POST", "/posts", body, key), range(6)))
    made = [answer for answer in answers if answer.status_code == 201]
    check({answer.status_code for answer in answers} <= {201, 409} and len({answer.content for answer in made}) == 1, "six posts at once with one key are one")
    again = app("POST", "/posts", body, f'"{key}"')
    check(again.content == made[0].content and again.headers["Idempotent-Replayed"] == "true", "a repetition gets the same bytes, also with the key in quotes")
    check(app("POST", "/posts", body | {"caption": "x"}, key).status_code == 422, "another body under the key is refused")
    post = made[0].json()
    newest = app("GET", "/feed").json()["posts"][0]
    check(newest["id"] == post["id"] and newest["caption"] == "Grüße", "the post is on top of the feed")
    check(requests.get(post["image_url"], timeout=20).content == PICTURE, "and its picture can be read by anybody")


def profile(app, user):
    """Sends forms as requests writes them."""
    form = {"display_name": (None, "Ada „L“"), "bio": (None, "line\r\nline"), "avatar": ('a"b.jpg', PICTURE, "image/jpeg")}
    answer = app("PATCH", f"/users/{user}", files=form)
    check(answer.status_code == 200 and answer.json()["display_name"] == "Ada „L“" and answer.json()["bio"] == "line\r\nline", "a form of requests changes the profile")
    check(requests.get(answer.json()["avatar_url"], timeout=20).content == PICTURE, "and the picture in it stays as it was sent")
    text = app("PATCH", f"/users/{user}", files={"avatar": ("a.jpg", b"no picture", "image/jpeg")})
    check(text.status_code == 400 and "avatar" in text.json()["fields"], "what is no picture is refused")


def limits(facts):
    app = App(facts["url"])
    body = {"email": "nobody@nova.example", "password": "wrong"}
    answers = [app("POST", "/auth/signin", body) for _ in range(6)]
    check([answer.status_code for answer in answers] == [401] * 5 + [429], "the sixth wrong password in a minute waits")
    check(int(answers[5].headers["Retry-After"]) == answers[5].json()["retry_after"], "with the same hint in header and body")
    events = [{"name": "app_open", "category": "lifecycle", "parameters": {}, "timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()),
               "device_id": "d", "platform": "python", "app_version": "1", "event_id": str(uuid.uuid4())}]
    check(app("POST", "/analytics/events", events).json() == {"accepted": 1}, "events are taken from anybody")
    check(app("POST", "/analytics/events", events).json() == {"accepted": 0}, "and once each")


with served(lenssim, "nova") as facts:
    app, user = tokens(facts)
    apple(facts)
    publish(app)
    profile(app, user)
    limits(facts)
