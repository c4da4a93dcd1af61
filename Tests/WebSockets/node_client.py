"""Node's own WebSocket as client of `lenssim serve echo`. Usage: node_client.py LENSSIM NODE"""

import json
import os
import pathlib
import subprocess
import sys

from exchange import CODES, PATIENCE, STATUSES, worlds

lenssim, node = sys.argv[1:]
script = (pathlib.Path(__file__).parent / "script_client.js").read_text(encoding="utf-8")

for facts, context in worlds(lenssim):
    print(f"Node as client, {facts['webSocket']}", flush=True)
    call = ", ".join(json.dumps(value) for value in (facts["webSocket"], CODES, STATUSES))
    end = "for (const line of lines) console.log(line); process.exit(lines.every((line) => line.startsWith('✔')) ? 0 : 1)"
    environment = dict(os.environ)
    if context:
        environment["NODE_EXTRA_CA_CERTS"] = facts["caFile"]
    result = subprocess.run(
        [node, "--input-type=module"],
        input=f"{script}\nexchange({call}).then((lines) => {{ {end} }})",
        text=True,
        env=environment,
        timeout=2 * PATIENCE,
    )
    if result.returncode:
        sys.exit(result.returncode)
