"""Supabase's own Python client stores objects in `lenssim serve supabase`.

Usage: supabase_client.py LENSSIM PACKAGE. Exits with 1 at the first promise that does not hold. `make clients` prepares
everything and runs it.
"""

import os
import pathlib
import sys
import urllib.request

import supabase
from storage3.exceptions import StorageApiError

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


for options in ([], ["--tls"]):
    with served(lenssim, "supabase", *options) as values:
        print(f"Supabase at {values['url']}", flush=True)
        if options:
            # The client trusts the certificate of this run, and no other.
            os.environ["SSL_CERT_FILE"] = values["caFile"]
        store(values)
