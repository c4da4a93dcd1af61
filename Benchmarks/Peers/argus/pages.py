"""Pages of a list of 10,000 events for each second of a core: `lenssim serve argus --dialect hub`, and a hub on FastAPI and uvicorn.

    pages.py LENSSIM [SECONDS]

Both serve the same events with the same answers, which is checked: pages of 20, from the first to the last and again. Counted is the processor time
of each server, user and system; the client is one process that sends the next request when it has read the answer to the one before, over one
connection, and costs the server nothing. Prints a line of JSON for each server, and the ratio. `Peers/argus/build` prints the Python to run it
with; LENSSIM is a release build.
"""

import contextlib
import json
import pathlib
import subprocess
import sys
import tempfile
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from serving import Client, ended, rate, served  # noqa: E402

EVENTS, SIZE = 10_000, 20


@contextlib.contextmanager
def ours(program):
    command = [program, "serve", "argus", "--json", "--dialect", "hub", "--events", str(EVENTS), "--event-interval", "86400"]
    with ended(subprocess.Popen(command, stdout=subprocess.PIPE, text=True)) as process:
        facts = json.loads(process.stdout.readline())
        yield process.pid, facts["url"], facts["adminToken"]


@contextlib.contextmanager
def theirs(events):
    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "events.json")
        file.write_text(json.dumps(events))
        with served(HERE / "hub.py", file, "token") as (pid, address):
            yield pid, address, "token"


def path(offset):
    return f"/api/v1/events?limit={SIZE}&offset={offset}"


def measured(name, server, seconds):
    with server as (pid, address, token):
        client = Client(address, token)
        first = [json.loads(client.get(path(offset))) for offset in (0, SIZE, EVENTS - SIZE)]
        return first, {"server": name, **rate(pid, client, [path(offset) for offset in range(0, EVENTS, SIZE)], seconds)}


def events_of(program):
    """All events, as ours has them."""
    with ours(program) as (_, address, token):
        found = []
        for offset in range(0, EVENTS, 500):
            request = urllib.request.Request(f"{address}/api/v1/events?limit=500&offset={offset}")
            request.add_header("Authorization", f"Bearer {token}")
            with urllib.request.urlopen(request) as answer:
                found += json.load(answer)["events"]
        return found


def without_times(pages):
    """The events of a run of ours lie before its own start."""
    return [
        page | {"events": [event | {"timestamp": "", "created_at": "", "thumbnail_path": ""} for event in page["events"]]} for page in pages
    ]


def main():
    program = sys.argv[1]
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else 10
    (same, peer), (own, figures) = (
        measured("FastAPI and uvicorn", theirs(events_of(program)), seconds),
        measured("lenssim serve argus", ours(program), seconds),
    )
    if without_times(own) != without_times(same):
        raise SystemExit("the two answer with different pages")
    print(json.dumps(peer))
    print(json.dumps(figures | {"of FastAPI's": round(figures["pages a core-second"] / peer["pages a core-second"], 1)}))


if __name__ == "__main__":
    main()
