"""Opens the page of `lenssim report` in a real Chromium and uses it: keys, buttons, search, 100,000 events.

Usage: page_test.py LENSSIM FOLDER. Screenshots and the pages go to FOLDER. Exits with 1 at the first promise that does
not hold. `make page` prepares everything and runs it.
"""

import json
import pathlib
import re
import shutil
import subprocess
import sys
import time

from playwright.sync_api import expect, sync_playwright

lenssim, folder = str(pathlib.Path(sys.argv[1]).absolute()), pathlib.Path(sys.argv[2])
folder.mkdir(parents=True, exist_ok=True)


def check(holds, promise):
    print(("✔ " if holds else "✘ ") + promise, flush=True)
    if not holds:
        sys.exit(1)


def make(name, *arguments):
    """Writes the page of a run and gives its path."""
    path = folder / f"{name}.html"
    subprocess.run([lenssim, "report", *arguments, "--html", str(path)], check=True, stdout=subprocess.DEVNULL)
    return path


def multiplied(path, times):
    """The same page with a run that is `times` as long: its own, one after the other."""
    html = path.read_text()
    start = html.index('id="data">') + len('id="data">')
    end = html.index("</script>", start)
    data = json.loads(html[start:end])
    steps, events, tasks = data["steps"], data["events"], data["tasks"]
    count, length = len(steps["time"]), max(steps["time"] + events["time"]) + 1
    highest = max(task["id"] for task in tasks)
    long = {"steps": {key: [] for key in steps}, "events": {key: [] for key in events}, "tasks": []}
    for turn in range(times):
        for key, column in steps.items():
            add = {"time": turn * length, "cause": turn * count, "task": turn * highest}.get(key, 0)
            long["steps"][key] += [value + add if key == "time" or value else 0 for value in column]
        for key, column in events.items():
            add = {"time": turn * length, "step": turn * count}.get(key)
            long["events"][key] += column if add is None else [value + add for value in column]
        long["tasks"] += [
            {**task, "id": task["id"] + turn * highest, "parent": task["parent"] and task["parent"] + turn * highest}
            for task in tasks
        ]
    data.update(long)
    result = folder / "long.html"
    result.write_text(html[:start] + json.dumps(data).replace("<", "\\u003c") + html[end:])
    return result, len(long["steps"]["time"]) + len(long["events"]["time"])


class Page:
    """A page in the browser, and what went wrong in it."""

    def __init__(self, context, path):
        self.troubles = []
        self.page = context.new_page()
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("console", lambda line: self.troubles.append(line.text) if line.type == "error" else None)
        self.page.on("request", lambda request: self.requests.append(request.url))
        self.requests = []
        self.page.goto(path.absolute().as_uri())

    def where(self):
        return self.page.inner_text("#where")

    def step(self):
        return int(re.match(r"step ([\d,]+)", self.where()).group(1).replace(",", ""))

    def press(self, key):
        self.page.keyboard.press(key)

    def shoot(self, name):
        self.page.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        self.page.screenshot(path=str(folder / f"{name}.png"))


with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
    context = browser.new_context(viewport={"width": 1400, "height": 800})

    failing = Page(context, make("failing", "split-brain", "--recipe", "seed=1 strategy=fifo decisions= faults=cut+phone+hub:0"))
    check("two lead at once" in failing.page.inner_text("#verdict"), "a failed run says how it failed")
    last = failing.step()
    check(last > 100, "a failed run opens where it failed")
    failing.press("ArrowLeft")
    check(failing.step() == last - 1, "the left arrow goes one step back")
    failing.press("ArrowRight")
    check(failing.step() == last, "the right arrow goes one step on")
    failing.press("Home")
    failing.press("!")
    check("fault" in failing.page.inner_text("#step"), "! goes to the next fault")
    failing.page.click('button[data-do="forward"]')
    check(failing.page.locator("#links button", has_text="caused by").count() == 1, "a step names its cause")
    before = failing.step()
    failing.page.click("#links button >> text=caused by")
    check(failing.step() < before, "its cause is one click away, and lies before it")
    failing.press("End")
    failing.press("c")
    led = failing.page.inner_text("#step")
    check("causal history" in led and int(re.search(r"([\d,]+) of the", led).group(1)) < last, "c shows only what led to a step")
    failing.press("c")
    check("causal history" not in failing.page.inner_text("#step"), "and c shows everything again")
    failing.page.fill("#search", "lost datagram")
    expect(failing.page.locator("#matches")).to_contain_text("found")
    failing.page.press("#search", "Enter")
    found = failing.page.inner_text("#matches")
    check(not found.startswith("0 "), f"the search finds events ({found})")
    check("lost datagram" in failing.page.inner_text("#step"), "Enter goes to a match")
    check("lost datagram" in failing.page.inner_text("#log li.here"), "the log ends at the cursor")
    failing.page.locator("#lanes").focus()
    axis = failing.page.inner_text("#axis")
    failing.press("t")
    check(failing.page.inner_text("#axis") != axis, "t changes the axis")
    lanes = failing.page.evaluate("lanes.length")
    failing.page.mouse.click(60, failing.page.evaluate("canvas.getBoundingClientRect().top + axisHeight + 8"))
    check(failing.page.evaluate("lanes.length") < lanes, "a click on a node folds its tasks")
    failing.shoot("failing")
    reopened = Page(context, pathlib.Path(folder / "failing.html"))
    reopened.page.goto((folder / "failing.html").absolute().as_uri() + "#5")
    reopened.page.reload()
    check(reopened.page.evaluate("cursor") == 5, "a link leads to a place in the run")

    short = make("passing", "lens-drop-resumes")
    passing = Page(context, short)
    check("passed" in passing.page.inner_text("#verdict"), "a run that passed says so")
    passing.shoot("passing")
    dark = Page(browser.new_context(viewport={"width": 1400, "height": 800}, color_scheme="dark"), short)
    dark.press("!")
    dark.shoot("dark")
    narrow = Page(browser.new_context(viewport={"width": 420, "height": 800}), short)
    check(narrow.page.evaluate("document.documentElement.scrollWidth") <= 420, "a phone shows it without scrolling sideways")
    narrow.shoot("narrow")

    subprocess.run([lenssim, "demo", "--seconds", "3"], cwd=folder, check=True, stdout=subprocess.DEVNULL)
    session = Page(context, make("session", str(folder / ".lenssim/demo/demo.lenssession")))
    session.press("End")
    size = session.page.evaluate("[document.getElementById('frame').naturalWidth, document.getElementById('frame').hidden]")
    check(size[0] > 100 and not size[1], "of a session over real sockets the newest frame is shown")
    session.shoot("session")

    long, count = multiplied(short, 32)
    check(count >= 100_000, f"the long run has {count:,} steps and events")
    start = time.monotonic()
    big = Page(context, long)
    loading = time.monotonic() - start
    # What a person notices, with room for a busy machine; a step of the cursor is 20 ms where nothing else runs.
    check(loading < 10, f"it is there after {loading:.2f} s")
    timing = """name => { const start = performance.now(); for (let i = 0; i < 20; i++) { actions[name](); draw() }
                return (performance.now() - start) / 20 }"""
    for name in ["forward", "zoomIn", "zoomOut", "eventForward", "axis", "fit"]:
        took = big.page.evaluate(timing, name)
        check(took < 150, f"“{name}”, drawn, takes {took:.1f} ms")
    took = big.page.evaluate("() => { const s = performance.now(); search('gemini'); draw(); return performance.now() - s }")
    check(took < 1500, f"a search through everything takes {took:.0f} ms")
    big.shoot("long")

    for each in [failing, reopened, passing, dark, narrow, session, big]:
        check(not each.troubles, f"nothing goes wrong in the page {each.troubles}")
        check(all(url.startswith(("file:", "data:")) for url in each.requests), "it asks no one for anything")
    browser.close()
