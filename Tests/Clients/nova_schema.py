"""Schemathesis reads the description that the simulated Nova serves, calls everything in it with what fits and what does not, and compares each
answer with it.

Usage: nova_schema.py LENSSIM PACKAGE. Exits with 1 where an answer is not described. `make clients` prepares everything and runs it. With
SCHEMATHESIS_SECONDS in the environment it goes on for so long, once with rate limits and once without, from another beginning in each run.
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import urllib.request

from peer import check, served

lenssim = sys.argv[1]
program = pathlib.Path(sys.executable).with_name("schemathesis")
SECONDS = int(os.environ.get("SCHEMATHESIS_SECONDS", "0"))
EXTENT = ["--max-time", str(SECONDS)] if SECONDS else ["--max-examples", "10", "--seed", "7"]
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_schema_conformance,response_headers_conformance,ignored_auth"


def checked(*options):
    """Calls everything of a service that was begun with these options."""
    with served(lenssim, "nova", "--posts", "30", *options) as facts:
        body = {"email": facts["email"], "password": facts["password"]}
        request = urllib.request.Request(f"{facts['url']}/auth/signin", json.dumps(body).encode(), {"Content-Type": "application/json"})
        with urllib.request.urlopen(request, timeout=20) as answer:
            token = json.load(answer)["access_token"]
        with tempfile.TemporaryDirectory() as folder:
            run = subprocess.run(
                [
                    program, "run", f"{facts['url']}/openapi.json", "--header", f"Authorization: Bearer {token}",
                    "--checks", CHECKS, "--phases", "examples,coverage,fuzzing", *EXTENT,
                    # A call that ends the sign-in would have all others refused.
                    "--exclude-path", "/auth/signout", "--request-timeout", "20", "--no-color",
                ],
                # It keeps what it has found in the folder where it runs.
                cwd=folder, capture_output=True, text=True, timeout=300 + 2 * SECONDS, env=os.environ | {"COLUMNS": "160"},
            )
        if run.returncode != 0:
            print(run.stdout[-12_000:], run.stderr[-2_000:], file=sys.stderr)
        count = re.search(r"(\d+) generated", run.stdout)
        check(
            run.returncode == 0 and count and int(count[1]) > 100,
            f"each of {count and count[1]} answers of Nova{' '.join(('', *options))} is as /openapi.json describes it",
        )


# With its rate limits, of which the description speaks, and without, so that more calls get through.
checked()
checked("--unlimited")
