"""Mutants: one-line mistakes in our own code, each of which some test must notice.

The files `*.toml` beside this one are the districts, each a list of mutants:

    [[mutant]]
    id = "backoff-is-constant"          # unique among all districts
    file = "Sources/Concurrency/RetryPolicy.swift"
    was = 'wait = wait * 2'             # must occur exactly once, or `nth` says which one is meant, from 1
    now = 'wait = wait * 1'
    form = "statement"                  # or "expression", the default, or "text": a part of a literal of Swift
    by = 'RetryPolicyTests'             # a regular expression for the tests that should fail
    because = "…"                       # only of a mutant that no test can kill, since nothing differs

All mutants are compiled once, into a copy of the package in which every original stands beside its mutants behind a switch,
the environment variable LENSSIM_MUTANT. Then the tests run once without a mutant, and once with each.
"""

import argparse
import functools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib
import zlib
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
WORK = ROOT / ".build" / "mutants"
TREE = WORK / "tree"
BUILD = WORK / "build"
TESTS = BUILD / "debug" / "LensSimPackageTests.xctest"
VARIABLE = "LENSSIM_MUTANT"
LEAST_SCORE = 0.9
"""A hang counts as killed after this many times the time that the tests take without a mutant, and some seconds."""
PATIENCE, GRACE = 4, 20


class ListError(Exception):
    """The lists do not fit the code."""


@dataclass(frozen=True)
class Mutant:
    district: str
    id: str
    file: str
    was: str
    now: str
    by: str
    form: str = "expression"
    nth: int | None = None
    because: str | None = None

    @property
    def number(self):
        """Stable, so that a new mutant does not compile the others again."""
        return zlib.crc32(self.id.encode()) & 0x7FFFFFFF


# MARK: The lists


def read_lists(folder):
    """All mutants of a folder's lists."""
    mutants = []
    for path in sorted(folder.glob("*.toml")):
        for entry in tomllib.loads(path.read_text())["mutant"]:
            try:
                mutants.append(Mutant(district=path.stem, **entry))
            except TypeError as error:
                raise ListError(f"{path.name}: {entry.get('id', '?')}: {error}") from None
    return checked(mutants)


def checked(mutants):
    """The mutants of some lists; raises ListError when they cannot stand beside each other."""
    for mutant in mutants:
        if mutant.form not in ("expression", "statement", "text"):
            raise ListError(f"{mutant.id}: there is no form {mutant.form}")
        if mutant.form == "text" and any(mark in text for mark in '"\\\n' for text in (mutant.was, mutant.now)):
            raise ListError(f"{mutant.id}: a part of a literal has no quotes, backslashes and line breaks")
        if any(" //" in text.rpartition("\n")[2] for text in (mutant.was, mutant.now)):
            raise ListError(f"{mutant.id}: what stands behind it would belong to its comment")
    for what in (lambda m: m.id, lambda m: m.number):
        seen = {}
        for mutant in mutants:
            if what(mutant) in seen:
                raise ListError(f"{mutant.id} and {seen[what(mutant)].id} have the same id or number")
            seen[what(mutant)] = mutant
    return mutants


# MARK: Rewriting


def place(mutant, text):
    """Where the original stands: start and end.

    Raises ListError when it is not there, or when it is not clear which one is meant.
    """
    starts = []
    start = text.find(mutant.was)
    while start >= 0:
        starts.append(start)
        start = text.find(mutant.was, start + 1)
    if not starts:
        raise ListError(f"{mutant.id}: {mutant.file} has no `{mutant.was}` any more")
    if mutant.nth is None and len(starts) > 1:
        raise ListError(f"{mutant.id}: {mutant.file} has `{mutant.was}` {len(starts)} times; say which with nth")
    if mutant.nth is not None and not 1 <= mutant.nth <= len(starts):
        raise ListError(f"{mutant.id}: {mutant.file} has `{mutant.was}` only {len(starts)} times")
    start = starts[(mutant.nth or 1) - 1]
    return start, start + len(mutant.was)


def rewritten(text, mutants, is_c):
    """The text of a file with every original behind a switch, and all problems of its entries."""
    problems, places = [], {}
    for mutant in mutants:
        try:
            places.setdefault(place(mutant, text), []).append(mutant)
        except ListError as error:
            problems.append(str(error))
    spans = sorted(places)
    for before, after in zip(spans, spans[1:]):
        if after[0] < before[1]:
            first, second = places[before][0], places[after][0]
            problems.append(f"{first.id} and {second.id} overlap in {first.file}")
    if problems:
        return text, problems
    for span in reversed(spans):
        here = places[span]
        if not is_c and here[0].form == "expression" and re.match(r"\w+: ", here[0].was):
            problems.append(f"{here[0].id}: the label of an argument is no part of an expression")
            continue
        if len({mutant.form for mutant in here}) > 1:
            problems.append(f"{here[0].id} and {here[1].id} change the same text in two forms")
            continue
        text = text[: span[0]] + switched(here) + text[span[1] :]
    if is_c:
        text = f'#include "{HEADER}"\n#line 1\n{text}'
    return text, problems


def switched(mutants):
    """An original and its mutants, of which the environment chooses one."""
    was = mutants[0].was
    if mutants[0].form == "text":
        return "\\(" + "".join(f'isMutant({m.number}) ? "{m.now}" : ' for m in mutants) + f'"{was}")'
    if mutants[0].form == "expression":
        return "(" + "".join(f"isMutant({m.number}) ? ({m.now}) : " for m in mutants) + f"({was}))"
    return "".join(f"if (isMutant({m.number})) {{ {m.now} }} else " for m in mutants) + f"{{ {was} }}"


HEADER = "mutant_switch.h"
C_SWITCH = f"""\
#pragma once
// Stands before all else, which may need it.
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdbool.h>
#include <stdlib.h>
static inline bool isMutant(int number) {{
    static int active = -1;
    if (active < 0) {{
        const char *text = getenv("{VARIABLE}");
        active = text ? atoi(text) : 0;
    }}
    return active == number;
}}
"""
SWIFT_SWITCH = f"""\
#if canImport(Glibc)
internal import Glibc
#else
internal import Darwin
#endif

private let activeMutant: Int = {{
    guard let text = unsafe getenv("{VARIABLE}") else {{ return 0 }}
    return unsafe Int(String(cString: text)) ?? 0
}}()

func isMutant(_ number: Int) -> Bool {{ activeMutant == number }}
"""


@functools.cache
def target_folders():
    """The folders of the package's targets, from its manifest."""
    # A folder of its own: a build of the package does not keep this waiting.
    command = ["swift", "package", "dump-package", "--package-path", ROOT, "--scratch-path", WORK / "manifest"]
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode:
        sys.exit(f"the manifest cannot be read:\n{result.stderr}")
    targets = json.loads(result.stdout)["targets"]
    return [Path(target["path"]) for target in targets if target.get("path")]


def module_folder(file, folders=None):
    """The folder of the target to which a source file belongs; raises ListError for one of no target."""
    around = [folder for folder in folders or target_folders() if folder in Path(file).parents]
    if not around:
        raise ListError(f"no target has the file {file}")
    return max(around, key=lambda folder: len(folder.parts))


def plan(mutants):
    """The changed and added files of the copy: text by path; raises ListError with all that does not fit."""
    files, problems = {}, []
    by_file = {}
    for mutant in mutants:
        by_file.setdefault(mutant.file, []).append(mutant)
    for file, here in by_file.items():
        path = ROOT / file
        if not path.is_file():
            problems.append(f"{here[0].id}: there is no file {file}")
            continue
        is_c = path.suffix == ".c"
        files[file], more = rewritten(path.read_text(), here, is_c)
        problems += more
        if is_c:
            # Beside the file that includes it, whatever the target's header search paths are.
            files[str(Path(file).parent / HEADER)] = C_SWITCH
        else:
            files[str(module_folder(file) / "MutantSwitch.swift")] = SWIFT_SWITCH
    if problems:
        raise ListError("\n".join(problems))
    return files


def unparsed(files):
    """What the compiler cannot read of the changed Swift files; what does not compile for another reason is not found."""
    with tempfile.TemporaryDirectory() as folder:
        for path, text in files.items():
            write_if_different(Path(folder) / path, text.encode())
        swift = [path for path in files if path.endswith(".swift") and Path(path).name != "MutantSwitch.swift"]
        command = ["swiftc", "-frontend", "-parse", "-parse-as-library", "-swift-version", "6", *swift]
        output = subprocess.run(command, cwd=folder, capture_output=True, text=True).stderr
    return [line for line in output.splitlines() if re.match(r"\S.*: error:", line)]


# MARK: Building


def copy_package(changed, tree=TREE):
    """Makes the copy equal to the package but for `changed`, and leaves alone what is equal already."""
    wanted = set()
    for path in package_files():
        wanted.add(path)
        text = changed.get(path)
        write_if_different(tree / path, (ROOT / path).read_bytes() if text is None else text.encode())
    for path in changed.keys() - wanted:
        wanted.add(path)
        write_if_different(tree / path, changed[path].encode())
    for path in tree.rglob("*"):
        if path.is_file() and str(path.relative_to(tree)) not in wanted:
            path.unlink()


def package_files():
    for folder, folders, names in os.walk(ROOT):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            yield str((Path(folder) / name).relative_to(ROOT))


def write_if_different(path, content):
    if path.is_file() and path.read_bytes() == content:
        return
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def build(what=("--build-tests",), tree=TREE, folder=BUILD):
    """Builds the copy, by default its tests, with the dependencies that the package has fetched already."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in ("checkouts", "repositories", "artifacts", "workspace-state.json"):
        source, target = ROOT / ".build" / name, folder / name
        if source.is_dir() and not target.exists():
            shutil.copytree(source, target, symlinks=True)
        elif source.is_file() and not target.exists():
            shutil.copy2(source, target)
    command = ["swift", "build", *what, "--package-path", tree, "--scratch-path", folder]
    # The fewer lines, the easier to see what does not compile.
    result = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode:
        lines = [line for line in result.stdout.splitlines() if "error:" in line]
        sys.exit("the mutants do not compile:\n" + "\n".join(dict.fromkeys(lines or result.stdout.splitlines()[-20:])))


# MARK: Running


def run_tests(by, number, limit):
    """Runs the tests of a filter with one mutant, 0 for none: whether they passed, their output, and the seconds."""
    environment = {**os.environ, VARIABLE: str(number)}
    command = [str(TESTS), "--testing-library", "swift-testing", "--filter", by]
    start = time.monotonic()
    # A session of its own, so that what the tests start ends with them.
    process = subprocess.Popen(
        command,
        cwd=TREE,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=limit)
        passed = process.returncode == 0
    except subprocess.TimeoutExpired:
        output, passed = b"it did not end in time\n", False
    finally:
        try:
            os.killpg(process.pid, signal.SIGKILL)
        except ProcessLookupError:
            pass
        process.wait()
    return passed, output.decode(errors="replace"), time.monotonic() - start


def baseline(filters):
    """The seconds that each filter's tests take without a mutant; ends the program when they fail or there are none."""
    seconds = {}
    for index, by in enumerate(filters):
        passed, output, seconds[by] = run_tests(by, 0, 600)
        count = re.search(r"Test run with (\d+) tests?", output)
        print(f"[{index + 1:3}/{len(filters)}] without a mutant: {seconds[by]:5.1f} s  {by}", flush=True)
        if not passed:
            sys.exit(f"without a mutant the tests of {by} fail:\n" + tail_of_failures(output))
        if not count or count[1] == "0":
            sys.exit(f"no test is called {by}")
    return seconds


def tail_of_failures(output):
    lines = [line for line in output.splitlines() if "recorded an issue" in line or "did not end" in line]
    return "\n".join((lines or output.splitlines())[-10:])


# MARK: The program


def main():
    parser = argparse.ArgumentParser(description="Runs the tests against each mutant of our own code.")
    parser.add_argument("--only", nargs="+", metavar="ID", help="only these mutants")
    parser.add_argument("--district", help="only the mutants of one list")
    parser.add_argument("--list", action="store_true", help="names the mutants, and runs none")
    parser.add_argument("--check", action="store_true", help="only whether the lists fit the code")
    arguments = parser.parse_args()
    try:
        mutants = read_lists(HERE)
        # Always all of them, so that one build serves every choice.
        files = plan(mutants)
    except ListError as error:
        sys.exit(f"the lists of mutants do not fit the code:\n{error}")
    chosen = [
        mutant
        for mutant in mutants
        if (not arguments.only or mutant.id in arguments.only)
        and (not arguments.district or mutant.district == arguments.district)
    ]
    if not chosen:
        sys.exit("no mutant is called so; --list names them")
    if arguments.list or arguments.check:
        for mutant in chosen if arguments.list else []:
            print(f"{mutant.district:12} {mutant.id:40} {mutant.file}")
        if arguments.check and (problems := unparsed(files)):
            sys.exit("the mutants do not compile:\n" + "\n".join(problems))
        print(f"{len(chosen)} mutants fit the code")
        return check_hard() if arguments.check else 0
    start = time.monotonic()
    print(f"building {len(mutants)} mutants at once", flush=True)
    copy_package(files)
    build()
    print(f"built in {time.monotonic() - start:.0f} s", flush=True)
    return judge(chosen, start)


def check_hard():
    """Whether the lists of the harder zoo fit the code."""
    # Which uses this file under its own name.
    import search

    try:
        hard, files = search.check()
    except search.ListError as error:
        sys.exit(f"the lists of hard mutants do not fit the code:\n{error}")
    if problems := unparsed(files):
        sys.exit("the hard mutants do not compile:\n" + "\n".join(problems))
    print(f"{len(hard)} hard mutants fit the code")
    return 0


def judge(chosen, start):
    """Runs the chosen mutants, prints the score, and gives the program's exit code."""
    seconds = baseline(list(dict.fromkeys(mutant.by for mutant in chosen)))
    survivors = []
    for index, mutant in enumerate(chosen):
        passed, _, time_taken = run_tests(mutant.by, mutant.number, seconds[mutant.by] * PATIENCE + GRACE)
        if passed:
            survivors.append(mutant)
        word = "SURVIVED" if passed else "killed"
        print(
            f"[{index + 1:3}/{len(chosen)}] {word:8} {mutant.district:11} {mutant.id}  ({time_taken:.1f} s)",
            flush=True,
        )
    print()
    for district in dict.fromkeys(mutant.district for mutant in chosen):
        here = [mutant for mutant in chosen if mutant.district == district]
        alive = [mutant for mutant in survivors if mutant.district == district]
        print(f"{district:12} {len(here) - len(alive):3} of {len(here):3} killed")
    for mutant in survivors:
        print(f"survived: {mutant.id}, {mutant.file}" + (f": {mutant.because}" if mutant.because else ""))
    refuted = [mutant for mutant in chosen if mutant.because and mutant not in survivors]
    for mutant in refuted:
        print(f"explained, but killed: {mutant.id}; its list says: {mutant.because}")
    unexplained = [mutant for mutant in survivors if not mutant.because]
    score = 1 - len(survivors) / len(chosen)
    print(
        f"{len(chosen) - len(survivors)} of {len(chosen)} mutants killed, {score:.0%}, "
        f"in {(time.monotonic() - start) / 60:.1f} minutes; {len(unexplained)} survivors without explanation"
    )
    return 1 if unexplained or refuted or score < LEAST_SCORE else 0


if __name__ == "__main__":
    sys.exit(main())
