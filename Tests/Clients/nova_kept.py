"""A served Nova that is killed in the middle of its work has all that it has acknowledged when it is started again.

Usage: nova_kept.py LENSSIM PACKAGE. Exits with 1 at the first check that fails. `make clients` prepares everything and runs it.
"""

import concurrent.futures
import contextlib
import hashlib
import json
import subprocess
import sys
import tempfile
import threading
import time
import uuid

import requests

from peer import check

lenssim = sys.argv[1]
PICTURE = b"\xff\xd8\xff\xe0" + bytes(range(256)) * 8
WRITERS = 6


@contextlib.contextmanager
def serving(folder):
    """The service on what a folder has; it is killed in the end, whatever it does."""
    command = [lenssim, "serve", "nova", "--json", "--data", folder, "--constant-keys", "--unlimited", "--posts", "6"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield process, json.loads(process.stdout.readline())
    finally:
        process.kill()
        process.wait()


class App:
    """Somebody who writes, and keeps what was acknowledged."""

    def __init__(self, facts):
        self.url, self.session, self.acknowledged = facts["url"], requests.Session(), []
        answer = self.session.post(f"{self.url}/auth/signin", json={"email": facts["email"], "password": facts["password"]}, timeout=20).json()
        self.refresh, self.user = answer["refresh_token"], answer["user"]["id"]
        self.session.headers["Authorization"] = f"Bearer {answer['access_token']}"

    def feed(self):
        return self.session.get(f"{self.url}/feed?limit=50", timeout=20).json()["posts"]

    def change(self, method, path, body, key):
        answer = self.session.request(method, f"{self.url}{path}", json=body, headers={"Idempotency-Key": key}, timeout=20)
        if answer.ok:
            self.acknowledged.append((method, path, body, key, answer.content))
        return answer

    def publish(self, caption):
        place = self.session.post(f"{self.url}/upload/presign", json={"filename": "a.jpg", "content_type": "image/jpeg"}, timeout=20).json()
        requests.put(place["upload_url"], PICTURE, headers={"Content-Type": "image/jpeg"}, timeout=20).raise_for_status()
        return self.change("POST", "/posts", {"image_key": place["file_key"], "caption": caption}, str(uuid.uuid4()))

    def write(self, post, ended):
        """Comments, likes and posts until nobody answers."""
        number = 0
        with contextlib.suppress(requests.RequestException):
            while not ended.is_set():
                number += 1
                self.change("POST", f"/posts/{post}/comments", {"text": f"{id(self)} {number}"}, str(uuid.uuid4()))
                self.change("POST" if number % 2 else "DELETE", f"/posts/{post}/like", None, str(uuid.uuid4()))
                if number % 10 == 0:
                    self.publish(f"{id(self)} {number}")


def killed(folder):
    """Kills the service while several write, and gives what each has heard."""
    with serving(folder) as (process, facts):
        apps, ended = [App(facts) for _ in range(WRITERS)], threading.Event()
        spent = apps[0].refresh
        apps[0].refresh = requests.post(f"{facts['url']}/auth/refresh", json={"refresh_token": spent}, timeout=20).json()["refresh_token"]
        posts = [post["id"] for post in apps[0].feed()]
        with concurrent.futures.ThreadPoolExecutor(WRITERS) as pool:
            for app, post in zip(apps, posts):
                pool.submit(app.write, post, ended)
            time.sleep(2)
            process.kill()
            ended.set()
    return apps, posts, spent


with tempfile.TemporaryDirectory() as folder:
    apps, posts, spent = killed(folder)
    done = [one for app in apps for one in app.acknowledged]
    with serving(folder) as (_, facts):
        session = requests.Session()
        session.headers["Authorization"] = apps[1].session.headers["Authorization"]
        get = lambda path: session.get(f"{facts['url']}{path}", timeout=20).json()
        comments = {}
        for post in posts:
            page, comments[post] = 0, []
            while True:
                found = get(f"/posts/{post}/comments?limit=50&page={page}")
                comments[post] += [one["text"] for one in found["comments"]]
                page += 1
                if not found["has_more"]:
                    break
        wanted = [(path.split("/")[2], body["text"]) for _, path, body, _, _ in done if path.endswith("/comments")]
        check(len(wanted) > 20 and all(comments[post].count(text) == 1 for post, text in wanted), f"each of {len(wanted)} comments that were acknowledged is there once")
        made = [json.loads(content)["id"] for method, path, _, _, content in done if path == "/posts"]
        feed = [post["id"] for page in range(9) for post in get(f"/feed?limit=50&page={page}")["posts"]]
        check(made and set(made) <= set(feed) and len(feed) == len(set(feed)), f"and each of {len(made)} posts")
        picture = requests.get(f"{facts['s3']}/nova/{next(body['image_key'] for _, path, body, _, _ in done if path == '/posts')}", timeout=20)
        check(hashlib.md5(picture.content).digest() == hashlib.md5(PICTURE).digest(), "with the pictures that were uploaded")
        again = [session.request(method, f"{facts['url']}{path}", json=body, headers={"Idempotency-Key": key}, timeout=20) for method, path, body, key, _ in done[-40:]]
        check(all(answer.content == content for answer, (*_, content) in zip(again, done[-40:])), "what is repeated under its key is answered with the same bytes")
        renew = lambda token: requests.post(f"{facts['url']}/auth/refresh", json={"refresh_token": token}, timeout=20).status_code
        check(renew(apps[0].refresh) == 200 and renew(spent) == 401, "a refresh token goes on, and one that was used is refused")
