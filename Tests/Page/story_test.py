"""Finds each bug of the zoo, shrinks it, and reads the story on the first screen of its page in a real Chromium.

Usage: story_test.py LENSSIM FOLDER [NAME …]. Pages, screenshots and the table stories.md go to FOLDER.

The sources of the zoo mark the lines that race (Sources/Scenarios/BugZoo/Zoo.swift says how). A story is right when lines of both sides
are highlighted in it, and visible without scrolling in a window of 1400 by 800 pixels. For bugs that faults bring out, it is
right when it shows a line at which a fault strikes, and the line that fails.

Exits with 1 unless the stories of at least 25 bugs of concurrency and cancellation are right, and each page is there within a
second of its failure; where the machine is busy, within a second of the processor's time.
"""

import pathlib
import re
import resource
import shutil
import subprocess
import sys
import time

from playwright.sync_api import sync_playwright

NEEDED, LIMIT = 25, 1.0
lenssim, folder, chosen = str(pathlib.Path(sys.argv[1]).absolute()), pathlib.Path(sys.argv[2]), sys.argv[3:]
zoo = pathlib.Path(__file__).resolve().parents[2] / "Sources/Scenarios/BugZoo"
folder.mkdir(parents=True, exist_ok=True)


def programs():
    """The bugs: name, kind and file. Those that end the process are in a list of their own, and are no matter here."""
    listed = (zoo / "Zoo.swift").read_text().split("public static let all")[1].split("]\n")[0]
    found = []
    for path in sorted(zoo.glob("*/*.swift")):
        text = path.read_text()
        for constant, name, kind in re.findall(r'static let (\w+) = ZooProgram\(\s*"([a-z-]+)",\s*\.(\w+)', text):
            if re.search(rf"\.{constant}\b", listed) and (not chosen or name in chosen):
                found.append((name, kind, path))
    return sorted(found, key=lambda each: (each[1], each[0]))


def marked(path, side):
    """Numbers of the lines that are marked as one side of the race."""
    pattern = re.compile(rf"// (?:.*; )?race: (?:early, late|{side})$")
    return {number for number, line in enumerate(path.read_text().splitlines(), 1) if pattern.search(line)}


def timed(*command):
    """Runs a command; what it has printed, and the seconds that it took: real ones, and those of the processor."""
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.monotonic()
    run = subprocess.run(command, capture_output=True, text=True)
    real, after = time.monotonic() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return run, real, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def page_of(name):
    """The page of the first failure that is found, and how long it took from the failure on, in real and processor time."""
    failures = folder / "failures" / name
    shutil.rmtree(failures, ignore_errors=True)
    run, took, work = timed(lenssim, "explore", name, "--seeds", "1...20000", "--failures", str(failures))
    files = sorted(failures.glob("*.json"))
    if not files:
        sys.exit(f"✘ {name}: no failure was found\n{run.stdout}{run.stderr}")
    searching = re.search(r" runs in ([\d.]+) s", run.stdout + run.stderr)
    path = folder / f"{name}.html"
    report, writing, more_work = timed(lenssim, "report", str(files[0]), "--html", str(path))
    if report.returncode:
        sys.exit(f"✘ {name}: {report.stderr}")
    return path, took - float(searching.group(1) if searching else 0) + writing, work + more_work


# The articles of the story, with the lines that are highlighted and lie within the window.
READ = """() => [...document.querySelectorAll('#places article')].map(article => ({
    kind: article.className,
    files: [...article.querySelectorAll('p')].map(each => each.textContent),
    lines: [...article.querySelectorAll('pre .line')].filter(line => {
        const box = line.getBoundingClientRect()
        return box.top >= 0 && box.bottom <= innerHeight && box.left >= 0 && box.left < innerWidth && box.height > 0
    }).map(line => Number(line.querySelector('i').textContent)),
}))"""


def judge(articles, kind, path):
    """Whether the story explains the bug, and the lines that it names."""
    named = [
        {line for line in article["lines"] if any(f"{path.name}:{line}" in text for text in article["files"])}
        for article in articles
    ]
    shown = ", ".join(f"{article['kind']} {sorted(lines)}" for article, lines in zip(articles, named))
    if kind in ("concurrency", "cancellation"):
        sides = [lines for article, lines in zip(articles, named) if article["kind"] == "race"]
        right = len(sides) == 2 and sides[0] & marked(path, "early") and sides[1] & marked(path, "late")
    else:
        has = lambda wanted: any(article["kind"] == wanted and article["lines"] for article in articles)
        right = has("fault") and has("failure")
    return bool(right), shown


rows, count, slow, broken = [], 0, [], []
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
    context = browser.new_context(viewport={"width": 1400, "height": 800})
    for name, kind, path in programs():
        html, seconds, work = page_of(name)
        page = context.new_page()
        page.on("pageerror", lambda error: broken.append(f"{name}: {error}"))
        page.goto(html.absolute().as_uri())
        page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        right, shown = judge(page.evaluate(READ), kind, path)
        page.screenshot(path=str(folder / f"{name}.png"))
        page.close()
        count += right and kind in ("concurrency", "cancellation")
        if seconds > LIMIT and work > LIMIT:
            slow.append(f"{name} ({seconds:.1f} s)")
        rows.append(f"| {name} | {kind} | {'✔' if right else '✘'} | {shown} | {seconds:.2f} |")
        print(f"{'✔' if right else '✘'} {kind:12} {name:22} {seconds:5.2f} s  {shown}", flush=True)
    browser.close()

head = ["| bug | kind | story | lines on the first screen | seconds from failure to page |", "| --- | --- | --- | --- | ---: |"]
(folder / "stories.md").write_text("\n".join(head + rows) + "\n")
print(f"{count} stories of bugs of concurrency and cancellation are right; {NEEDED} must be")
for problem in broken + [f"slow: {each}" for each in slow]:
    print(f"✘ {problem}")
if broken or slow or (count < NEEDED and not chosen):
    sys.exit(1)
