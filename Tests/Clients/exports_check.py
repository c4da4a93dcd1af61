"""Reads what `lenssim export` makes of recordings with the readers of others.

Usage: exports_check.py LENSSIM
"""

import base64
import http.server
import json
import re
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

from haralyzer import HarParser
from mcap.reader import make_reader

LENSSIM = str(Path(sys.argv[1]).resolve())


def run(*words: str, **options) -> str:
    return subprocess.run(words, check=True, capture_output=True, text=True, **options).stdout


def check(holds: bool, what: object) -> None:
    if not holds:
        raise SystemExit(f"exports_check: {what}")


def entries_of(recording: Path) -> list[dict]:
    """What jq makes of the lines, one object each."""
    lines = recording.with_suffix(".jsonl")
    count = int(run("jq", "--slurp", "length", str(lines)))
    entries = [json.loads(line) for line in run("jq", "--compact-output", ".", str(lines)).splitlines()]
    check(len(entries) == count > 0, f"jq finds {count} entries")
    return entries


def bytes_of(entry: dict, lines: Path) -> bytes:
    if "base64" in entry:
        return base64.b64decode(entry["base64"])
    if "text" in entry:
        return entry["text"].encode()
    # As it stands in the line, digit by digit.
    raw = next(line for line in lines.read_text().splitlines() if json.loads(line)["id"] == entry["id"])
    return raw[raw.index(',"json":') + 8 : -1].encode()


def check_mcap(recording: Path, entries: list[dict]) -> int:
    with recording.with_suffix(".mcap").open("rb") as stream:
        reader = make_reader(stream, validate_crcs=True)
        summary = reader.get_summary()
        check(summary is not None and summary.statistics is not None, "the file has a summary")
        messages = [(schema, channel, json.loads(message.data)) for schema, channel, message in reader.iter_messages()]
        check(len(messages) == summary.statistics.message_count, "the summary counts all messages")
        said = [data for schema, _, data in messages if schema.name == "lenssim.Entry"]
        # Messages of the same time have no order of their own.
        check({entry["id"]: entry for entry in said} == {entry["id"]: entry for entry in entries}, "all entries are messages")
        images = [data for schema, _, data in messages if schema.name == "foxglove.CompressedImage"]
        check(all(base64.b64decode(image["data"]).startswith(b"\xff\xd8") for image in images), "pictures are JPEG files")
        # What looks at the end alone goes by the index.
        start, end = summary.statistics.message_start_time, summary.statistics.message_end_time
        late = [message.log_time for _, _, message in reader.iter_messages(starting_at=(start + end) // 2)]
        check(0 < len(late) < len(messages) and min(late) >= (start + end) // 2, f"{len(late)} messages in the second half")
        print(f"mcap reads {len(messages)} messages on {len(summary.channels)} channels, {len(images)} of them pictures")
    return len(images)


def check_har(recording: Path, entries: list[dict]) -> None:
    archive = json.loads(recording.with_suffix(".har").read_text())
    parser = HarParser(archive)
    requests = [page_entry for page in parser.pages for page_entry in page.entries]
    heads = [entry for entry in entries if entry["kind"] == "head" and entry["direction"] == "out"]
    check(len(requests) == len(heads), f"haralyzer finds {len(requests)} of {len(heads)} requests")
    for request, head in zip(sorted(requests, key=lambda entry: entry.startTime), heads):
        method, address = head["text"].splitlines()[0].split(" ", 1)
        check((request.request.method, request.request.url) == (method, address), f"{request.request.url} is {address}")
    posted = [request for request in requests if request.request.method == "POST"]
    check(all(request.response.status == 200 and request.request.bodySize > 0 for request in posted), "uploads have bodies")
    talks = [entry for entry in archive["log"]["entries"] if "_webSocketMessages" in entry]
    texts = [entry for entry in entries if entry["kind"] in ("text", "binary") and entry["place"].startswith("websocket")]
    check(sum(len(talk["_webSocketMessages"]) for talk in talks) == len(texts), "WebSocket messages are all there")
    print(f"haralyzer reads {len(requests)} requests, with {len(texts)} WebSocket messages")


def check_movie(recording: Path, pictures: int) -> None:
    probed = json.loads(
        run("ffprobe", "-v", "error", "-count_frames", "-show_streams", "-of", "json", str(recording.with_suffix(".mov")))
    )
    (stream,) = probed["streams"]
    check(stream["codec_name"] == "mjpeg" and (stream["width"], stream["height"]) == (640, 360), stream)
    check(int(stream["nb_read_frames"]) == pictures, f"FFmpeg finds {stream['nb_read_frames']} of {pictures} frames")
    # All of them decode.
    errors = subprocess.run(
        ["ffmpeg", "-v", "error", "-i", str(recording.with_suffix(".mov")), "-f", "null", "-"], capture_output=True, text=True
    )
    check(errors.returncode == 0 and not errors.stderr, errors.stderr)
    print(f"FFmpeg decodes {pictures} frames, {float(stream['duration']):.1f} s")


def check_perfetto(recording: Path) -> None:
    """By the members that "Trace Event Format" asks of each kind of event."""
    trace = json.loads(recording.with_suffix(".perfetto.json").read_text())
    for event in trace["traceEvents"]:
        check(isinstance(event["name"], str) and isinstance(event["pid"], int), event)
        check(event["ph"] == "M" or event["ts"] >= 0, event)
        check(event["ph"] != "X" or event["dur"] >= 0, event)
        check(event["ph"] not in ("s", "f", "b", "e") or "id" in event, event)
    print(f"a trace of {len(trace['traceEvents'])} events")


def check_curl(recording: Path, entries: list[dict]) -> None:
    got: list[tuple[str, str, bytes, str | None]] = []

    class Receiver(http.server.BaseHTTPRequestHandler):
        def take(self) -> None:
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            got.append((self.command, self.path, body, self.headers.get("content-type")))
            self.send_response(200)
            self.send_header("content-length", "0")
            self.end_headers()

        do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = do_HEAD = take

        def log_message(self, *_: object) -> None:
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    script = re.sub(r"http://127\.0\.0\.1:\d+", f"http://127.0.0.1:{server.server_port}", recording.with_suffix(".sh").read_text())
    run("sh", "-eu", input=script)
    server.shutdown()
    lines = recording.with_suffix(".jsonl")
    sent = []
    for head in entries:
        if head["place"].startswith("http") and head["kind"] == "head" and head["direction"] == "out":
            bodies = [e for e in entries if e["place"] == head["place"] and e["kind"] == "body" and e["direction"] == "out"]
            first, *fields = head["text"].splitlines()
            method, address = first.split(" ", 1)
            kinds = [field.split(": ", 1)[1] for field in fields if field.startswith("content-type: ")]
            body = b"".join(bytes_of(entry, lines) for entry in bodies)
            sent.append((method, re.sub(r"^http://[^/]*", "", address), body, kinds[0] if kinds else None))
    check(got == sent, f"curl sent {[request[:2] for request in got]}, and the recording has {[request[:2] for request in sent]}")
    print(f"curl sends {len(got)} requests again, byte for byte")


with tempfile.TemporaryDirectory() as folder:
    recording = Path(folder) / "recorded.lenssession"
    run(LENSSIM, "demo", "--seconds", "5", "--seed", "3", "--session", str(recording), cwd=folder)
    for format in ("jsonl", "mcap", "har", "mov", "perfetto", "curl"):
        run(LENSSIM, "export", str(recording), "--to", format)
    entries = entries_of(recording)
    pictures = check_mcap(recording, entries)
    check(pictures > 10, f"{pictures} pictures in five seconds")
    check_har(recording, entries)
    check_movie(recording, pictures)
    check_perfetto(recording)
    check_curl(recording, entries)

    # A run in the simulation has events, and no connections.
    recording = Path(folder) / "simulated.lenssession"
    run(LENSSIM, "run", "lens-upload", "--seed", "3", "--record", str(recording), cwd=folder)
    for format in ("jsonl", "mcap", "perfetto"):
        run(LENSSIM, "export", str(recording), "--to", format)
    check_mcap(recording, entries_of(recording))
    check_perfetto(recording)
