"""A recorded session on the page of Lens: any moment by keyboard, list and play, its looks, and files that cannot be shown."""

import json
import pathlib
import shutil
import sqlite3
import subprocess

from playwright.sync_api import expect

from browser import Program, Tab, accessible, check, until


def recorded(path):
    """The last recorded state of each screen, and all events."""
    with sqlite3.connect(f"file:{path}?mode=ro", uri=True) as database:
        events = database.execute("SELECT id, name, kind, json FROM screen ORDER BY id").fetchall()
    return {name: json.loads(text) for _, name, kind, text in events if kind == "state"}, events


def go_on(session, longer, live):
    """Lets a recorded user go to every tab and see there what the live page has shown."""
    longer.parent.mkdir()
    shutil.copy(session, longer)
    with sqlite3.connect(longer) as database:
        time_now = database.execute("SELECT max(nanoseconds) FROM screen").fetchone()[0]

        def add(name, kind, value):
            nonlocal time_now
            time_now += 500_000_000
            row = (time_now, name, kind, json.dumps(value))
            database.execute("INSERT INTO screen (nanoseconds, name, kind, json) VALUES (?, ?, ?, ?)", row)

        photo = json.loads(database.execute("SELECT json FROM screen WHERE json LIKE '%lastPhoto%'").fetchone()[0])["lastPhoto"]
        item = {**live["gallery"]["items"][0], "id": photo}
        for tab, screen in ((1, "gallery"), (2, "chat"), (3, "settings")):
            add("navigation", "action", {"selectTab": {"_0": tab}})
            add("navigation", "state", {"isLaunched": True, "navigationPath": [], "selectedTab": tab})
            state = live[screen]
            if screen == "gallery":
                state = {**state, "items": [item, *state["items"]], "selection": [photo]}
            add(screen, "state", state)
            if screen == "gallery":
                sheet = {"mediaPreview": {"_0": photo}}
                add("navigation", "action", {"present": {"_0": sheet}})
                add("navigation", "state", {"isLaunched": True, "navigationPath": [], "selectedTab": tab, "presentedSheet": sheet})
                add("preview", "state", {"item": item})
                add("navigation", "action", {"dismissSheet": {}})
                add("navigation", "state", {"isLaunched": True, "navigationPath": [], "selectedTab": tab})
        camera = json.loads(database.execute("SELECT json FROM screen WHERE name = 'camera' ORDER BY id DESC").fetchone()[0])
        alert = {"title": "The photo was not taken", "text": "The disk is full.", "advice": "Free some space.", "offersRetry": True}
        add("camera", "state", {**camera, "alert": alert})


def recording(browser, lens, folder, live):
    """Looks at a recorded session: by keyboard, by playing it, and at its end."""
    lenssim, session, longer = pathlib.Path(lens).parent / "lenssim", folder / "demo.lenssession", folder / "longer" / "demo.lenssession"
    demo = [lenssim, "demo", "--seconds", "6", "--seed", "7", "--state", folder / "demo", "--session", session]
    subprocess.run(demo, check=True, capture_output=True)
    before = session.read_bytes()
    program = Program(lens, "--replay", str(session))
    check(program.facts["recording"] == "demo.lenssession", "the first line names the recording, without its place")
    states, events = recorded(session)
    tab = Tab(browser.new_context(viewport={"width": 1120, "height": 700}))
    page = tab.page
    page.goto(program.page)
    slider = page.get_by_role("slider", name="Time of the recording")
    expect(slider).to_be_focused()
    expect(page.get_by_role("complementary", name="This is a recording")).to_contain_text("demo.lenssession")
    expect(page.get_by_role("complementary")).to_contain_text("demo, seed 7")
    event_now = page.locator("#event-now")
    expect(event_now).to_have_text(f"Event 1 of {len(events)}")
    page.keyboard.press("End")
    expect(event_now).to_have_text(f"Event {len(events)} of {len(events)}")
    shown = {name: state for name, state in tab.states().items() if name in states}
    check(shown == states, "the states at the end are the recorded ones")
    check(states["stream"]["framesSent"] > 10, "the recorded stream has sent pictures")
    expect(page.locator("#reply")).to_have_text(states["stream"]["latestResponse"])
    expect(page.locator("#figures")).to_contain_text(f"{states['stream']['framesSent']} pictures sent")
    page.get_by_role("button", name="What happened").click()
    until(page, "document.querySelectorAll('.reel img').length === 12 && [...document.querySelectorAll('.reel img')].every((image) => image.complete)")
    check(page.evaluate("[...document.querySelectorAll('.reel img')].every((image) => image.naturalWidth === 160)"), "the film has a small picture for each part of the time")
    page.get_by_role("button", name="What happened").click()
    slider.focus()
    page.keyboard.press("ArrowLeft")
    expect(event_now).to_have_text(f"Event {len(events) - 1} of {len(events)}")
    page.keyboard.press("Home")
    expect(event_now).to_have_text(f"Event 1 of {len(events)}")
    expect(page.locator("#blank-text")).to_have_text("The camera is off.")
    for _ in range(5):
        page.keyboard.press("ArrowRight")
    expect(event_now).to_have_text(f"Event 6 of {len(events)}")
    page.get_by_role("button", name="Took a photo").click()
    photo = next(number for number, _, kind, text in events if kind == "action" and "capturePhoto" in text)
    expect(event_now).to_have_text(f"Event {photo} of {len(events)}")
    expect(page.get_by_role("button", name="Took a photo")).to_have_attribute("aria-current", "step")
    until(page, "document.querySelector('#preview').naturalWidth === 640")
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("button", name="Stopped streaming")).to_be_focused()
    expect(event_now).to_have_text(f"Event {photo} of {len(events)}")
    slider.focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator("#last-photo")).to_be_visible()
    kind = page.evaluate("fetch(`/media/${%s}`).then((answer) => answer.headers.get('Content-Type'))" % json.dumps(states["camera"]["lastPhoto"]))
    check(kind == "image/jpeg", "the photo is the one that was uploaded")
    page.reload()
    expect(event_now).to_have_text(f"Event {photo + 2} of {len(events)}")
    page.get_by_label("Speed").select_option("16×")
    page.get_by_role("button", name="Play").click()
    expect(event_now).to_have_text(f"Event {len(events)} of {len(events)}")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    page.evaluate("document.querySelectorAll('main button').forEach((button) => button.click())")
    page.wait_for_timeout(300)
    asked = {message["screen"] for message in map(json.loads, tab.frames) if "action" in message}
    check(asked == {"recording"} and not page.get_by_role("dialog").count(), "the app's buttons do nothing in a recording")
    # Another tab may be looked at, until the time goes on.
    page.get_by_role("tab", name="Settings").click()
    expect(page.get_by_role("tabpanel", name="Settings")).to_be_visible()
    slider.focus()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("tab", name="Camera")).to_have_attribute("aria-selected", "true")
    page.get_by_role("button", name="What happened").click()
    page.get_by_label("What is listed").select_option("Camera")
    expect(page.locator(".lane:not([hidden])").last).to_be_visible()
    page.get_by_role("button", name="What happened").click()
    check(not tab.troubles, f"a recording by keyboard, list and play: no error {tab.troubles}")
    frames = "".join(tab.frames)
    for secret in (program.token, str(folder), "/phone", "geminiVersion"):
        check(secret not in frames, f"no frame of a recording has {secret[:12]}…")
    check(program.quit() == 0 and session.read_bytes() == before, "the recording's file stays as it was")
    go_on(session, longer, live)
    looks(browser, folder, Program(lens, "--replay", str(longer)), photo)
    refusals(lens, lenssim, folder)


def looks(browser, folder, program, photo):
    for scheme in ("light", "dark"):
        for size, (width, height) in {"desktop": (1120, 700), "phone": (390, 780)}.items():
            tab = Tab(browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme))
            page = tab.page
            page.goto(program.page)
            slider = page.get_by_role("slider", name="Time of the recording")
            expect(slider).to_be_focused()
            page.get_by_role("button", name="Took a photo").click()
            until(page, "document.querySelector('#preview').naturalWidth === 640")
            slider.focus()
            for _ in range(6):
                page.keyboard.press("ArrowRight")
            until(page, f"document.querySelector('#time').getAttribute('aria-valuetext').includes('event {photo + 6} ')")
            page.wait_for_timeout(300)
            what = f"a recording, {scheme}, {size}"
            accessible(page, what)
            page.screenshot(path=folder / f"lens-replay-{scheme}-{size}.png")
            page.get_by_role("button", name="What happened").click()
            expect(page.locator(".entry").first).to_be_visible()
            page.screenshot(path=folder / f"lens-entries-{scheme}-{size}.png")
            accessible(page, f"{what}, its entries")
            page.get_by_role("button", name="What happened").click()
            slider.focus()
            page.get_by_role("button", name="Opened a photo").click()
            slider.focus()
            page.keyboard.press("ArrowRight")
            page.keyboard.press("ArrowRight")
            expect(page.get_by_role("dialog")).to_be_visible()
            expect(slider).to_be_focused()
            until(page, "document.querySelector('#lightbox .screen img').naturalWidth === 640")
            accessible(page, f"{what}, a photo")
            page.screenshot(path=folder / f"replay-photo-{scheme}-{size}.png")
            page.get_by_role("button", name="Opened Chat").click()
            slider.focus()
            expect(page.get_by_role("dialog")).to_have_count(0)
            for _ in range(2):
                page.keyboard.press("ArrowRight")
            expect(page.locator(".message.user").first).to_be_visible()
            accessible(page, f"{what}, the chat")
            page.screenshot(path=folder / f"replay-chat-{scheme}-{size}.png")
            page.keyboard.press("End")
            expect(page.get_by_role("alert")).to_contain_text("The disk is full.")
            accessible(page, f"{what}, an alert")
            page.screenshot(path=folder / f"replay-alert-{scheme}-{size}.png")
            page.keyboard.press("Home")
            expect(page.get_by_role("alert")).to_have_count(0)
            check(not tab.troubles, f"{what}: no error {tab.troubles}")
            page.context.close()
    program.quit()


def refusals(lens, lenssim, folder):
    """Files that cannot be shown: what is said, and the exit code."""
    plain, other = folder / "plain.lenssession", folder / "other.lenssession"
    run = [lenssim, "run", "lens-streaming", "--seed", "7", "--record", plain]
    subprocess.run(run, check=True, capture_output=True)
    other.write_text("no recording")
    for path, code, words in (
        (folder / "missing", 66, "there is no recording"),
        (other, 65, "is not a LensSim recording"),
        (plain, 65, "does not have what the screens showed"),
    ):
        ended = subprocess.run([lens, "--replay", path], capture_output=True, text=True)
        check(ended.returncode == code and words in ended.stderr, f"{path.name} ends with {code}: {ended.stderr.strip()[:90]}")
    ended = subprocess.run([lens, "--replay", plain, "--gemini", "google"], capture_output=True, text=True)
    check(ended.returncode == 64, "a recording takes no assistant")
