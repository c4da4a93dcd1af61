"""What `lenssim serve` simulates, and what this machine has, meet the requirements of their suites; and all results make one matrix.

Usage: simulated_services.py LENSSIM. Exits with 1 at the first check that fails. `scripts/validations` prepares everything and runs it.
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from peer import check, served
from results import beside, cases, compared, file, folder, validated

lenssim = sys.argv[1]


namespace = ["unshare", "-r", "-n", "sh", "-c", 'ip link set lo up && exec "$0" "$@"']


def meets(suite, name, *options, key=None, within=(), passes):
    status, result = validated(lenssim, suite, name, *options, key=key, within=within)
    failed, passed = cases(result, "failed"), cases(result, "passed")
    if "drift" in result:
        check(*compared(result))
    check(not failed and status == 0 and len(passed) >= passes, f"{len(passed)} requirements of a {suite} hold on {name} {failed or ''}")


with tempfile.TemporaryDirectory() as place:
    meets("store", "folder", "--folder", f"{place}/kept", passes=30)
    meets("secrets", "key file", "--folder", f"{place}/secrets", passes=15)
    meets("secrets", "passphrase", "--folder", f"{place}/secrets", "--passphrase-from", "KEY_OF_VALIDATION", key="a phrase", passes=15)
    meets("preferences", "SQLite", "--file", f"{place}/settings.sqlite", passes=16)
    check(not list(pathlib.Path(place).glob("s*")), "secrets and settings leave nothing behind")
# In a network of its own, whose routes come and go; where users may not make one, what this machine says of its network.
if subprocess.run([*namespace, "true"], capture_output=True).returncode == 0:
    meets("network", "Linux", "--change-network", within=namespace, passes=14)
else:
    meets("network", "Linux", passes=0)
with served(lenssim, "supabase") as values:
    options = ["--endpoint", values["url"], "--bucket", values["bucket"]]
    meets("store", "lenssim serve supabase", *options, key=values["serviceKey"], passes=30)
    before = file("lenssim serve supabase", "store").read_bytes()
    meets("store", "lenssim serve supabase", *options, key=values["serviceKey"], passes=30)
    check(file("lenssim serve supabase", "store").read_bytes() == before, "a second run has the same result")
with served(lenssim, "gemini") as values:
    # Of another interface, and a mock as ours is: it says of chat models alone what both do.
    options = ["--endpoint", values["baseURL"], *beside("chat-model", "LLMock")]
    meets("chat-model", "lenssim serve gemini", *options, key=values["apiKey"], passes=5)
    meets("live-model", "lenssim serve gemini", "--endpoint", values["baseURL"], key=values["apiKey"], passes=5)
with served(lenssim, "camera") as values:
    options = ["--endpoint", f"127.0.0.1:{values['port']}", "--device-id", values["deviceID"], "--user", values["user"]]
    meets("camera", "lenssim serve camera", *options, key=values["password"], passes=10)

# As CI services read them.
for path in sorted(folder.glob("*.xml")):
    root = xml.etree.ElementTree.parse(path).getroot()
    result = json.loads(path.with_suffix(".json").read_text())
    tests = list(root.iter("testcase"))
    counts = {"failed": len(list(root.iter("failure"))), "skipped": len(list(root.iter("skipped")))}
    same = len(tests) == len(result["cases"]) and all(count == len(cases(result, outcome)) for outcome, count in counts.items())
    check(same, f"JUnit's XML of {path.stem} has its {len(tests)} cases")

results = sorted(folder.glob("*.json"))
page = folder / "matrix.html"
table = subprocess.run([lenssim, "matrix", *map(str, results), "--html", str(page)], check=True, capture_output=True, text=True).stdout
names = {json.loads(path.read_text())["implementation"] for path in results}
check(all(name in table and f">{name}<" in page.read_text() for name in names), f"{len(names)} implementations are in the matrix {page}")
