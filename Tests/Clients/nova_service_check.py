"""The app of Nova with a service in Python, a storage that is strict about signatures, and a ClickHouse behind the analytics.

Usage: nova_service_check.py NOVA-VISITOR. Exits with 1 at the first check that fails. `make clients` prepares everything and runs it.

PyJWT reads the tokens that come back, python-multipart the form of the profile, Pillow the pictures, nanio the signed address, ClickHouse the events.
"""

import datetime
import io
import json
import pathlib
import subprocess
import sys
import tempfile
import time
import uuid

from PIL import Image

from clickhouse import Refused, clickhouse
from nova_service import Nova, serving
from peer import check
from strict_storage import nanio

KEYS = "SOMEBODY", "secret-key-of-one-run"
# The EXIF field of the orientation (TIFF 6.0), with the value for a picture that lies on its left side, and the block of the place.
ORIENTATION, ON_THE_LEFT, PLACE = 0x0112, 6, 0x8825


class Visitor:
    """The app in a process of its own."""

    def __init__(self, program, address, folder):
        self.process = subprocess.Popen([program, address, folder], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def __call__(self, *words):
        self.process.stdin.write(json.dumps([str(word) for word in words]) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        if not line:
            sys.exit(f"the visitor ended with {self.process.wait()}")
        return json.loads(line)


def camera_picture(file, width, height):
    """A picture as a phone keeps it: on its side, and with the place where it was taken."""
    picture = Image.new("RGB", (width, height), (40, 90, 160))
    picture.paste((230, 60, 40), (0, 0, width // 2, height // 2))
    exif = Image.Exif()
    exif[ORIENTATION] = ON_THE_LEFT
    exif.get_ifd(PLACE)[1] = "N"
    picture.save(file, "JPEG", quality=97, exif=exif)
    return file


def opened(data, size, what):
    """A picture that arrived is a JPEG of quality 85, upright, and says nothing of a place."""
    picture = Image.open(io.BytesIO(data))
    picture.load()
    check(picture.format == "JPEG" and picture.size == size, f"Pillow opens {what}: {picture.format} {picture.size}")
    like = io.BytesIO()
    Image.new("RGB", (8, 8)).save(like, "JPEG", quality=85)
    check(picture.quantization == Image.open(like).quantization, "its quality is 85, by its quantisation tables")
    check(not picture.getexif(), "and it has no EXIF")
    top_right = picture.convert("RGB").getpixel((size[0] * 3 // 4, size[1] // 4))
    check(top_right[0] > 180, f"it is upright: what was on the left is on top {top_right}")


def calls(nova, method, end):
    return [call for call in nova.calls if call[0] == method and call[1].partition("?")[0].endswith(end)]


def entries(nova, visit):
    """Signing up, out, in by e-mail, and in by an identity token."""
    made = visit("signUp", "ada", "ada@example.org", "a long password")
    check(made["root"] == "main" and made["user"]["username"] == "ada", f"somebody signs up: {made['errors']}")
    token = calls(nova, "GET", "/feed")[-1][2]["Authorization"]
    check(nova.caller(token)[0] == made["user"]["id"], "PyJWT finds the person in the token that the app sends")
    check(visit("signOut")["root"] == "signIn", "and signs out")
    until(lambda: calls(nova, "POST", "/auth/signout"))
    check(calls(nova, "POST", "/auth/signout")[0][2]["Authorization"] == token, "which the service hears with the token of the session")
    wrong = visit("signIn", "ada@example.org", "another password")
    check(wrong["root"] == "signIn" and wrong["errors"] and not calls(nova, "POST", "/auth/refresh"), f"a wrong password is said to be wrong: {wrong['errors']}")
    apple = visit("apple")
    check(apple["root"] == "main" and apple["user"]["display_name"] == "Zoë", f"an identity token opens a session: {apple['errors']}")
    check(nova.identities[0]["email"] == "zoe@example.org" and nova.identities[0]["full_name"] == "Zoë", "PyJWT agrees with it, its nonce, and what came beside it")
    visit("signOut")
    check(visit("signIn", "ada@example.org", "a long password")["root"] == "main", "e-mail and password open a session")
    unsigned = [call for call in nova.calls if "/auth/" in call[1] and not call[1].endswith("signout")]
    check(not any("Authorization" in call[2] for call in unsigned), "no call that opens a session has a token")
    return made["user"]["id"]


def feed(nova, visit):
    """Pages, while posts come."""
    nova.calls.clear()
    first = visit("refresh")
    check([post["id"] for post in first["posts"]] == [post["id"] for post in nova.posts[:20]] and first["hasMore"], "the first page is shown")
    before = [post["id"] for post in nova.posts]
    for number in range(3):
        nova.add_post(next(iter(nova.users)), f"Meanwhile {number}")
    shown = [visit("more") for _ in range(3)][-1]
    check([post["id"] for post in shown["posts"]] == before and not shown["hasMore"], "later pages have no post twice, though three came meanwhile, and there is an end")
    asked = [call[1] for call in calls(nova, "GET", "/feed")]
    check(asked == [f"/feed?page={page}&limit=20" for page in range(3)], f"pages are asked for by their number: {asked}")


def changes(nova, visit, user):
    """Likes and comments, with answers that are lost after their effect."""
    post = nova.posts[5]["id"]
    nova.failures += [("POST /posts/.*/like", None), ("POST /posts/.*/comments", None)]
    liked = next(one for one in visit("like", post)["posts"] if one["id"] == post)
    check(liked["is_liked"] and liked["like_count"] == 1, "a like is shown at once")
    settle(visit)
    sent = calls(nova, "POST", "/like")
    check((user, post) in nova.likes and len(sent) == 2, f"one whose answer is lost goes out again, {len(sent)} times")
    check(len({call[2]["Idempotency-Key"] for call in sent}) == 1 and len({call[3] for call in sent}) == 1, "with the same key and the same bytes")
    check(uuid.UUID(sent[0][2]["Idempotency-Key"]).version == 4, "the key is a random UUID without quotes")
    visit("like", post)
    settle(visit)
    gone = calls(nova, "DELETE", "/like")
    check((user, post) not in nova.likes and gone[-1][2]["Idempotency-Key"] != sent[0][2]["Idempotency-Key"], "a like that is taken back has a key of its own")

    text = "Was für ein Licht! ☀️ \"quoted\"\nand a line"
    visit("comment", post, text)
    settle(visit)
    shown = visit("comments", post)["comments"]
    check([one["text"] for one in nova.comments[post]] == [text], "a comment arrives as it was written, once, though its first answer was lost")
    check([(one["id"], one["delivery"]) for one in shown] == [(nova.comments[post][0]["id"], "sent")], f"and is shown once, by the service's name for it")


def publication(nova, visit, folder):
    nova.failures += [("POST /posts", None)]
    nova.calls.clear()
    visit("publish", camera_picture(folder / "photo.jpg", 3000, 2000), "Grüße aus dem Hafen")
    settle(visit)
    wish = json.loads(calls(nova, "POST", "/presign")[0][3])
    check(wish == {"filename": "photo.jpg", "content_type": "image/jpeg"}, "a place for a JPEG file is asked for")
    sent = calls(nova, "POST", "/posts")
    check(len(sent) == 2 and sent[0][3] == sent[1][3] and sent[0][2]["Idempotency-Key"] == sent[1][2]["Idempotency-Key"],
          "a post whose answer is lost is sent again, byte by byte")
    mine = [post for post in nova.posts if post["caption"] == "Grüße aus dem Hafen"]
    check(len(mine) == 1 and visit("refresh")["posts"][0]["id"] == mine[0]["id"], "there is one post, on top of the feed")
    # 3000 × 2000 on its side is 2000 × 3000, which fits into 2048 × 2048 as 1365 × 2048.
    opened(nova.picture(json.loads(sent[0][3])["image_key"]), (1365, 2048), "the picture that nanio took at the signed address")


def profile(nova, visit, folder, user):
    nova.calls.clear()
    shown = visit("profile", camera_picture(folder / "face.jpg", 400, 300), "Ada „L“ Müller", "Light,\nand \"some\" shadow.")
    fields, files = nova.forms[-1]
    check(fields == {"display_name": "Ada „L“ Müller", "bio": "Light,\nand \"some\" shadow."}, f"python-multipart reads the fields: {fields}")
    opened(files["avatar"], (300, 400), "the avatar in the form")
    check(set(files) == {"avatar"} and calls(nova, "PATCH", f"/users/{user}"), "the form goes to the person's own profile, with no other file")
    check(shown["user"]["display_name"] == "Ada „L“ Müller", f"and the app shows what came back: {shown['errors']}")


def sessions(nova, visit):
    """Tokens that end, a refresh whose answer is lost, and a new launch."""
    nova.calls.clear()
    visit("refresh")
    with nova.lock:
        nova.revoked.add(nova.caller(calls(nova, "GET", "/feed")[-1][2]["Authorization"])[1]["jti"])
    again = visit("refresh")
    check(not again["errors"] and len(calls(nova, "POST", "/auth/refresh")) == 1, f"one that is refused is renewed once, and the call goes out again: {again['errors']}")
    spent = json.loads(calls(nova, "POST", "/auth/refresh")[0][3])["refresh_token"]
    check(nova.refresh[spent]["used"] and nova.refresh[spent]["family"] not in nova.ended, "with the refresh token of the session, which is used once")
    # What was tracked is in memory alone.
    visit("background")
    relaunched = visit("relaunch")
    check(relaunched["root"] == "main" and visit("refresh")["posts"], "after a new launch the person is still signed in")
    with nova.lock:
        nova.ended |= {one["family"] for one in nova.refresh.values()}
    check(visit("refresh")["root"] == "signIn", "where the service ends the sign-in, the app shows the sign-in")


def analytics(nova, visit):
    visit("background")
    batches = [json.loads(data) for data in nova.batches]
    events = [event for batch in batches for event in batch]
    heads = [call for call in nova.calls if call[1] == "/analytics/events"]
    check(all(0 < len(batch) <= 50 for batch in batches), f"{len(events)} events came in {len(batches)} batches of 1 to 50")
    check(len({event["event_id"] for event in events}) == len(events), "each has an ID of its own")
    check(not any("Authorization" in head[2] for head in heads), "batches carry no token")
    names = {event["name"] for event in events}
    wanted = {"app_open", "app_background", "sign_up", "sign_in", "sign_out", "feed_view", "post_like", "post_unlike", "comment_view", "comment_create",
              "upload_start", "upload_success", "profile_update"}
    check(wanted <= names, f"what was done is reported {sorted(wanted - names)}")
    keep(nova.batches, events)


TABLE = """CREATE TABLE events (event_id String, name String, category String, parameters String, timestamp DateTime('UTC'), device_id String,
user_id Nullable(String), platform String, app_version String, place UInt32) ENGINE = ReplacingMergeTree ORDER BY event_id"""


def rows(batch, place):
    """The lines that a service writes for a batch: `parameters` as its JSON text, and where in the stream each event is."""
    events = json.loads(batch)
    lines = [event | {"parameters": json.dumps(event["parameters"], sort_keys=True), "place": place + number} for number, event in enumerate(events)]
    return "\n".join(json.dumps(line) for line in lines), place + len(events)


def keep(batches, events):
    """ClickHouse takes every batch, one of them twice, and has each event once, with its types and in its order."""
    with clickhouse() as ask:
        ask(TABLE)
        insert = "INSERT INTO events FORMAT JSONEachRow"
        place = 0
        for batch in batches:
            lines, place = rows(batch, place)
            ask(insert, lines, date_time_input_format="best_effort")
        ask(insert, rows(batches[0], 0)[0], date_time_input_format="best_effort")
        kept = [json.loads(line) for line in ask("SELECT * FROM events FINAL ORDER BY place FORMAT JSONEachRow")]
        check(len(kept) == len(events), f"ClickHouse {ask('SELECT version()')[0]} has each of {len(events)} events once, though a batch came twice")
        for row, event in zip(kept, events):
            moment = datetime.datetime.fromisoformat(event["timestamp"])
            same = {name: event.get(name) for name in ("event_id", "name", "category", "device_id", "user_id", "platform", "app_version")}
            if {name: row[name] for name in same} != same or json.loads(row["parameters"]) != event["parameters"] \
                    or row["timestamp"] != moment.strftime("%Y-%m-%d %H:%M:%S"):
                check(False, f"ClickHouse has {row}, and {event} was sent")
        check(True, "with the values, the instants and the order in which they came")
        counts = ask("SELECT name, count() FROM events FINAL GROUP BY name ORDER BY name FORMAT TSV")
        mine = [f"{name}\t{sum(event['name'] == name for event in events)}" for name in sorted({event["name"] for event in events})]
        check(counts == mine, "and counts of each kind that agree")
        year = ask("SELECT toYear(min(timestamp)), toYear(max(timestamp)) FROM events FORMAT TSV")
        check(year == ["\t".join([str(datetime.datetime.now(datetime.UTC).year)] * 2)], f"its instants are of this year {year}")
        try:
            ask(insert, rows(batches[0], 0)[0].replace('"event_id"', '"identity"'), date_time_input_format="best_effort")
            check(False, "a field that the table does not know is refused")
        except Refused as refused:
            check("Code: 117" in refused.args[1], "a field that the table does not know is refused, so that the fields are ours alone")


def until(holds, seconds=10):
    end = time.monotonic() + seconds
    while not holds() and time.monotonic() < end:
        time.sleep(0.02)
    return holds()


def settle(visit):
    """What waits for the next try has it now."""
    shown = visit("foreground")
    if shown["pending"] or shown["errors"]:
        check(False, f"nothing waits any more {shown['errors']}")


def main():
    with tempfile.TemporaryDirectory() as name, nanio(*KEYS) as storage:
        nova, folder = Nova(storage, KEYS), pathlib.Path(name)
        bob = nova.add_user("bob", "bob@example.org", "bob's password")
        for number in range(45):
            nova.add_post(bob["id"], f"Post {number}" if number % 4 else None, None if number % 3 else f"https://pictures.example.org/{number}.jpg")
        with serving(nova) as address:
            visit = Visitor(sys.argv[1], address, name)
            try:
                user = entries(nova, visit)
                feed(nova, visit)
                changes(nova, visit, user)
                publication(nova, visit, folder)
                profile(nova, visit, folder, user)
                sessions(nova, visit)
                analytics(nova, visit)
            finally:
                visit.process.kill()
                visit.process.wait()


if __name__ == "__main__":
    main()
