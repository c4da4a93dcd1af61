"""Records Argus, Nova and Flow in a real Chromium, and looks at each recording on the page of its app: the screens at its beginning and end, what was done, the
entries behind the screens, addresses, accessibility in both schemes and on a phone.

Usage: recording_test.py PROGRAMS FOLDER. PROGRAMS has the programs argus, nova, flow and lenssim; screenshots go to FOLDER. Exits with 1 at the first check that
does not hold.
"""

import json
import pathlib
import re
import shutil
import sqlite3
import subprocess
import sys

from playwright.sync_api import expect, sync_playwright

from browser import Program, Tab, accessible, check, until

programs, folder = pathlib.Path(sys.argv[1]).absolute(), pathlib.Path(sys.argv[2])
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)

expect.set_options(timeout=20_000)

DESKTOP = {"viewport": {"width": 1280, "height": 900}}


def heading(page, name):
    expect(page.get_by_role("heading", level=2, name=name, exact=True)).to_be_visible()


def use_argus(page, facts):
    page.get_by_label("Code", exact=True).fill(facts["pairingCode"])
    page.get_by_role("button", name="Pair", exact=True).click()
    heading(page, "Events")
    rows = "#feed article:nth-child(-n+3) .tile:not([data-thumbnail=none]) img"
    until(page, f"[...document.querySelectorAll('{rows}')].every((image) => image.naturalWidth === 320)")
    page.get_by_role("article").first.get_by_role("button").click()
    expect(page.locator("#detail-content")).to_be_visible()
    until(page, "document.querySelector('#detail-picture').naturalWidth > 0")


def see_argus(page):
    expect(page.locator("#detail-content")).to_be_visible()
    until(page, "document.querySelector('#detail-picture').naturalWidth === 320")


def use_nova(page, facts):
    page.get_by_label("E-mail").fill(facts["email"])
    page.get_by_label("Password", exact=True).fill(facts["password"])
    page.get_by_role("button", name="Sign in", exact=True).click()
    heading(page, "Feed")
    expect(page.get_by_role("article").first).to_be_visible()
    page.get_by_role("article").first.get_by_role("button", name=re.compile("^Like")).click()
    page.get_by_role("tab", name="Search").click()
    page.locator("#query").fill("a")
    expect(page.locator("#results").get_by_role("button").first).to_be_visible()


def see_nova(page):
    heading(page, "Search")
    expect(page.locator("#results").get_by_role("button").first).to_be_visible()


def use_flow(page, facts):
    heading(page, "Sign in")
    page.get_by_label("E-mail").fill("ada@example.org")
    page.get_by_label("Password", exact=True).fill("Correct-horse-9")
    for box in page.get_by_role("checkbox").all():
        box.check()
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("#verification")).to_be_visible()


def see_flow(page):
    expect(page.locator("#verification")).to_be_visible()
    expect(page.locator("#verification-email")).to_have_text("ada@example.org")


def record(browser, name, use):
    """A session of an app, used in the browser."""
    file = folder / f"{name}.lenssession"
    program = Program(str(programs / name), "--folder", str(folder / name), "--record", str(file))
    tab = Tab(browser.new_context(**DESKTOP))
    tab.page.goto(program.page)
    use(tab.page, program.facts)
    tab.page.context.close()
    check(program.quit() == 0, f"{name}: the program ends")
    return file


def look(browser, name, file, see, secrets):
    """The recording on the page of its app."""
    before = file.read_bytes()
    program = Program(str(programs / name), "--replay", str(file))
    with sqlite3.connect(f"file:{file}?mode=ro", uri=True) as database:
        events, actions = (database.execute(f"SELECT count(*) FROM screen {rest}").fetchone()[0] for rest in ("", "WHERE kind = 'action'"))
        request = database.execute("SELECT id FROM message WHERE direction = 'out' AND kind = 'head' ORDER BY id DESC LIMIT 1").fetchone()[0]
    tab = Tab(browser.new_context(**DESKTOP))
    page = tab.page
    page.goto(program.page)
    slider = page.get_by_role("slider", name="Time of the recording")
    expect(slider).to_be_focused()
    expect(page.locator("#event-now")).to_have_text(f"Event 1 of {events}")
    page.keyboard.press("End")
    expect(page.locator("#event-now")).to_have_text(f"Event {events} of {events}")
    see(page)
    expect(slider).to_be_focused()
    done = page.locator("#actions-done button")
    check(done.count() == min(actions, 120) and not [text for text in done.all_text_contents() if "does not know" in text], f"{name}: what was done is in words")
    check(page.url.endswith(f"#event={events}"), f"{name}: the address leads to the event")

    page.get_by_role("button", name="What happened").click()
    lanes = page.locator(".lane:not([hidden])")
    expect(lanes.first).to_be_visible()
    check(lanes.count() >= 3, f"{name}: there is a lane for each place: {lanes.locator('.name').all_text_contents()}")
    expect(page.locator(".entry").first).to_be_visible()
    page.get_by_label("What is listed").select_option("Network")
    head = page.locator(f".entry[data-id=m{request}]")
    page.get_by_label("Text to search for").fill("GET " if name != "flow" else "POST ")
    expect(page.locator(".entry .where").first).to_contain_text("http")
    page.get_by_label("Text to search for").fill("")
    expect(head).to_be_visible()
    head.click()
    expect(page.locator(".detail")).to_be_visible()
    check(page.url.endswith(f"#entry=m{request}"), f"{name}: the address leads to the entry")
    page.get_by_label("What is listed").select_option("Screens")
    expect(page.locator(".entry .where").first).to_contain_text("screen")
    page.locator(".entry").last.click()
    expect(page.locator(".detail table")).to_be_visible()
    page.wait_for_timeout(400)
    check(not tab.troubles, f"{name}: no error in the browser {tab.troubles}")
    everything = "".join(tab.frames)
    for secret in secrets:
        check(secret not in everything, f"{name}: no secret of the session is shown")
    asked = {message["screen"] for message in map(json.loads, tab.frames) if "action" in message}
    check(asked == {"recording"}, f"{name}: nothing is asked of the app")

    page.get_by_role("button", name="What happened").click()
    around(page, name)
    # Who has played on and stopped is there after a reload, wherever the address led before.
    page.goto(program.page.split("?")[0] + "#event=2")
    expect(page.locator("#event-now")).to_have_text(f"Event 2 of {events}")
    page.get_by_label("Speed").select_option("16×")
    page.get_by_role("button", name="Play").click()
    expect(page.locator("#event-now")).to_have_text(f"Event {events} of {events}")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.reload()
    expect(page.locator("#event-now")).to_have_text(f"Event {events} of {events}")

    page.goto("about:blank")
    page.goto(program.page.split("?")[0] + f"#entry=m{request}")
    expect(head).to_have_attribute("aria-current", "true")
    expect(page.locator(".detail")).to_be_visible()
    page.goto("about:blank")
    page.goto(program.page.split("?")[0] + "#event=3")
    expect(page.locator("#event-now")).to_have_text(f"Event 3 of {events}")
    marked(page, name, file)
    looks(browser, name, program)
    check(program.quit() == 0 and file.read_bytes() == before, f"{name}: the recording stays as it was")
    shared(browser, name, file, see, events, secrets)


def marked(page, name, file):
    """Marks of one's own, by keyboard: they are beside the recording, and there after a reload."""
    page.get_by_role("slider").focus()
    page.keyboard.press("m")
    words = page.get_by_label(re.compile("^What is at "))
    expect(words).to_be_focused()
    page.keyboard.type("here m it is ")
    page.keyboard.press("Enter")
    marks = file.with_name(f"{name}.marks.json")
    until(page, "document.querySelectorAll('.flags button').length === 1")
    page.reload()
    expect(words).to_have_value("here m it is ")
    place = page.locator("#event-now").text_content()
    page.get_by_role("slider").focus()
    page.keyboard.press("End")
    expect(page.locator("#event-now")).not_to_have_text(place)
    page.locator(".own-marks .action").click()
    expect(page.locator("#event-now")).to_have_text(place)
    check([mark["text"] for mark in json.loads(marks.read_text())["marks"]] == ["here m it is "], f"{name}: the mark is beside the recording")


def shared(browser, name, file, see, events, secrets):
    """The recording in one file, which asks for nothing."""
    page_file = (folder / f"{name}.html").absolute()
    exported = subprocess.run([programs / "lenssim", "export", file, "--to", "html", "--out", page_file], check=True, capture_output=True, text=True)
    text = page_file.read_text()
    for secret in secrets:
        check(secret not in text, f"{name}: no secret of the session is in the file")
    tab = Tab(browser.new_context(**DESKTOP))
    page = tab.page
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(page_file.as_uri())
    expect(page.get_by_role("slider", name="Time of the recording")).to_be_focused()
    page.keyboard.press("End")
    expect(page.locator("#event-now")).to_have_text(f"Event {events} of {events}")
    see(page)
    page.get_by_text("What this page reveals").click()
    revealed = page.locator("#reveals li").all_text_contents()
    check(len(revealed) > 3 and all(sentence in exported.stdout for sentence in revealed), f"{name}: the page says what it reveals, as the command does")
    expect(page.locator(".own-marks")).to_contain_text("here m it is")
    expect(page.get_by_role("button", name="Mark", exact=False).filter(has_text="Mark")).to_be_hidden()
    page.get_by_role("button", name="What happened").click()
    page.get_by_label("What is listed").select_option("Screens")
    page.locator(".entry").last.click()
    expect(page.locator(".detail table")).to_be_visible()
    page.get_by_label("What is listed").select_option("Network")
    expect(page.locator(".entry .where").first).to_contain_text("http")
    page.screenshot(path=folder / f"{name}-shared.png")
    accessible(page, f"a recording of {name} in one file")
    outside = [url for url in asked if not url.startswith(("data:", page_file.as_uri()))]
    check(not outside and not tab.troubles, f"{name}: the file asks for nothing, and there is no error {outside} {tab.troubles}")
    page.context.close()


def around(page, name):
    """What was not shown then may be looked at, by keyboard too, until the time goes on."""
    slider = page.get_by_role("slider")
    if name == "argus":
        page.get_by_role("button", name="Settings").focus()
        page.keyboard.press("Enter")
        heading(page, "Settings")
        slider.focus()
        page.keyboard.press("ArrowLeft")
        expect(page.locator("#settings")).to_be_hidden()
    if name == "nova":
        page.get_by_role("tab", name="Search").focus()
        page.keyboard.press("ArrowLeft")
        expect(page.get_by_role("tab", name="Feed")).to_be_focused()
        heading(page, "Feed")
        slider.focus()
        page.keyboard.press("ArrowLeft")
        heading(page, "Search")


def looks(browser, name, program):
    for scheme in ("light", "dark"):
        for size, (width, height) in {"desktop": (1280, 900), "phone": (390, 780)}.items():
            tab = Tab(browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme))
            tab.page.goto(program.page)
            expect(tab.page.get_by_role("slider")).to_be_focused()
            tab.page.keyboard.press("End")
            what = f"a recording of {name}, {scheme}, {size}"
            tab.page.wait_for_timeout(400)
            tab.page.screenshot(path=folder / f"{name}-replay-{scheme}-{size}.png")
            accessible(tab.page, what)
            tab.page.get_by_role("button", name="What happened").click()
            tab.page.locator(".entry").last.click()
            expect(tab.page.locator(".detail")).to_be_visible()
            tab.page.wait_for_timeout(400)
            tab.page.screenshot(path=folder / f"{name}-entries-{scheme}-{size}.png")
            accessible(tab.page, f"{what}, its entries")
            check(not tab.troubles, f"{what}: no error {tab.troubles}")
            tab.page.context.close()


with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
    for name, use, see, secrets in (
        ("argus", use_argus, see_argus, ["Bearer ey"]),
        ("nova", use_nova, see_nova, ["Bearer ey"]),
        ("flow", use_flow, see_flow, ["Correct-horse-9"]),
    ):
        if len(sys.argv) > 3 and name not in sys.argv[3:]:
            continue
        look(browser, name, record(browser, name, use), see, secrets)
    browser.close()
