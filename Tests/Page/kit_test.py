"""Uses every component of PageKit in a real Chromium: keyboard, focus and pointer; accessibility in light and dark, forced colours and right to left,
on a desktop and a phone; and the time that scripts take while 5,000 items are scrolled.

Usage: kit_test.py KIT-PAGE FOLDER. Screenshots go to FOLDER. Exits with 1 at the first check that does not hold.
"""

import pathlib
import re
import shutil
import sys
import urllib.request

from playwright.sync_api import expect, sync_playwright

from browser import Program, Tab, accessible, check, until
from kit_feed import feed, long_feed, page_feed

kit, folder = str(pathlib.Path(sys.argv[1]).absolute()), pathlib.Path(sys.argv[2])
files = pathlib.Path(__file__).resolve().parents[2] / "Sources/Kernel/PageKit/Page"
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)

NAMES = ("Forms", "Media", "Words", "Feed")
# What stands in the page of a recording in one file, and is loaded by nobody: recording_test.py runs it.
IN_ONE_FILE = {"shared.js"}


def opened(browser, program, name="Forms", **options):
    """A tab with the page. One picture never comes; one is missing, which the browser reports."""
    tab = Tab(browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **options}))
    tab.held = []
    tab.page.route("**/never.svg", lambda route: tab.held.append(route))
    tab.page.goto(program.page)
    tab.page.get_by_role("tab", name=name).click()
    expect(tab.page.get_by_role("tabpanel", name=name)).to_be_visible()
    return tab


def close(tab):
    troubles = [trouble for trouble in tab.troubles if not trouble.endswith("/missing.svg")]
    check(not troubles, f"nothing went wrong in the browser {troubles}")
    for route in tab.held:
        route.abort()
    tab.page.context.close()


def focused(page):
    return page.evaluate("(document.activeElement.id || document.activeElement.textContent || document.activeElement.tagName).trim()")


def served(program):
    """Whatever the kit has is part of the program, and the page's policy is that of every page."""
    cookie = {"Cookie": f"kit-{program.page.split(':')[2].split('/')[0]}={program.token}"}
    origin = program.page.split("/?")[0]
    names = sorted({path.name for kind in ("*.js", "*.css") for path in files.glob(kind)} - IN_ONE_FILE)
    for name in names:
        with urllib.request.urlopen(urllib.request.Request(f"{origin}/kit/{name}", headers=cookie)) as answer:
            policy = answer.headers["Content-Security-Policy"]
            check(answer.read() == (files / name).read_bytes(), f"/kit/{name} is served")
            check("script-src 'self';" in policy and "unsafe" not in policy, "scripts come from files alone")
    check(len(names) > 20, f"{len(names)} files of the kit")


def tabs(browser, program):
    tab = opened(browser, program)
    page = tab.page
    page.get_by_role("tab", name="Forms").focus()
    for key, name in (("ArrowRight", "Media"), ("End", "Feed"), ("ArrowRight", "Forms"), ("ArrowLeft", "Feed"), ("Home", "Forms"), ("ArrowDown", "Media")):
        page.keyboard.press(key)
        expect(page.get_by_role("tab", name=name)).to_be_focused()
        expect(page.get_by_role("tab", name=name)).to_have_attribute("aria-selected", "true")
        expect(page.get_by_role("tabpanel")).to_have_count(1)
        expect(page.get_by_role("tabpanel", name=name)).to_be_visible()
    check(page.evaluate("document.querySelectorAll('[role=tab][tabindex=\"0\"]').length") == 1, "arrows lead from tab to tab, which are one stop")
    expect(page).to_have_url(re.compile("#/media$"))
    page.go_back()
    expect(page.get_by_role("tabpanel", name="Forms")).to_be_visible()
    page.reload()
    expect(page.get_by_role("tabpanel", name="Forms")).to_be_visible()
    check(page.url.endswith("#/forms"), "Back and a reload lead to a tab by its address")
    page.get_by_role("tab", name="Words").click()
    expect(page).to_have_url(re.compile("#/words$"))
    page.evaluate(
        """() => new Promise((done) => {
          const once = (action) => addEventListener("popstate", action, { once: true });
          once(() => { once(done); history.forward(); });
          history.back();
        })"""
    )
    page.wait_for_timeout(500)
    expect(page.get_by_role("tabpanel", name="Words")).to_be_visible()
    expect(page).to_have_url(re.compile("#/words$"))
    check(True, "Back and at once Forward lead to where they began")
    page.get_by_role("button", name="Right to left").click()
    page.get_by_role("tab", name="Forms").focus()
    page.keyboard.press("ArrowLeft")
    expect(page.get_by_role("tab", name="Media")).to_be_focused()
    check(True, "right to left, the next tab is on the left")
    close(tab)


def said(browser, program):
    """Banners, tabs that have one, the toast, and questions."""
    tab = opened(browser, program)
    page = tab.page
    page.get_by_role("button", name="Fail", exact=True).click()
    expect(page.get_by_role("alert")).to_have_count(2)
    first = page.get_by_role("alert").first
    expect(first).to_contain_text("The upload failed. The backup failed")
    check(True, "what has one cause has one banner")
    page.screenshot(path=folder / "alerts.png")
    accessible(page, "alerts")
    first.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("alert")).to_have_count(1)
    expect(page.locator("#answer")).to_have_text("tried again")
    page.get_by_role("alert").get_by_role("button", name="Close").press("Enter")
    expect(page.get_by_role("alert")).to_have_count(0)
    check(focused(page) == "tab-0", "a banner that is closed gives the focus to the tab")
    page.get_by_role("button", name="Fail in Words").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.get_by_role("tab", name="Words")).to_have_attribute("aria-describedby", "tab-problem")
    page.get_by_role("tab", name="Words").click()
    expect(page.get_by_role("alert")).to_contain_text("The message was not sent")
    expect(page.get_by_role("tab", name="Words")).not_to_have_attribute("aria-describedby", "tab-problem")
    check(True, "a problem of another tab marks that tab")
    page.get_by_role("tab", name="Forms").click()
    page.get_by_role("button", name="Lose the connection").click()
    expect(page.get_by_role("alert")).to_contain_text("Kit cannot be reached")
    page.get_by_role("alert").get_by_role("button", name="Try again").click()
    page.get_by_role("button", name="Offer something").click()
    toast = page.locator("#toast")
    expect(toast).to_contain_text("The video was saved.")
    accessible(page, "a toast")
    toast.get_by_role("button", name="Show").click()
    expect(toast).to_be_hidden()
    expect(page.locator("#answer")).to_have_text("shown")
    page.get_by_role("button", name="Say something").click()
    expect(toast.get_by_role("button", name="Show")).to_have_count(0)
    expect(toast).to_be_hidden(timeout=10_000)
    check(True, "a toast goes by itself")
    page.locator("#disabled").click(force=True)
    expect(page.locator("#answer")).to_have_text("shown")
    check(True, "what is disabled does nothing")
    page.get_by_role("button", name="Ask").click()
    check(focused(page) == "question-no", "a question begins at what does no harm")
    accessible(page, "a question")
    page.keyboard.press("Escape")
    expect(page.locator("#answer")).to_have_text("no")
    check(focused(page) == "ask", "a question gives the focus back")
    page.get_by_role("button", name="Ask").click()
    page.get_by_role("button", name="Delete").click()
    expect(page.locator("#answer")).to_have_text("yes")
    close(tab)


def forms(browser, program):
    tab = opened(browser, program)
    page = tab.page
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("k-field .wrong:visible")).to_have_count(3)
    check(focused(page) == "field-person-email", "the first wrong field has the focus")
    email = page.get_by_label("E-mail")
    expect(email).to_have_attribute("aria-invalid", "true")
    expect(email).to_have_attribute("aria-describedby", "field-person-email-error field-person-email-hint")
    page.screenshot(path=folder / "wrong-fields.png")
    accessible(page, "fields that are wrong")
    email.fill("ada@example.org")
    password = page.get_by_label("Password", exact=True)
    password.fill("a long phrase")
    page.get_by_role("button", name="Show the password").click()
    expect(password).to_have_attribute("type", "text")
    page.get_by_role("button", name="Show the password").click()
    expect(password).to_have_attribute("type", "password")
    page.get_by_label("I accept the terms.").check()
    email.press("Enter")
    expect(page.locator("k-field .wrong:visible")).to_have_count(0)
    expect(email).not_to_have_attribute("aria-invalid", "true")
    check(True, "Enter sends a form, whose fields are right then")
    expect(page.locator("k-steps").nth(1).locator("[aria-current=step]")).to_have_text("Address")
    expect(page.locator("k-steps").nth(2).locator("[aria-current=step]")).to_have_count(0)
    close(tab)


def pictures(browser, program):
    """Small pictures, the large one, and the part that is used."""
    tab = opened(browser, program, "Media")
    page = tab.page
    states = [page.locator("k-thumb").nth(index) for index in range(6)]
    for thumb, state in zip(states, ("shown", "shown", "shown", "broken", "loading", "empty")):
        expect(thumb).to_have_attribute("data-state", state)
    check(True, "a small picture is shown, broken, loading or empty")
    lightbox(page)
    crop(page)
    close(tab)


def lightbox(page):
    page.get_by_role("button", name="A landscape").press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_role("heading")).to_have_text("A landscape")
    check(focused(page) == "" or page.evaluate("document.activeElement.getAttribute('aria-label')") == "Close", "the focus is in the lightbox")
    expect(dialog.get_by_role("button", name="Previous")).to_have_count(0)
    page.screenshot(path=folder / "lightbox.png")
    accessible(page, "the lightbox")
    dialog.get_by_role("button", name="Next").click()
    expect(dialog.get_by_role("heading")).to_contain_text("A portrait")
    accessible(page, "a long title")
    page.keyboard.press("ArrowLeft")
    expect(dialog.get_by_role("heading")).to_have_text("A landscape")
    image = dialog.get_by_role("img", name="A landscape")
    image.dblclick()
    check("scale(2.5)" in image.evaluate("image => image.style.transform"), "two clicks bring it closer")
    box = image.bounding_box()
    page.mouse.move(640, 400)
    page.mouse.down()
    page.mouse.move(700, 430, steps=3)
    page.mouse.up()
    check(abs(image.bounding_box()["x"] - box["x"] - 60) < 2, "what is closer is moved")
    page.keyboard.press("ArrowRight")
    expect(dialog.get_by_role("heading")).to_have_text("A landscape")
    image.dblclick()
    check(image.evaluate("image => image.style.transform") == "", "two more lead back")
    page.mouse.move(640, 400)
    page.mouse.down()
    page.mouse.move(400, 410, steps=3)
    page.mouse.up()
    expect(dialog.get_by_role("heading")).to_contain_text("A portrait")
    check(True, "a swipe shows the next")
    like = dialog.get_by_role("button", name="Like")
    like.focus()
    page.keyboard.press("ArrowRight")
    expect(dialog.get_by_role("button", name="Like")).to_be_focused()
    check(True, "what is said of an item keeps the focus from one to the next")
    dialog.get_by_role("button", name="Play").click()
    expect(dialog.locator("output")).to_have_text("0:01 of 0:03")
    dialog.get_by_role("button", name="Pause").click()
    page.screenshot(path=folder / "film.png")
    accessible(page, "a movie")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("button", name="A landscape")).to_be_focused()
    check(True, "Escape closes it, and the focus is where it was")


def crop(page):
    used = page.locator("#used")
    expect(page.locator("#crop")).to_have_attribute("data-state", "shown")
    expect(page.locator("#crop-broken")).to_contain_text("cannot read this file")
    expect(page.locator("#crop-empty input")).to_be_disabled()
    page.get_by_role("button", name="Use it").click()
    expect(used).to_have_text("256 × 256, red")
    canvas = page.locator("#crop canvas")
    canvas.focus()
    # The part is moved to the right in half of the picture's height, and not beyond its edge.
    for _ in range(30):
        page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Use it").click()
    expect(used).to_have_text("256 × 256, green")
    canvas.focus()
    for _ in range(12):
        page.keyboard.press("+")
    check(page.locator("#crop input").input_value() == "8", "plus brings it closer, to an end")
    for _ in range(60):
        page.keyboard.press("ArrowDown")
    for _ in range(120):
        page.keyboard.press("ArrowLeft")
    page.get_by_role("button", name="Use it").click()
    expect(used).to_have_text("50 × 50, blue")
    page.locator("#crop input").fill("1")
    canvas.scroll_into_view_if_needed()
    box = canvas.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.down()
    page.mouse.move(box["x"] - 4 * box["width"], box["y"] + box["height"] / 2, steps=4)
    page.mouse.up()
    page.get_by_role("button", name="Use it").click()
    expect(used).to_have_text("256 × 256, green")
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    page.mouse.wheel(0, -400)
    until(page, "Number(document.querySelector('#crop input').value) > 2")
    check(True, "a drag moves the part, and a wheel brings it closer")


def words(browser, program):
    tab = opened(browser, program, "Words")
    page = tab.page
    text = page.locator("#rich")
    for mark, inside in (("strong", "bold"), ("em", "stressed"), ("code", "code"), ("a[rel='noopener noreferrer']", "link"), ("ul li", "one"), ("ol li", "three")):
        expect(text.locator(mark).filter(has_text=inside).first).to_be_visible()
    expect(text).to_contain_text("<b>no HTML</b>")
    check(text.locator("b").count() == 0 and text.locator("ol").get_attribute("start") == "3", "marks become elements, and HTML stays text")
    check(page.evaluate("getComputedStyle(document.querySelector('#rich p:nth-of-type(3)')).direction") == "rtl", "each block has its own direction")
    field = page.get_by_label("Message")
    lines = field.bounding_box()["height"]
    field.press_sequentially("one")
    field.press("Shift+Enter")
    field.press_sequentially("two\nthree"[:3])
    check(field.bounding_box()["height"] > lines + 10, "the field grows with its text")
    field.press("Enter")
    expect(page.locator("#said li")).to_have_text("one\ntwo")
    expect(field).to_have_value("")
    field.press("Enter")
    expect(page.locator("#said li")).to_have_count(1)
    check(True, "Enter sends what is typed, and nothing where nothing is")
    page.get_by_role("button", name="Refuse").click()
    field.fill("again")
    field.press("Enter")
    expect(field).to_have_value("again")
    check(True, "what was not said stays")
    page.get_by_role("button", name="Be busy").click()
    expect(page.get_by_role("button", name="Send")).to_have_count(0)
    accessible(page, "a composer that waits")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("button", name="Send")).to_be_visible()
    page.get_by_role("button", name="Be lost").click()
    expect(page.get_by_role("button", name="Send")).to_have_attribute("aria-disabled", "true")
    field.press("Enter")
    expect(page.locator("#said li")).to_have_count(1)
    expect(page.locator("#composer")).to_contain_text("What you have typed stays here.")
    close(tab)


def looks(browser, program):
    """Every component as people see it who set their browsers differently."""
    ways = {
        "light": {},
        "dark": {"color_scheme": "dark"},
        "forced": {"forced_colors": "active"},
        "rtl": {},
    }
    for way, options in ways.items():
        for size, (width, height) in {"desktop": (1280, 800), "phone": (390, 780)}.items():
            tab = opened(browser, program, viewport={"width": width, "height": height}, **options)
            page = tab.page
            if way == "rtl":
                page.get_by_role("button", name="Right to left").click()
            for name in NAMES:
                page.get_by_role("tab", name=name).click()
                if name == "Feed":
                    expect(page.get_by_role("article").first).to_be_visible()
                if name == "Media":
                    expect(page.locator("#crop")).to_have_attribute("data-state", "shown")
                accessible(page, f"{name}, {way}, {size}")
                page.screenshot(path=folder / f"{name.lower()}-{way}-{size}.png")
            close(tab)


expect.set_options(timeout=15_000)
program = Program(kit)
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
    if pathlib.Path(kit).name == "KitPage":
        served(program)
    tabs(browser, program)
    said(browser, program)
    forms(browser, program)
    pictures(browser, program)
    words(browser, program)
    for use, width in ((feed, 1280), (page_feed, 390), (long_feed, 1280)):
        tab = opened(browser, program, "Feed", viewport={"width": width, "height": 800})
        use(tab.page, folder)
        close(tab)
    looks(browser, program)
    browser.close()
check(program.quit() == 0, "SIGTERM ends it with 0")
