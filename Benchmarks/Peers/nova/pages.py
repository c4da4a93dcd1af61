"""Pages of a feed of 2,000 posts for each second of a core: `lenssim serve nova`, and a service on FastAPI, uvicorn and SQLite.

    pages.py LENSSIM [SECONDS]

Both serve the same posts with the same answers, which is checked: pages of 20, from the first to the last and again, with a token whose signature of RS256 each of
them checks. Counted is the processor time of each server, user and system; the client is one process that sends the next request when it has
read the answer to the one before, over one connection, and costs the server nothing. Prints a line of JSON for each server, and the ratio.
`Peers/nova/build` prints the Python to run it with; LENSSIM is a release build.
"""

import json
import pathlib
import sqlite3
import subprocess
import sys
import tempfile
import urllib.request

import jwt
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from serving import Client, ended, rate, served  # noqa: E402

POSTS, SIZE = 2_000, 20
PATHS = [f"/feed?page={page}&limit={SIZE}" for page in range(POSTS // SIZE)]
TABLES = """
CREATE TABLE users (id TEXT PRIMARY KEY, username TEXT, display_name TEXT, avatar_url TEXT, bio TEXT);
CREATE TABLE posts (number INTEGER PRIMARY KEY, id TEXT UNIQUE, author TEXT, image_url TEXT, caption TEXT, created_at TEXT);
CREATE TABLE likes (post TEXT, user TEXT, PRIMARY KEY (post, user)) WITHOUT ROWID;
CREATE TABLE comments (post TEXT, number INTEGER, PRIMARY KEY (post, number)) WITHOUT ROWID;
"""


def signed_in(facts):
    """A token of the first person, and the key that checks it."""
    body = json.dumps({"email": facts["email"], "password": facts["password"]}).encode()
    request = urllib.request.Request(f"{facts['url']}/auth/signin", body, {"Content-Type": "application/json"})
    with urllib.request.urlopen(request) as answer:
        token = json.load(answer)["access_token"]
    key = jwt.PyJWKClient(f"{facts['url']}/.well-known/jwks.json").get_signing_key_from_jwt(token).key
    return token, key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def fill(file, pages, viewer):
    """A database from which the same pages come."""
    with sqlite3.connect(file) as database:
        database.executescript(TABLES)
        for number, post in enumerate(reversed([post for page in pages for post in page["posts"]])):
            author = post["author"]
            database.execute("INSERT OR IGNORE INTO users VALUES (:id, :username, :display_name, :avatar_url, :bio)", author)
            row = (number, post["id"], author["id"], post["image_url"], post["caption"], post["created_at"])
            database.execute("INSERT INTO posts VALUES (?, ?, ?, ?, ?, ?)", row)
            likers = [viewer] if post["is_liked"] else []
            likers += [f"liker {index}" for index in range(post["like_count"] - len(likers))]
            database.executemany("INSERT INTO likes VALUES (?, ?)", [(post["id"], liker) for liker in likers])
            database.executemany("INSERT INTO comments VALUES (?, ?)", [(post["id"], index) for index in range(post["comment_count"])])


def main():
    program, seconds = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 10
    command = [program, "serve", "nova", "--json", "--posts", str(POSTS), "--users", "50", "--unlimited"]
    with ended(subprocess.Popen(command, stdout=subprocess.PIPE, text=True)) as process, tempfile.TemporaryDirectory() as folder:
        facts = json.loads(process.stdout.readline())
        token, key = signed_in(facts)
        client = Client(facts["url"], token)
        pages = [json.loads(client.get(path)) for path in PATHS]
        own = {"server": "lenssim serve nova", **rate(process.pid, client, PATHS, seconds)}
        database, public = pathlib.Path(folder, "nova.sqlite"), pathlib.Path(folder, "key.pem")
        fill(database, pages, jwt.decode(token, options={"verify_signature": False})["sub"])
        public.write_text(key)
        with served(HERE / "service.py", database, public) as (pid, address):
            client = Client(address, token)
            if [json.loads(client.get(path)) for path in PATHS] != pages:
                raise SystemExit("the two answer with different pages")
            peer = {"server": "FastAPI, uvicorn and SQLite", **rate(pid, client, PATHS, seconds)}
    print(json.dumps(peer))
    print(json.dumps(own | {"of FastAPI's": round(own["pages a core-second"] / peer["pages a core-second"], 1)}))


if __name__ == "__main__":
    main()
