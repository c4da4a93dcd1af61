"""A service of Nova that shares no code with this package: tokens by PyJWT, forms by python-multipart, places for pictures by boto3.

Written from the description of the service alone. One lock for all of it, and nothing outlives the process.
"""

import contextlib
import datetime
import hashlib
import http.server
import io
import json
import re
import socket
import threading
import time
import urllib.parse
import uuid

import boto3
import jwt
import python_multipart
from botocore.config import Config
from cryptography.hazmat.primitives.asymmetric import rsa
from PIL import Image

CLIENT = "dev.lenssim.nova"
ISSUER = "https://" + "appleid.apple.com"


class Refusal(Exception):
    def __init__(self, status, error, **more):
        self.status, self.body = status, {"error": error, "message": error} | more


def instant(moment):
    return datetime.datetime.fromtimestamp(moment, datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


class Nova:
    """What the service knows."""

    def __init__(self, storage, keys):
        self.lock = threading.Lock()
        self.key = rsa.generate_private_key(65537, 2048)
        self.apple_key = rsa.generate_private_key(65537, 2048)
        self.users, self.posts, self.comments, self.likes = {}, [], {}, set()
        self.refresh, self.ended, self.revoked, self.answers = {}, set(), set(), {}
        self.uploads, self.batches, self.calls, self.failures, self.identities = {}, [], [], [], []
        self.forms = []
        self.s3 = boto3.client(
            "s3", endpoint_url=storage, aws_access_key_id=keys[0], aws_secret_access_key=keys[1], region_name="us-east-1",
            config=Config(signature_version="s3v4", s3={"addressing_style": "path"}),
        )
        self.s3.create_bucket(Bucket="nova")

    # Tokens

    def session(self, user, family=None):
        family = family or uuid.uuid4().hex
        now = int(time.time())
        claims = {"sub": user, "iat": now, "exp": now + 900, "jti": uuid.uuid4().hex, "family": family}
        refresh = uuid.uuid4().hex
        self.refresh[refresh] = {"user": user, "family": family, "used": False}
        return {"access_token": jwt.encode(claims, self.key, algorithm="RS256"), "refresh_token": refresh}

    def caller(self, field):
        try:
            claims = jwt.decode((field or "").removeprefix("Bearer "), self.key.public_key(), algorithms=["RS256"])
        except jwt.PyJWTError:
            raise Refusal(401, "unauthorized") from None
        if claims["family"] in self.ended or claims["jti"] in self.revoked:
            raise Refusal(401, "unauthorized")
        return claims["sub"], claims

    def renew(self, body):
        found = self.refresh.get(body["refresh_token"])
        if not found or found["family"] in self.ended:
            raise Refusal(401, "unauthorized")
        if found["used"]:
            self.ended.add(found["family"])
            raise Refusal(401, "unauthorized")
        found["used"] = True
        return 200, self.session(found["user"], found["family"])

    # People

    def add_user(self, username, email=None, password=None, apple=None, name=None):
        if any(user["username"] == username or email and user["email"] == email for user in self.users.values()):
            raise Refusal(409, "conflict")
        one = {"id": str(uuid.uuid4()), "username": username, "display_name": name or username, "bio": None, "avatar_url": None,
               "email": email, "password": password, "apple": apple}
        self.users[one["id"]] = one
        return one

    def shown(self, user):
        hidden = ("email", "password", "apple", "avatar")
        return {name: value for name, value in self.users[user].items() if name not in hidden}

    def enter(self, user):
        return self.session(user["id"]) | {"user": self.shown(user["id"])}

    def sign_in(self, body):
        for user in self.users.values():
            if user["email"] == body["email"] and user["password"] == body["password"]:
                return 200, self.enter(user)
        raise Refusal(401, "unauthorized")

    def sign_up(self, body):
        return 201, self.enter(self.add_user(body["username"], body["email"], body["password"]))

    def identity(self, body):
        """What the sheet of the system gives: a token with the digest of the nonce."""
        now = int(time.time())
        claims = {"iss": ISSUER, "aud": CLIENT, "sub": "000777.f00", "iat": now, "exp": now + 600,
                  "nonce": hashlib.sha256(body["nonce"].encode()).hexdigest(), "nonce_supported": True, "email_verified": "true"}
        return 200, {"identity_token": jwt.encode(claims, self.apple_key, algorithm="RS256", headers={"kid": "one"}), "user": claims["sub"]}

    def sign_in_with_apple(self, body):
        try:
            claims = jwt.decode(
                body["identity_token"], self.apple_key.public_key(), algorithms=["RS256"], audience=CLIENT, issuer=ISSUER,
                options={"require": ["sub", "iat", "exp", "nonce"]},
            )
        except jwt.PyJWTError:
            raise Refusal(401, "invalid_identity_token") from None
        if claims["nonce"] != hashlib.sha256(body["nonce"].encode()).hexdigest() or claims["sub"] != body["user"]:
            raise Refusal(401, "invalid_identity_token")
        self.identities.append(body)
        known = next((user for user in self.users.values() if user["apple"] == claims["sub"]), None)
        return 200, self.enter(known or self.add_user("zoe", body.get("email"), apple=claims["sub"], name=body.get("full_name")))

    def change_user(self, user, target, kind, data):
        if target != user:
            raise Refusal(403, "forbidden")
        fields, files = {}, {}
        python_multipart.parse_form(
            {"Content-Type": kind, "Content-Length": str(len(data))}, io.BytesIO(data),
            lambda field: fields.update({field.field_name.decode(): (field.value or b"").decode()}),
            lambda file: files.update({file.field_name.decode(): (file.file_object.seek(0), file.file_object.read())[1]}),
        )
        self.forms.append((fields, files))
        one = self.users[user]
        one.update({name: value for name, value in fields.items() if name in ("display_name", "bio")})
        if "avatar" in files:
            one["avatar"] = files["avatar"]
        return 200, self.shown(user)

    # Posts

    def add_post(self, author, caption, image=None):
        post = {"id": str(uuid.uuid4()), "author": author, "caption": caption, "image_url": image, "created_at": instant(time.time())}
        self.posts.insert(0, post)
        return post

    def card(self, post, viewer):
        return post | {
            "author": self.shown(post["author"]), "like_count": sum(one == post["id"] for _, one in self.likes),
            "comment_count": len(self.comments.get(post["id"], [])), "is_liked": (viewer, post["id"]) in self.likes,
        }

    def post(self, name):
        found = next((post for post in self.posts if post["id"] == name), None)
        if not found:
            raise Refusal(404, "not_found")
        return found

    def presign(self, user, body):
        key = f"uploads/{user}/{uuid.uuid4().hex}/{body['filename']}"
        wish = {"Bucket": "nova", "Key": key, "ContentType": body["content_type"]}
        self.uploads[key] = user
        address = self.s3.generate_presigned_url("put_object", wish, ExpiresIn=900)
        return 200, {"upload_url": address, "file_key": key, "expires_at": instant(time.time() + 900)}

    def publish(self, user, body):
        key = body["image_key"]
        if key not in self.uploads:
            raise Refusal(400, "validation_error", fields={"image_key": "is unknown"})
        if self.uploads[key] != user:
            raise Refusal(403, "forbidden")
        picture = self.picture(key)
        if not picture:
            raise Refusal(400, "validation_error", fields={"image_key": "was not uploaded"})
        post = self.add_post(user, body["caption"], f"https://pictures.example.org/{key}")
        return 201, {name: post[name] for name in ("id", "image_url", "created_at")}

    def picture(self, key):
        try:
            return self.s3.get_object(Bucket="nova", Key=key)["Body"].read()
        except self.s3.exceptions.NoSuchKey:
            return None

    def comment(self, user, post, body):
        one = {"id": str(uuid.uuid4()), "post_id": self.post(post)["id"], "author": user, "text": body["text"], "created_at": instant(time.time())}
        self.comments.setdefault(post, []).insert(0, one)
        return 201, {"id": one["id"], "created_at": one["created_at"]}

    def page(self, query, name, rows):
        number, limit = int(query.get("page", ["0"])[0]), min(50, int(query.get("limit", ["20"])[0]))
        return 200, {name: rows[number * limit : (number + 1) * limit], "has_more": len(rows) > (number + 1) * limit}

    # Calls

    def answer(self, method, target, headers, data):
        path, query = urllib.parse.unquote(target.path), urllib.parse.parse_qs(target.query)
        is_json = headers.get("Content-Type", "").startswith("application/json")
        body = json.loads(data) if data and is_json else {}
        match method, path:
            case "POST", "/auth/signin": return self.sign_in(body)
            case "POST", "/auth/signup": return self.sign_up(body)
            case "POST", "/auth/apple": return self.sign_in_with_apple(body)
            case "POST", "/auth/refresh": return self.renew(body)
            case "POST", "/issuer/token": return self.identity(body)
            case "POST", "/analytics/events":
                return self.once(("", method, path, headers.get("Idempotency-Key")), data, lambda: self.track(data))
        user, claims = self.caller(headers.get("Authorization"))
        work = lambda: self.signed_in(method, path, query, headers, data, body, user, claims)
        key = headers.get("Idempotency-Key")
        needs = method == "POST" and (path == "/posts" or path.endswith(("/like", "/comments")))
        if needs and not key:
            raise Refusal(400, "validation_error", fields={"Idempotency-Key": "is missing"})
        return self.once((user, method, path, key), data, work) if key else work()

    def once(self, scope, data, work):
        if scope in self.answers:
            before, answer = self.answers[scope]
            if before != data:
                raise Refusal(422, "idempotency_key_reused")
            return answer
        answer = work()
        if scope[-1]:
            self.answers[scope] = (data, answer)
        return answer

    def track(self, data):
        self.batches.append(data)
        return 200, {}

    def signed_in(self, method, path, query, headers, data, body, user, claims):
        parts = path.strip("/").split("/")
        match method, *parts:
            case "POST", "auth", "signout":
                self.ended.add(claims["family"])
                return 204, None
            case "GET", "feed": return self.page(query, "posts", [self.card(post, user) for post in self.posts])
            case "POST", "posts": return self.publish(user, body)
            case "POST", "upload", "presign": return self.presign(user, body)
            case "GET", "posts", post: return 200, self.card(self.post(post), user)
            case "POST", "posts", post, "like":
                self.likes.add((user, self.post(post)["id"]))
                return 200, {}
            case "DELETE", "posts", post, "like":
                self.likes.discard((user, self.post(post)["id"]))
                return 200, {}
            case "GET", "posts", post, "comments":
                rows = [one | {"author": self.shown(one["author"])} for one in self.comments.get(self.post(post)["id"], [])]
                return self.page(query, "comments", rows)
            case "POST", "posts", post, "comments": return self.comment(user, post, body)
            case "GET", "users", target:
                mine = [self.card(post, user) for post in self.posts if post["author"] == target]
                return 200, self.shown(target) | {"posts": mine[:20], "has_more": len(mine) > 20}
            case "PATCH", "users", target: return self.change_user(user, target, headers["Content-Type"], data)
        raise Refusal(404, "not_found")


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_):
        pass

    def call(self):
        nova, target = self.server.nova, urllib.parse.urlsplit(self.path)
        data = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        with nova.lock:
            nova.calls.append((self.command, self.path, dict(self.headers), data))
            failure = next((one for one in nova.failures if re.fullmatch(one[0], f"{self.command} {target.path}")), None)
            if failure:
                nova.failures.remove(failure)
            try:
                status, answer = (failure[1], {"error": "x"}) if failure and failure[1] else nova.answer(self.command, target, self.headers, data)
            except Refusal as refusal:
                status, answer = refusal.status, refusal.body
        if failure and not failure[1]:
            # It took effect, and nobody hears of it.
            self.close_connection = True
            return self.connection.shutdown(socket.SHUT_RDWR)
        body = b"" if answer is None else json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        if status != 204:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_POST = do_DELETE = do_PATCH = call


class Server(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, address):
        pass


@contextlib.contextmanager
def serving(nova):
    """Gives the address at which the service can be reached."""
    server = Server(("127.0.0.1", 0), Handler)
    server.nova = nova
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()
