"""Schemathesis reads the description that the simulated home hub serves, calls everything in it with what fits and what does not, and compares
each answer with it, in both dialects.

Usage: argus_schema.py LENSSIM PACKAGE. Exits with 1 where an answer is not described. `make clients` prepares everything and runs it.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.request
import uuid

from peer import check, served

lenssim = sys.argv[1]
program = pathlib.Path(sys.executable).with_name("schemathesis")
# Not whether what a schema forbids is refused everywhere: a query of one name twice, or a member that nobody asked for, is passed over, as at the public hub.
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,response_headers_conformance,ignored_auth"



def call(address, path, body, token=None):
    request = urllib.request.Request(f"{address}/api/v1/mobile/auth/{path}", json.dumps(body).encode())
    request.add_header("Content-Type", "application/json")
    if token:
        request.add_header("Authorization", f"Bearer {token}")
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


def paired(facts):
    """The access token of a phone."""
    address, device = facts["url"], str(uuid.uuid4())
    if facts["dialect"] == "seed":
        body = {"code": facts["pairingCode"], "device_id": device, "device_name": "schemathesis"}
        return call(address, "verify", body)["access_token"]
    code = {"code": call(address, "pair", {"device_id": device, "platform": "ios"})["code"]}
    call(address, "confirm", code, facts["adminToken"])
    return call(address, "exchange", code)["access_token"]


for dialect in ("seed", "hub"):
    with served(lenssim, "argus", "--dialect", dialect, "--events", "30", "--event-interval", "86400") as facts:
        visits = [("a phone", paired(facts), "examples,coverage,fuzzing"), ("the hub's page", facts["adminToken"], "examples,coverage")]
        for who, token, phases in visits:
            with tempfile.TemporaryDirectory() as folder:
                run = subprocess.run(
                    [
                        program, "run", f"{facts['url']}/openapi.json", "--header", f"Authorization: Bearer {token}",
                        "--checks", CHECKS, "--phases", phases, "--max-examples", "10", "--seed", "7",
                        "--request-timeout", "20", "--no-color",
                    ],
                    # It keeps what it has found in the folder where it runs.
                    cwd=folder, capture_output=True, text=True, timeout=300, env=os.environ | {"COLUMNS": "160"},
                )
            if run.returncode != 0:
                print(run.stdout[-12_000:], run.stderr[-2_000:], file=sys.stderr)
            count = re.search(r"(\d+) generated", run.stdout)
            check(
                run.returncode == 0 and count and int(count[1]) > 100,
                f"each of {count and count[1]} answers to {who} in the dialect {dialect} is as /openapi.json describes it",
            )
