"""What the stories of apps in Chromium have in common: the program, a tab of the browser, and checks."""

import atexit
import json
import os
import re
import signal
import subprocess
import sys
import time

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect


def check(holds, sentence):
    print(("✔ " if holds else "✘ ") + sentence, flush=True)
    if not holds:
        sys.exit(1)


def until(page, expression, seconds=20):
    """Waits for a condition. The page's policy forbids to evaluate text, which wait_for_function does in it."""
    end = time.time() + seconds
    while not page.evaluate(expression):
        if time.time() > end:
            sys.exit(f"✘ did not come true: {expression}")
        page.wait_for_timeout(50)


class Program:
    """The program lens, with its first line."""

    def __init__(self, lens, *options, errors=None, **environment):
        self.process = subprocess.Popen(
            [lens, "--json", *options], stdout=subprocess.PIPE, stderr=errors, env={**os.environ, **environment}, text=True
        )
        atexit.register(self.process.kill)
        self.facts = json.loads(self.process.stdout.readline())
        self.page = self.facts["page"]
        self.token = self.page.split("token=")[1]

    def kill(self):
        self.process.kill()
        self.process.wait()

    def quit(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(20)


def changed(state, change):
    """The state that a change makes of another one."""
    new = {name: value for name, value in {**state, **change["set"]}.items() if name not in change["unset"]}
    for name, items in change["lists"].items():
        new[name] = [item for item in state[name] if item["id"] not in items["remove"]]
        for placed in items["set"]:
            new[name].insert(placed["at"], placed["item"])
    return new


class Tab:
    """A tab of the browser: what went wrong in it, and all that went through its socket."""

    def __init__(self, context):
        self.troubles, self.frames = [], []
        self.expects_outage = False
        self.page = context.new_page()
        self.page.set_default_timeout(20_000)
        self.page.on("pageerror", lambda error: self.troubles.append(str(error)))
        self.page.on("console", self.note)
        self.page.on("websocket", self.listen)

    def note(self, line):
        if line.type in ("error", "warning") and not self.expects_outage:
            self.troubles.append(f"{line.text} {line.location.get('url', '')}")

    def listen(self, socket):
        socket.on("framereceived", lambda frame: self.frames.append(str(frame)))
        socket.on("framesent", lambda frame: self.frames.append(str(frame)))

    def states(self):
        """The newest state of each screen that came."""
        states = {}
        for message in map(json.loads, self.frames):
            if "state" in message:
                states[message["screen"]] = message["state"]
            elif "change" in message:
                states[message["screen"]] = changed(states[message["screen"]], message["change"])
        return states

    def select(self, name):
        self.page.get_by_role("tab", name=name).click()


def visit(page, program):
    """Opens the page, which goes on from the address with the token to one without."""
    page.goto(program.page)
    expect(page.get_by_role("button", name="Take a photo")).to_be_visible()


def keep_key(tab, text):
    """Types a key, which is kept."""
    page = tab.page
    tab.select("Settings")
    page.get_by_label("Key").first.fill(text)
    page.get_by_role("button", name=re.compile("Save key|Replace key")).click()
    expect(page.locator("#key-state")).to_contain_text("•••")
    until(page, "document.querySelector('#key').value === ''")
    check(True, "a key that was kept does not stay on the page")


# The controls at whose middle something else is, each with that: what is scrolled into view can be used.
COVERED = """
() => {
  const places = "button, a[href], input, select, textarea, summary, [role=tab], [tabindex='0']";
  const modal = [...document.querySelectorAll("dialog:modal")].at(-1);
  const covered = [];
  const before = [scrollX, scrollY];
  for (const control of (modal ?? document).querySelectorAll(places)) {
    if (!control.checkVisibility({ opacityProperty: true, visibilityProperty: true }) || getComputedStyle(control).pointerEvents === "none") continue;
    if (control.closest("[inert]") || control.type === "file") continue;
    const target = control.labels?.[0]?.contains(control) ? control.labels[0] : control;
    target.scrollIntoView({ block: "center", inline: "nearest", behavior: "instant" });
    // Of what is wrapped, the first line.
    const { left, top, width, height } = target.getClientRects()[0] ?? target.getBoundingClientRect();
    if (width < 2 || height < 2) continue;
    const found = document.elementFromPoint(left + width / 2, top + height / 2);
    if (found && (target.contains(found) || found.contains(target) && found.matches("[role=log]"))) continue;
    const words = (element) => element ? `${element.tagName}#${element.id}.${element.className?.baseVal ?? element.className}` : "nothing";
    covered.push(`${words(control)} by ${words(found)}`);
  }
  scrollTo({ left: before[0], top: before[1], behavior: "instant" });
  return covered;
}
"""


def uncovered(page, what):
    """Nothing lies over the middle of a control that can be seen."""
    covered = page.evaluate(COVERED)
    check(not covered, f"{what}: no control is covered {covered}")


def accessible(page, what):
    uncovered(page, what)
    results = Axe().run(page)
    for violation in results.response["violations"]:
        print(violation["id"], violation["help"], [node["html"][:120] for node in violation["nodes"]])
    check(results.violations_count == 0, f"{what}: accessible")
    check(not page.evaluate("document.documentElement.scrollWidth > innerWidth"), f"{what}: nothing is wider than the window")
