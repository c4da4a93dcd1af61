"""Supabase's own Python client stores objects in `lenssim serve supabase`, and signs in there.

Usage: supabase_client.py LENSSIM PACKAGE. Exits with 1 at the first check that fails. `make clients` prepares
everything and runs it.
"""

import os
import pathlib
import struct
import sys
import time
import urllib.error
import urllib.request

import supabase
from storage3.exceptions import StorageApiError
from supabase_auth.errors import AuthApiError

from peer import check, served

lenssim, package = sys.argv[1], pathlib.Path(sys.argv[2])
photo = (package / "Fixtures/Images/folder/photo-2.jpg").read_bytes()


def fetched(address):
    with urllib.request.urlopen(address) as answer:
        return answer.read(), answer.headers["Content-Type"]


def size(jpeg):
    """Width and height, as the frame header of a JPEG file has them."""
    place = 2
    while not 0xC0 <= jpeg[place + 1] <= 0xC2:
        place += 2 + struct.unpack(">H", jpeg[place + 2 : place + 4])[0]
    height, width = struct.unpack(">HH", jpeg[place + 5 : place + 9])
    return width, height


def refusal(kind, call, *arguments):
    try:
        call(*arguments)
    except kind as error:
        return error
    return None


def store(values):
    address = values["url"]
    bucket = supabase.create_client(address, values["anonKey"]).storage.from_(values["bucket"])
    options = {"content-type": "image/jpeg"}
    stored = bucket.upload("photos/one.jpg", photo, options)
    check(stored.path == "photos/one.jpg", "an object is stored under its path")
    check(bucket.download("photos/one.jpg") == photo, "it is given back, byte for byte")
    public = bucket.get_public_url("photos/one.jpg")
    check(fetched(public) == (photo, "image/jpeg"), "its public address gives the same, as a picture")

    try:
        bucket.upload("photos/one.jpg", photo, options)
        refusal = None
    except StorageApiError as error:
        refusal = error
    check(str(refusal.status) == "409" if refusal else False, f"it is not stored twice: {refusal}")

    owner = supabase.create_client(address, values["serviceKey"]).storage.from_(values["bucket"])
    check([file["name"] for file in owner.list("photos")] == ["one.jpg"], "its folder lists it")
    signed = owner.create_signed_url("photos/one.jpg", 60)["signedURL"]
    check(fetched(signed) == (photo, "image/jpeg"), "its signed address gives the same")
    pictures(bucket, owner)
    owner.remove(["photos/one.jpg"])
    check(owner.list("photos") == [], "what was removed is listed no more")


def pictures(bucket, owner):
    """The picture of `store` in other sizes."""
    width, height = size(photo)
    half = {"width": width // 2, "height": height // 2}
    smaller = bucket.download("photos/one.jpg", {"transform": half})
    check(size(smaller) == (width // 2, height // 2), f"{size(smaller)} are half of {width, height}")
    square = {"width": 40, "height": 40}
    check(size(bucket.download("photos/one.jpg", {"transform": square})) == (40, 40), "a square is cut out of it")
    within = size(bucket.download("photos/one.jpg", {"transform": square | {"resize": "contain"}}))
    check(max(within) == 40 and min(within) < 40, f"{within} lie within a square")
    coarse, fine = (len(bucket.download("photos/one.jpg", {"transform": half | {"quality": quality}})) for quality in (20, 100))
    check(coarse < fine, f"{coarse} bytes are coarser than {fine}")
    public = bucket.get_public_url("photos/one.jpg", {"transform": {"width": 40, "height": 40}})
    check(size(fetched(public)[0]) == (40, 40), "its public address gives it smaller")
    signed = owner.create_signed_url("photos/one.jpg", 60, {"transform": square})["signedURL"]
    check(size(fetched(signed)[0]) == (40, 40), "and so does its signed one")
    check(size(fetched(signed + "&width=4&height=4")[0]) == (40, 40), "whose size is signed too")
    error = refusal(StorageApiError, bucket.download, "photos/one.jpg", {"transform": {"width": 40, "resize": "stretch"}})
    check(error is not None and str(error.status) == "400", f"what nobody can do is refused: {error}")


def listings(values):
    owner = supabase.create_client(values["url"], values["serviceKey"])
    owner.storage.create_bucket("orders")
    bucket = owner.storage.from_("orders")
    for name in ("c", "a", "d", "b"):
        bucket.upload(name, b"x")
        time.sleep(0.01)
    bucket.update("c", b"y")

    def pages(column, order):
        names, cursor = [], None
        while True:
            page = bucket.list_v2({"limit": 3, "sortBy": {"column": column, "order": order}} | ({"cursor": cursor} if cursor else {}))
            names += [line.name for line in page.objects]
            if not page.hasNext:
                return "".join(names)
            cursor = page.nextCursor

    for column, wanted in (("name", "abcd"), ("created_at", "cadb"), ("updated_at", "adbc")):
        check(pages(column, "asc") == wanted and pages(column, "desc") == wanted[::-1], f"pages by {column} are {wanted}")


def keys(values):
    """Keys of the new kind, and requests that the gateway refuses."""
    address = values["url"]
    with_secret = supabase.create_client(address, values["secretKey"]).storage
    check("orders" in [bucket.id for bucket in with_secret.list_buckets()], "a secret key of the new kind sees all buckets")
    with_public = supabase.create_client(address, values["publishableKey"])
    check(with_public.storage.list_buckets() == [], "a publishable one sees those of its policies")
    person = {"email": "ada@example.com", "password": "difference"}
    check(with_public.auth.sign_in_with_password(person).session is not None, "and permits to sign in")

    stranger = supabase.create_client(address, "sb_publishable_nobody")
    error = refusal(AuthApiError, stranger.auth.sign_in_with_password, person)
    check(error is not None and error.status == 401 and error.message == "Invalid API key", f"an unknown key is refused: {error}")
    request = urllib.request.Request(f"{address}/auth/v1/settings")
    error = refusal(urllib.error.HTTPError, urllib.request.urlopen, request)
    check(error is not None and error.code == 401 and b"No API key found in request" in error.read(), "and so is none")


def sign_in(values):
    address = values["url"]
    client = supabase.create_client(address, values["anonKey"])
    person = {"email": "ada@example.com", "password": "difference"}
    try:
        client.auth.sign_in_with_password({**person, "password": "analytical"})
        refusal = None
    except AuthApiError as error:
        refusal = error
    check(refusal is not None and refusal.code == "invalid_credentials", f"a wrong password is refused: {refusal}")

    session = client.auth.sign_in_with_password(person).session
    check(session.user.email == person["email"] and session.expires_in == 3600, "the right one opens a session")
    check(client.auth.get_user().user.id == session.user.id, "the service knows its user")
    bucket = client.storage.from_(values["bucket"])
    bucket.upload("photos/mine.jpg", photo, {"content-type": "image/jpeg"})
    row = supabase.create_client(address, values["serviceKey"]).storage.from_(values["bucket"]).remove(["photos/mine.jpg"])
    check(row[0]["owner"] == session.user.id, "what is uploaded then is the user's")

    renewed = client.auth.refresh_session().session
    check(renewed.refresh_token != session.refresh_token, "a refresh gives another token")
    check(client.auth.update_user({"data": {"name": "Ada"}}).user.user_metadata == {"name": "Ada"}, "data are kept")

    other = supabase.create_client(address, values["anonKey"])
    other.auth.set_session(renewed.access_token, renewed.refresh_token)
    client.auth.sign_out()
    check(client.auth.get_session() is None, "who signs out has no session")
    try:
        other.auth.refresh_session()
        refusal = None
    except AuthApiError as error:
        refusal = error
    check(refusal is not None and refusal.code == "refresh_token_not_found", f"nor has anybody with its tokens: {refusal}")

    new = client.auth.sign_up({"email": "bob@example.com", "password": "analytical", "options": {"data": {"n": 1}}})
    check(new.session is not None and new.user.user_metadata == {"n": 1}, "who signs up is in")


for options in ([], ["--tls"]):
    with served(lenssim, "supabase", "--user", "ada@example.com:difference", *options) as values:
        print(f"Supabase at {values['url']}", flush=True)
        if options:
            # The client trusts the certificate of this run, and no other.
            os.environ["SSL_CERT_FILE"] = values["caFile"]
        store(values)
        listings(values)
        keys(values)
        sign_in(values)
