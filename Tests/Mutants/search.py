"""The harder zoo: does a search through the app's scenarios find one-line mistakes in the app and its servers?

The lists in `Hard/` are like the others (see mutants.py), with another last word:

    [[mutant]]
    id = "photo-is-not-synced"
    file = "Sources/Files/FileFolder.swift"
    was = 'try file.sync()'
    now = '_ = file'
    form = "statement"
    breaks = "a photo is announced before it is on the disk"
    because = "…"                       # only of one that no search finds: why not

An entry with nothing but `id`, `breaks` and `because` is one of the other lists.

All of them are compiled once, in release. Then each strategy goes through the same seeds of the same programs: first without
a mutant, when no run may fail; then with each one, until a run fails or its processor time is used up.
"""

import argparse
import hashlib
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice

from mutants import HERE, ROOT, VARIABLE, WORK, ListError, Mutant, build, checked, copy_package, plan, read_lists

FOLDER = WORK / "search"
PROGRAM = FOLDER / "build" / "release" / "lenssim"
RESULTS = FOLDER / "results.json"
PAGE = ROOT / "Documentation" / "HarderZoo.md"
LEAST_SHARE = 0.9

"""A program, a plan of faults, and the seeds of its first round: each round has twice as many as the one before."""
PROGRAMS = [
    ("lens-upload", "", 8),
    ("lens-store-down", "", 4),
    ("lens-impatient", "", 8),
    ("lens-rough-stream", "", 8),
    ("lens-farewells", "", 4),
    ("lens-cameras", "", 8),
    ("lens-power-cut", "", 16),
    ("lens-streaming", "", 4),
    ("lens-drop-resumes", "", 2),
    ("flow-onboarding", "", 16),
    ("flow-user", "", 16),
    ("flow-tokens", "", 8),
    ("lens-upload", "swarm", 8),
    ("lens-rough-stream", "swarm", 8),
    ("lens-power-cut", "swarm", 16),
]
DEFAULT = "portfolio"
"""Processor seconds for each mutant."""
BUDGETS = {DEFAULT: 120, "random": 5, "pct": 5, "pos": 5, "sticky": 5, "reentrant": 5}
MILESTONES = [1, 2, 5, 120]


@dataclass(frozen=True)
class Hard:
    mutant: Mutant
    breaks: str
    because: str | None


def read_hard(folder, others):
    """The mutants of the lists in a folder; `others` are those that an entry may mean by its id alone."""
    known = {mutant.id: mutant for mutant in others}
    hard = []
    for path in sorted(folder.glob("*.toml")):
        for entry in tomllib.loads(path.read_text())["mutant"]:
            entry = dict(entry)
            name = entry.get("id", "?")
            breaks, because = entry.pop("breaks", None), entry.pop("because", None)
            if not breaks:
                raise ListError(f"{path.name}: {name}: what does it break?")
            if set(entry) == {"id"}:
                if name not in known:
                    raise ListError(f"{path.name}: no other list has {name}")
                hard.append(Hard(known[name], breaks, because))
                continue
            try:
                mutant = Mutant(district=path.stem, by="", **entry)
            except TypeError as error:
                raise ListError(f"{path.name}: {name}: {error}") from None
            if name in known:
                raise ListError(f"{name} is the id of a mutant of another list")
            hard.append(Hard(mutant, breaks, because))
    checked([h.mutant for h in hard])
    return hard


def check():
    """The hard mutants, and the files of the copy of the package; raises ListError when they do not fit the code."""
    hard = read_hard(HERE / "Hard", read_lists(HERE))
    return hard, plan([h.mutant for h in hard])


# MARK: Searching


@dataclass
class Part:
    """Some seeds of one program."""

    program: str
    plan: str
    first: int
    last: int

    def command(self, strategy, *more):
        command = [PROGRAM, "explore", self.program, "--seeds", f"{self.first}...{self.last}", "--strategy", strategy]
        command += ["--jobs", "1", "--no-shrink", "--json", *more]
        return command + (["--plan", self.plan] if self.plan else [])


def rounds():
    """The parts of each round, without end."""
    number = 0
    while True:
        yield [
            Part(program, plan, count * (2**number - 1) + 1, count * (2 ** (number + 1) - 1))
            for program, plan, count in PROGRAMS
        ]
        number += 1


def run(part, strategy, number, seconds, *more):
    """Runs a part: the failure that it finds, if any, the runs, and the processor seconds."""

    def limit():
        most = int(seconds) + 2
        resource.setrlimit(resource.RLIMIT_CPU, (most, most + 5))

    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            part.command(strategy, *more),
            cwd=FOLDER,
            env={**os.environ, VARIABLE: str(number)},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.DEVNULL,
            preexec_fn=limit,
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read()
    spent = usage.ru_utime + usage.ru_stime
    if process.returncode in (0, 1):
        result = json.loads(text)
        failures = sorted(result["failures"], key=lambda f: seed(f["reproduce"]))
        failure = failures[0] if failures else None
        return failure and {"seed": seed(failure["reproduce"]), "what": failure["message"]}, result["runs"], spent
    if spent >= seconds:
        return None, 0, spent
    # The process itself has ended: each seed in a process of its own says which one it was.
    if "--isolate" not in more:
        failure, count, again = run(part, strategy, number, seconds, "--isolate")
        return failure or {"seed": part.first, "what": "the process ends"}, count, spent + again
    return {"seed": part.first, "what": f"the process ends with {process.returncode}"}, 0, spent


def seed(line):
    return int(re.search(r"seed=(\d+)", line)[1])


def baseline(strategy, jobs):
    """The parts for one strategy, as many as fit into its time; ends the program when one of them fails."""
    parts, spent, runs = [], 0.0, 0
    coming = (part for round in rounds() for part in round)
    with ThreadPoolExecutor(jobs) as pool:
        while spent < BUDGETS[strategy]:
            some = list(islice(coming, jobs))
            for part, (failure, count, seconds) in zip(some, pool.map(lambda p: run(p, strategy, 0, 3600), some)):
                if failure:
                    what = f"{part.program} {part.plan} fails, {strategy}, seed {failure['seed']}: {failure['what']}"
                    sys.exit(f"without a mutant {what}")
                parts.append(part)
                runs += count
                spent += seconds
    return {"parts": [vars(p) for p in parts], "runs": runs, "seconds": spent}


def search(mutant, strategy, parts):
    """What finds a mutant, and when."""
    spent, runs = 0.0, 0
    for part in parts:
        left = BUDGETS[strategy] - spent
        if left <= 0:
            break
        failure, count, seconds = run(part, strategy, mutant.number, left)
        runs += count
        spent += seconds
        if failure and spent <= BUDGETS[strategy]:
            return {"found": {**failure, "program": part.program, "plan": part.plan}, "runs": runs, "seconds": spent}
    return {"found": None, "runs": runs, "seconds": spent}


# MARK: Results


def digest(files):
    """Changes whenever a result might."""
    sum = hashlib.sha256(repr(PROGRAMS).encode())
    for path in sorted([*ROOT.glob("Sources/**/*"), *ROOT.glob("Simulators/**/*")]):
        if path.suffix in (".swift", ".c", ".h"):
            sum.update(str(path.relative_to(ROOT)).encode() + path.read_bytes())
    return sum.hexdigest()


def load(key):
    try:
        results = json.loads(RESULTS.read_text())
    except (OSError, ValueError):
        results = {}
    return results if results.get("digest") == key else {"digest": key, "baseline": {}, "found": {}}


def save(results):
    if "digest" not in results:
        return
    RESULTS.with_suffix(".new").write_text(json.dumps(results, indent=1))
    os.replace(RESULTS.with_suffix(".new"), RESULTS)


def page(hard, results):
    """The page, from results that are whole."""
    ids = [h.mutant.id for h in hard]
    of = {s: {i: results["found"][s][i] for i in ids} for s in BUDGETS}
    found = [h for h in hard if of[DEFAULT][h.mutant.id]["found"]]
    survivors = [h for h in hard if h not in found]
    lines = [
        "# The harder zoo",
        "",
        "One-line mistakes in the app, its kernel, its backends and the services that are simulated for it, from",
        "`Tests/Mutants/Hard`. They are compiled once, in release, and one is active in a run. `make hard-zoo` searches for each of",
        "them with `lenssim explore` through the app's scenarios, and writes this page. A mutant is found when a run fails, of a",
        "program that does not fail without it over the same seeds. Times are of one processor.",
        "",
        f"{len(found)} of {len(hard)} mutants are found within {BUDGETS[DEFAULT] // 60} processor minutes each by the default strategy.",
        "",
        "## By strategy",
        "",
        "The share of the mutants that is found within so many processor seconds for each, and how many are found in a minute of the",
        "whole search, the time for those that are not found included. Before, each strategy went without a mutant through all the",
        f"seeds of the search. The default strategy has {BUDGETS[DEFAULT]} seconds for each mutant, the others have {min(BUDGETS.values())}.",
        "",
    ]
    rows = [["strategy", *(f"{m} s" for m in MILESTONES), "found per minute", "runs without a mutant", "of them failed"]]
    for strategy, budget in BUDGETS.items():
        taken = of[strategy].values()
        row = [strategy]
        for milestone in MILESTONES:
            count = sum(1 for r in taken if r["found"] and r["seconds"] <= milestone)
            row.append(f"{count / len(ids):.0%}" if milestone <= budget else "–")
        minutes = sum(r["seconds"] for r in taken) / 60
        row.append(f"{sum(1 for r in taken if r['found']) / minutes:.1f}")
        rows.append(row + [f"{results['baseline'][strategy]['runs']:,}".replace(",", " "), "0"])
    lines += table(rows)
    lines += ["", "The programs, and the plans of faults with which they are searched:", ""]
    lines += [f"- `{program}`" + (f" with `--plan {plan}`" if plan else "") for program, plan, _ in PROGRAMS]
    lines += ["", "## The mutants", ""]
    rows = [["mutant", "where", "what is broken", "found by", "seed", "seconds", "how it shows"]]
    for h in hard:
        result = of[DEFAULT][h.mutant.id]
        what = result["found"]
        by = [f"{what['program']} {what['plan']}".strip(), str(what["seed"]), f"{result['seconds']:.1f}"] if what else ["–"] * 3
        rows.append([h.mutant.id, where(h.mutant.file), h.breaks, *by, shown(what["what"]) if what else h.because or "?"])
    lines += table(rows)
    if survivors:
        lines += ["", "## Not found", ""]
        for h in survivors:
            lines.append(f"- **{h.mutant.id}**: {h.because or 'not explained'}")
    return "\n".join(lines) + "\n"


def table(rows):
    lines = ["| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |" for row in rows]
    return [lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]]


def where(file):
    return "/".join(file.split("/")[2 if file.startswith("Sources/") else 1 :]).removesuffix(".swift")


def shown(message):
    """What broke, without the figures of one run."""
    if property := re.search(r"“(.*?)”", message):
        return property[1] if message.startswith("property violated") else message.split("\n")[0][:80]
    return re.split(r"[\n(]", message)[0].strip()[:80]


# MARK: The program


def main():
    parser = argparse.ArgumentParser(description="Searches for each of the hard mutants through the app's scenarios.")
    parser.add_argument("--only", nargs="+", metavar="ID", help="only these mutants; writes no page")
    parser.add_argument("--strategies", nargs="+", choices=BUDGETS, default=list(BUDGETS), help="only these")
    parser.add_argument("--seconds", type=int, help="processor seconds for each, instead of the usual; keeps no results")
    parser.add_argument("--jobs", type=int, default=max(1, (os.cpu_count() or 1) // 2), help="searches at once")
    arguments = parser.parse_args()
    try:
        hard, files = check()
    except ListError as error:
        sys.exit(f"the lists of mutants do not fit the code:\n{error}")
    chosen = [h for h in hard if not arguments.only or h.mutant.id in arguments.only]
    if not chosen:
        sys.exit("no mutant is called so")
    print(f"building {len(hard)} mutants at once", flush=True)
    copy_package(files, FOLDER / "tree")
    build(["-c", "release", "--product", "lenssim"], FOLDER / "tree", FOLDER / "build")
    results = load(digest(files))
    if arguments.seconds:
        BUDGETS.update({strategy: arguments.seconds for strategy in BUDGETS})
        results = {"baseline": {}, "found": {}}
    # First all of them: a program that fails without a mutant makes every search worthless.
    for strategy in arguments.strategies:
        if results["baseline"].get(strategy, {"seconds": 0})["seconds"] < BUDGETS[strategy]:
            results["baseline"][strategy] = baseline(strategy, arguments.jobs)
            save(results)
        base = results["baseline"][strategy]
        print(f"{strategy}: {base['runs']} runs without a mutant, none fails, {base['seconds']:.0f} s", flush=True)
    for strategy in arguments.strategies:
        search_all(chosen, strategy, results, arguments.jobs)
    if arguments.seconds or any(h.mutant.id not in results["found"].get(s, {}) for h in hard for s in BUDGETS):
        return 0
    PAGE.write_text(page(hard, results))
    lost = [h for h in hard if not results["found"][DEFAULT][h.mutant.id]["found"]]
    unexplained = [h.mutant.id for h in lost if not h.because]
    print(f"{len(hard) - len(lost)} of {len(hard)} found; not explained: {', '.join(unexplained) or 'none'}")
    return 1 if unexplained or len(lost) > (1 - LEAST_SHARE) * len(hard) else 0


def search_all(chosen, strategy, results, jobs):
    parts = [Part(**p) for p in results["baseline"][strategy]["parts"]]
    found = results["found"].setdefault(strategy, {})
    # What was changed in the lists since is searched again.
    left = [h for h in chosen if found.get(h.mutant.id, {}).get("mutant") != repr(h.mutant)]

    def one(h):
        return h, search(h.mutant, strategy, parts)

    with ThreadPoolExecutor(jobs) as pool:
        for h, result in pool.map(one, left):
            found[h.mutant.id] = {**result, "mutant": repr(h.mutant)}
            save(results)
            what = result["found"]
            by = f"{what['program']} {what['plan']} seed {what['seed']}: {shown(what['what'])}" if what else "NOT FOUND"
            print(f"{strategy:10} {h.mutant.id:36} {result['seconds']:6.1f} s {result['runs']:6}  {by}", flush=True)


if __name__ == "__main__":
    start = time.monotonic()
    code = main()
    print(f"{(time.monotonic() - start) / 60:.1f} minutes")
    sys.exit(code)
