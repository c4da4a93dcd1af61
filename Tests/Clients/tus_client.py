"""tuspy uploads 20 MB in parts to `lenssim serve supabase`, and goes on after broken parts and a restart of the service.

Usage: tus_client.py LENSSIM PACKAGE. Exits with 1 at the first check that fails. `make clients` prepares
everything and runs it.
"""

import pathlib
import random
import socket
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

from tusclient import client
from tusclient.exceptions import TusCommunicationError
from tusclient.storage.filestorage import FileStorage

from peer import check, served

lenssim = sys.argv[1]
PART = 6 << 20
SIZE = 20_000_000


def uploader(values, file, storage, name, **more):
    """What the guide of the service has its users write."""
    tus = client.TusClient(
        values["url"] + "/storage/v1/upload/resumable",
        headers={"Authorization": "Bearer " + values["anonKey"], "x-upsert": "false"},
    )
    return tus.uploader(
        file_path=file,
        chunk_size=PART,
        metadata={"bucketName": values["bucket"], "objectName": name, "contentType": "video/quicktime"},
        store_url=True,
        url_storage=storage,
        **more,
    )


def fetched(values, name):
    address = f"{values['url']}/storage/v1/object/public/{values['bucket']}/{name}"
    try:
        with urllib.request.urlopen(address) as answer:
            return answer.read(), answer.headers["Content-Type"]
    except urllib.error.HTTPError as error:
        return None, error.code


def break_off(values, upload, data, count):
    """Sends a part whose connection ends after so many of its bytes."""
    place = urllib.parse.urlsplit(upload.url)
    head = (
        f"PATCH {place.path} HTTP/1.1\r\nHost: {place.netloc}\r\nAuthorization: Bearer {values['anonKey']}\r\n"
        f"Tus-Resumable: 1.0.0\r\nUpload-Offset: {upload.offset}\r\n"
        f"Content-Type: application/offset+octet-stream\r\nContent-Length: {PART}\r\n\r\n"
    )
    with socket.create_connection((place.hostname, place.port)) as connection:
        connection.sendall(head.encode() + data[upload.offset : upload.offset + count])
        time.sleep(0.2)


with tempfile.TemporaryDirectory() as folder:
    folder = pathlib.Path(folder)
    data = random.Random(20).randbytes(SIZE)
    file = str(folder / "film.mov")
    pathlib.Path(file).write_bytes(data)
    storage = FileStorage(str(folder / "uploads.json"))
    kept = ["--data", str(folder / "store"), "--constant-keys"]

    with served(lenssim, "supabase", *kept) as values:
        print(f"Supabase at {values['url']}", flush=True)
        port = str(urllib.parse.urlsplit(values["url"]).port)
        first = uploader(values, file, storage, "film.mov")
        first.upload_chunk()
        check(first.offset == PART, "a part of 6 MiB is taken")
        break_off(values, first, data, 1_000_000)
        offset = first.get_offset()
        check(PART < offset <= PART + 1_000_000, f"a part that breaks keeps what has come: {offset - PART} bytes")
        try:
            first.upload_chunk()
            refusal = None
        except TusCommunicationError as error:
            refusal = error
        check(refusal is not None and refusal.status_code == 409, "a part at an old offset is refused")
        check(fetched(values, "film.mov")[0] is None, "nobody sees an object of which parts are missing")

    with served(lenssim, "supabase", "--port", port, *kept) as values:
        print("Supabase again, on the same folder", flush=True)
        second = uploader(values, file, storage, "film.mov")
        check(second.url == first.url and second.offset == offset, "the client finds where it was")
        second.upload()
        check(second.offset == SIZE, "the rest is taken")
        check(fetched(values, "film.mov") == (data, "video/quicktime"), "the bytes are those of the file")

        # A finished upload is not begun again: the client asks, and has nothing to send.
        third = uploader(values, file, storage, "film.mov")
        check(third.offset == SIZE, "what is finished is known as such")
        try:
            uploader(values, file, FileStorage(str(folder / "other.json")), "film.mov").upload()
            refusal = None
        except TusCommunicationError as error:
            refusal = error
        check(refusal is not None and refusal.status_code == 409, "a taken name is refused")
