"""Supabase's own Python client stores objects in `lenssim serve supabase`, and signs in there.

Usage: supabase_client.py LENSSIM PACKAGE. Exits with 1 at the first check that fails. `make clients` prepares
everything and runs it.
"""

import os
import pathlib
import sys
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
    owner.remove(["photos/one.jpg"])
    check(owner.list("photos") == [], "what was removed is listed no more")


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
        sign_in(values)
