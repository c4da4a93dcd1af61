"""Results of suites of requirements, one file for each implementation, in the folder that RESULTS names."""

import json
import os
import pathlib
import re
import subprocess

folder = pathlib.Path(os.environ["RESULTS"])


def file(name, suite):
    """Where the result of an implementation is kept."""
    return folder / f"{suite} {re.sub('[^A-Za-z0-9.]+', '-', name)}.json"


def kept(name, suite):
    """The options with which a program keeps its result."""
    return ["--name", name, "--out", str(file(name, suite))]


def validated(lenssim, suite, name, *options, key=None, within=()):
    """Runs `lenssim validate`, where `within` wants to; gives the status and the result, which is kept, as CI services read it too."""
    out = file(name, suite)
    command = [*within, lenssim, "validate", suite, *options, *kept(name, suite), "--junit", str(out.with_suffix(".xml"))]
    if key and "KEY_OF_VALIDATION" not in options:
        command += ["--key-from", "KEY_OF_VALIDATION"]
    out.unlink(missing_ok=True)
    run = subprocess.run(command, env=os.environ | {"KEY_OF_VALIDATION": key or ""}, capture_output=True, text=True, timeout=600)
    if not out.exists():
        raise SystemExit(f"{command} ended with {run.returncode}: {run.stderr}")
    return run.returncode, json.loads(out.read_text())


def beside(suite, *references, known=None):
    """The options with which `lenssim validate` compares with results that are kept."""
    options = [word for name in references for word in ("--reference", str(file(name, suite)))]
    return [*options, *(["--known-drift", str(known)] if known else [])]


def compared(result):
    """Whether nothing drifts, and what references say of the cases, as a sentence; cases that nobody else has tried are named."""
    drift = result["drift"]
    standing = {name: [case["id"] for case in drift["cases"] if case["standing"] == name] for name in ("verified", "known", "drift", "unverified")}
    counts = ", ".join(f"{len(ids)} {name}" for name, ids in standing.items())
    wrong = [f"{case['id']}: {difference}" for case in drift["cases"] if case["standing"] == "drift" for difference in case["differences"]]
    wrong += [f"stale: {entry}" for entry in drift["stale"]] + [f"only there: {case}" for case in drift["missing"]]
    says = f"beside {', '.join(drift['references'])}: {counts} ({' '.join(standing['unverified'])})"
    return not wrong, says + "".join(f"\n  {line}" for line in wrong)


def cases(result, outcome):
    """The cases that ended so, by name."""
    return {case["id"]: case.get("reason") for case in result["cases"] if case["result"] == outcome}
