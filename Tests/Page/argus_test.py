"""Uses Argus in a real Chromium: wrong codes, pairing, events with their pictures, paging, notices and their details, a hub that leaves the network and comes
back, an internet that is cut, settings, sign-out, two tabs, reloads and links, a program that is killed, accessibility in both schemes, on a phone and at
200 %, and a long list.

Usage: argus_test.py ARGUS FOLDER EVENTS. Screenshots go to FOLDER. Exits with 1 at the first check that does not hold.
"""

import pathlib
import re
import shutil
import subprocess
import sys

from playwright.sync_api import expect, sync_playwright

from argus_code import shown_code
from argus_list import listed, long_list
from argus_push import pushed
from argus_tab import ArgusTab
from browser import Program, accessible, check, until

argus, folder, count = str(pathlib.Path(sys.argv[1]).absolute()), pathlib.Path(sys.argv[2]), int(sys.argv[3])
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)

expect.set_options(timeout=20_000)

DESKTOP = {"viewport": {"width": 1280, "height": 800}}


def heading(page, name):
    expect(page.get_by_role("heading", level=2, name=name, exact=True)).to_be_visible()


def focused(page):
    return page.evaluate("document.activeElement.id || document.activeElement.tagName")


def enter(page, code):
    heading(page, "Pair with your hub")
    page.get_by_label("Code", exact=True).fill(code)
    page.get_by_role("button", name="Pair", exact=True).click()


def pair(page):
    heading(page, "Pair with your hub")
    expect(page.locator("#code")).to_have_text(re.compile("^[0-9]{6}$"))
    enter(page, page.locator("#code").text_content())
    heading(page, "Events")
    expect(page.get_by_role("article").first).to_be_visible()


def pictures(page):
    """The first rows have pictures that the browser could read."""
    rows = "#feed article:nth-child(-n+3) .tile:not([data-thumbnail=none]) img"
    until(page, f"[...document.querySelectorAll('{rows}')].every((image) => image.naturalWidth === 320)")


def hold(page):
    """Waits for a toast, and keeps it by its focus in the same step: it would go while this waits for processor time."""
    until(
        page,
        """(() => {
          if (document.getElementById("toast").hidden) return false;
          document.getElementById("toast-show").focus();
          return true;
        })()""",
    )


def way(page, name):
    expect(page.locator("#way")).to_have_text(name)


def switch(page, name, is_on):
    control = page.get_by_role("switch", name=name)
    control.set_checked(is_on)
    until(page, f"!document.getElementById('{control.get_attribute('id')}').isBusy")


def ring(page):
    page.get_by_role("button", name="Ring the bell").click()


def first_use(browser, program):
    """From a wrong code to the end of the list."""
    tab = ArgusTab(browser.new_context(**DESKTOP))
    page = tab.page
    page.goto(program.page)
    heading(page, "Pair with your hub")
    check("token" not in page.url, "the token is not in the address any more")
    code = page.get_by_label("Code", exact=True)
    check(code.get_attribute("inputmode") == "numeric" and code.get_attribute("maxlength") == "6", "the field of the code is one for six digits")
    page.screenshot(path=folder / "01-pairing.png")
    accessible(page, "the pairing")
    enter(page, "12")
    expect(code).to_have_attribute("aria-invalid", "true")
    expect(page.locator("k-field .wrong")).to_have_text("A code has six digits.")
    check(focused(page) == code.get_attribute("id"), "a field that is wrong has the focus")
    shown = page.locator("#code").text_content()
    enter(page, "000000" if shown != "000000" else "111111")
    alert = page.get_by_role("alert").filter(has_text="This device was not paired")
    expect(alert).to_contain_text("Invalid Code")
    page.screenshot(path=folder / "02-wrong-code.png")
    accessible(page, "a wrong code")
    alert.get_by_role("button", name="Close").click()
    expect(alert).to_have_count(0)
    check(focused(page) == code.get_attribute("id"), "an alert that is closed gives the focus to the field")
    new_code(page)
    pair(page)
    check(focused(page) == "events-title", "the heading of the events has the focus")
    way(page, "At home")
    pictures(page)
    until(page, "!document.querySelector('#feed [data-thumbnail=loading]')")
    page.wait_for_timeout(300)
    page.screenshot(path=folder / "03-events.png")
    accessible(page, "the events")
    paging(page)
    check(not tab.troubles, f"nothing went wrong in the browser: {tab.troubles}")
    page.context.close()


def paging(page):
    """Scrolling brings 42 events in three pages, and then no more."""
    strange = page.get_by_role("article", name=re.compile("Unknown camera"))
    expect(strange).to_have_count(1)
    expect(strange).to_contain_text("Event")
    expect(strange.locator(".tile")).to_have_attribute("data-thumbnail", "none")
    check(True, "an unknown camera has a placeholder, an unknown kind the generic sign, and a picture that is not there none")
    end = page.locator("#feed .last")
    for _ in range(200):
        if end.is_visible():
            break
        page.mouse.wheel(0, 1_500)
        page.wait_for_timeout(50)
    expect(end).to_have_text("There is nothing older.")
    check(listed(page) == 42, "scrolling loads all of the 42 events")
    expect(page.get_by_role("article").last).to_have_attribute("aria-posinset", "42")
    page.screenshot(path=folder / "04-end.png")
    accessible(page, "the end of the list")


def details(browser, program):
    """Rows, links, Back, keys and notices lead to details."""
    tab = ArgusTab(browser.new_context(**DESKTOP))
    page = tab.page
    page.goto(program.page)
    heading(page, "Events")
    pictures(page)
    row = page.get_by_role("article").nth(2)
    name = row.get_attribute("aria-label")
    row.get_by_role("button").click()
    expect(page.locator("#detail-content")).to_be_visible()
    expect(page.locator("#detail-facts")).to_contain_text(name.split(", ")[1])
    until(page, "document.getElementById('detail-picture').naturalWidth === 320")
    check(focused(page) == "detail-title" and re.search("#/events/evt_[0-9]+$", page.url), "a detail has the focus, and an address")
    page.screenshot(path=folder / "05-detail.png")
    accessible(page, "a detail")
    page.reload()
    expect(page.locator("#detail-content")).to_be_visible()
    page.go_back()
    heading(page, "Events")
    page.go_forward()
    expect(page.locator("#detail-content")).to_be_visible()
    check(True, "a reload stays at the detail, and Back and Forward lead out of it and into it")
    page.get_by_role("button", name="Events").click()
    heading(page, "Events")
    # By keys alone.
    page.get_by_role("article").nth(3).focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.locator("#detail-content")).to_be_visible()
    page.get_by_role("button", name="Events").press("Enter")
    heading(page, "Events")
    until(page, "document.activeElement.closest('article')?.ariaPosInSet === '4'")
    check(True, "a detail that is closed gives the focus back to its row")
    page.goto(page.url.split("#")[0] + "#/events/evt_gone")
    expect(page.locator("#detail-error")).to_contain_text("Your hub does not have this any more.")
    page.screenshot(path=folder / "06-gone.png")
    accessible(page, "an event that is gone")
    page.get_by_role("button", name="Events").click()
    heading(page, "Events")
    notices(tab)
    check(not tab.troubles, f"nothing went wrong in the browser: {tab.troubles}")
    page.context.close()


def notices(tab):
    """A notice in two tabs: the list has its event, and nothing is opened before it is wanted."""
    page = tab.page
    other = ArgusTab(page.context)
    other.page.goto(page.url.split("#")[0])
    heading(other.page, "Events")
    before = listed(page)
    page.bring_to_front()
    ring(page)
    hold(page)
    expect(page.locator("#toast-text")).to_have_text("Doorbell Ring – Front Door Camera")
    heading(page, "Events")
    for one in (page, other.page):
        until(one, "document.querySelector('#feed').now.items[0].id.startsWith('evt_ring')")
    check(listed(page) == before + 1, "a notice brings its event to the list of each tab, and opens nothing")
    page.wait_for_timeout(6_500)
    expect(page.locator("#toast")).to_be_visible()
    page.screenshot(path=folder / "07-notice.png")
    accessible(page, "a notice")
    page.locator("#toast-show").click()
    expect(page.locator("#detail-text")).to_contain_text("has rung the bell")
    expect(other.page.locator("#detail-text")).to_contain_text("has rung the bell")
    check(True, "its tap opens the event, which both tabs show")
    other.page.get_by_role("button", name="Events").click()
    heading(page, "Events")
    check(not other.troubles, f"nothing went wrong in the other tab: {other.troubles}")
    other.page.close()
    # A notice that nobody wants goes by itself.
    page.mouse.move(5, 500)
    ring(page)
    until(page, "!document.getElementById('toast').hidden")
    page.locator("#events-title").focus()
    expect(page.locator("#toast")).to_be_hidden(timeout=20_000)
    check(True, "a notice that nobody wants goes by itself")


def ways(browser, program):
    """The hub leaves the network, the internet is cut, and both come back."""
    tab = ArgusTab(browser.new_context(**DESKTOP))
    page = tab.page
    page.goto(program.page)
    heading(page, "Events")
    way(page, "At home")
    switch(page, "Hub at home", False)
    ring(page)
    way(page, "Through the relay")
    until(page, "document.querySelector('#feed').now.items[0].id.startsWith('evt_ring')")
    check(True, "the relay takes over from a hub that has left without a word")
    page.screenshot(path=folder / "08-relay.png")
    accessible(page, "the relay")
    switch(page, "Internet and relay", False)
    page.get_by_role("button", name="Refresh").click()
    alert = page.get_by_role("alert").filter(has_text="The events were not loaded")
    expect(alert).to_contain_text("Your hub cannot be reached", timeout=60_000)
    page.screenshot(path=folder / "09-cut.png")
    accessible(page, "a hub that is out of reach")
    check(page.get_by_role("article").count() > 10, "what was loaded is shown on")
    switch(page, "Internet and relay", True)
    alert.get_by_role("button", name="Try again").click()
    expect(alert).to_have_count(0, timeout=60_000)
    switch(page, "Hub at home", True)
    # An address that has failed is passed over for five seconds.
    page.wait_for_timeout(5_500)
    page.get_by_role("button", name="Refresh").click()
    way(page, "At home")
    check(True, "a hub that comes back is reached at home again")
    check(not tab.troubles, f"nothing went wrong in the browser: {tab.troubles}")
    page.context.close()


def settings(browser, program):
    """The settings say how things are; signing out forgets all of it."""
    tab = ArgusTab(browser.new_context(**DESKTOP))
    page = tab.page
    page.goto(program.page)
    heading(page, "Events")
    page.get_by_role("button", name="Settings").click()
    heading(page, "Settings")
    check(focused(page) == "settings-title" and page.url.endswith("#/settings"), "settings have the focus, and an address")
    facts = page.locator("#hub-facts")
    for text in ["hub-of-this-home", "At home", program.facts["hub"]]:
        expect(facts).to_contain_text(text)
    expect(page.locator("#notifications")).to_contain_text("On: your hub tells this device")
    page.screenshot(path=folder / "10-settings.png")
    accessible(page, "the settings")
    page.reload()
    heading(page, "Settings")
    page.get_by_role("button", name="Events").click()
    heading(page, "Events")
    page.get_by_role("button", name="Settings").click()
    page.get_by_role("button", name="Sign out").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("This device forgets its hub.")
    page.screenshot(path=folder / "11-question.png")
    accessible(page, "the question")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    heading(page, "Settings")
    check(focused(page) == "sign-out", "a question that is closed gives the focus back")
    tab.quiet()
    page.get_by_role("button", name="Sign out").click()
    dialog.get_by_role("button", name="Sign out").click()
    heading(page, "Pair with your hub")
    expect(page.locator("#way")).to_have_text("")
    expect(page.get_by_label("Code", exact=True)).to_have_value("")
    check(listed(page) == 0, "after a sign-out no event is left")
    pair(page)
    check(True, "after a sign-out a new code pairs")
    check(not tab.troubles, f"nothing went wrong in the browser: {tab.troubles}")
    page.context.close()


def kept(browser, home):
    """A program that speaks to the relay of another one: it is killed and started again, keeps its session, and finds its relay cut."""
    data = ["--folder", str(folder / "kept"), "--relay", home.facts["relay"]]
    program = Program(argus, *data, "--port", "0")
    beside = ArgusTab(browser.new_context(**DESKTOP))
    beside.page.goto(home.page)
    tab = ArgusTab(browser.new_context(**DESKTOP))
    page = tab.page
    page.goto(program.page)
    # The code is in the page of the home.
    sign_out(beside)
    expect(page.locator("#home")).to_be_hidden()
    enter(page, beside.page.locator("#code").text_content())
    heading(page, "Events")
    way(page, "Through the relay")
    page.get_by_role("button", name="Settings").click()
    expect(page.locator("#notifications")).to_contain_text("Off")
    page.get_by_role("button", name="Events").click()
    tab.expects_outage = True
    program.kill()
    expect(page.locator("#connection")).to_have_text("Reconnecting…")
    expect(page.get_by_role("alert").filter(has_text="Argus cannot be reached")).to_be_visible()
    page.screenshot(path=folder / "12-killed.png")
    accessible(page, "a page without its program")
    switch(beside.page, "Internet and relay", False)
    again = Program(argus, *data)
    check(again.page == program.page, "a program that is started again has the same address")
    heading(page, "Events")
    error = page.locator("#events-error")
    expect(error).to_contain_text("Your hub cannot be reached", timeout=60_000)
    expect(page.locator("#connection")).to_have_text("")
    page.screenshot(path=folder / "13-error.png")
    accessible(page, "events that were not loaded")
    switch(beside.page, "Internet and relay", True)
    error.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("article").first).to_be_visible(timeout=60_000)
    expect(error).to_be_hidden()
    check(True, "a session is kept, and a list that was not loaded is loaded by its button")
    new_code(beside.page)
    pair(beside.page)
    check(again.quit() == 0, "SIGTERM ends the program with 0")
    for one in (page, beside.page):
        one.context.close()


def known_hub(browser, home):
    """A program that knows the address of a hub at home, which leaves and comes back."""
    for wrong in (["--hub", "http://8.8.8.8"], ["--hub", "https://10.0.0.1"], ["--relay", "http://example.org"], ["--hub", "http://10.0.0.1", "--discover"]):
        check(subprocess.run([argus, *wrong], capture_output=True).returncode == 64, f"{' '.join(wrong)} is refused")
    program = Program(argus, "--folder", str(folder / "known"), "--port", "0", "--hub", home.facts["hub"])
    beside, tab = (ArgusTab(browser.new_context(**DESKTOP)) for _ in range(2))
    beside.page.goto(home.page)
    tab.page.goto(program.page)
    sign_out(beside)
    enter(tab.page, beside.page.locator("#code").text_content())
    heading(tab.page, "Events")
    way(tab.page, "At home")
    new_code(beside.page)
    pair(beside.page)
    switch(beside.page, "Hub at home", False)
    tab.page.get_by_role("button", name="Refresh").click()
    way(tab.page, "No way to the hub")
    expect(tab.page.get_by_role("alert").filter(has_text="The events were not loaded")).to_be_visible()
    tab.page.screenshot(path=folder / "15-no-way.png")
    switch(beside.page, "Hub at home", True)
    way(tab.page, "At home")
    check(True, "a hub whose address is known is used while it is there")
    check(program.quit() == 0, "SIGTERM ends the program with 0")
    for one in (tab, beside):
        one.page.context.close()


def sign_out(tab):
    page = tab.page
    page.get_by_role("button", name="Settings").click()
    heading(page, "Settings")
    tab.quiet()
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("dialog").get_by_role("button", name="Sign out").click()
    heading(page, "Pair with your hub")


def new_code(page):
    """Another code than the one that is used."""
    used = page.locator("#code").text_content()
    page.get_by_role("button", name="New code").click()
    expect(page.locator("#code")).not_to_have_text(used)


def pull(page):
    """A finger goes down from the top of the page."""
    session = page.context.new_cdp_session(page)
    touch = lambda kind, *places: session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": [{"x": 180, "y": y} for y in places]})
    page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    before = page.evaluate("document.querySelector('#events').getBoundingClientRect().top")
    start = max(before + 20, 300)
    touch("touchStart", start)
    for step in range(1, 11):
        touch("touchMove", start + 12 * step)
    until(page, "document.getElementById('pull').hasAttribute('data-pulled')")
    page.screenshot(path=folder / "phone-pull.png")
    touch("touchEnd")
    until(page, "!document.getElementById('pull').hasAttribute('data-pulled')")


def looks(browser, program):
    """Dark, on a phone, at 200 %, with colours of the user's own."""
    for name, options in {
        "dark": {**DESKTOP, "color_scheme": "dark"},
        "phone": {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2},
        "phone-dark": {"viewport": {"width": 360, "height": 740}, "color_scheme": "dark"},
        # 1280 × 800 at 200 %.
        "zoomed": {"viewport": {"width": 640, "height": 400}, "device_scale_factor": 2},
        "forced": {**DESKTOP, "forced_colors": "active"},
        "still": {"viewport": {"width": 320, "height": 640}, "reduced_motion": "reduce"},
    }.items():
        tab = ArgusTab(browser.new_context(**options))
        page = tab.page
        page.goto(program.page)
        heading(page, "Events")
        page.get_by_role("button", name="Settings").click()
        page.screenshot(path=folder / f"{name}-1-settings.png", full_page=True)
        accessible(page, f"{name}: the settings")
        page.get_by_role("button", name="Events").click()
        sign_out(tab)
        page.screenshot(path=folder / f"{name}-2-pairing.png", full_page=True)
        accessible(page, f"{name}: the pairing")
        pair(page)
        pictures(page)
        if name == "still":
            check(page.evaluate("document.getAnimations().length") == 0, "nothing moves where less motion is wanted")
        page.screenshot(path=folder / f"{name}-3-events.png")
        accessible(page, f"{name}: the events")
        ring(page)
        hold(page)
        page.screenshot(path=folder / f"{name}-4-notice.png")
        accessible(page, f"{name}: a notice")
        page.locator("#toast-show").click()
        expect(page.locator("#detail-content")).to_be_visible()
        until(page, "document.getElementById('detail-picture').naturalWidth === 320")
        page.screenshot(path=folder / f"{name}-5-detail.png", full_page=True)
        accessible(page, f"{name}: a detail")
        page.get_by_role("button", name="Events").click()
        heading(page, "Events")
        if name == "phone":
            ring(page)
            hold(page)
            page.locator("#toast-close").click()
            pulled(tab)
        check(not tab.troubles, f"{name}: nothing went wrong in the browser {tab.troubles}")
        page.context.close()


def pulled(tab):
    """A pull loads the list again."""
    sent = lambda: sum('"refresh"' in frame for frame in tab.frames)
    before = sent()
    pull(tab.page)
    for _ in range(100):
        if sent() > before:
            break
        tab.page.wait_for_timeout(50)
    check(sent() == before + 1, "a pull loads the list again")


def main():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        program = Program(argus, "--folder", str(folder / "data"), "--port", "0", "--event-interval", "0")
        first_use(browser, program)
        details(browser, program)
        ways(browser, program)
        settings(browser, program)
        kept(browser, program)
        known_hub(browser, program)
        shown_code(browser, argus, folder)
        pushed(browser, argus, folder)
        looks(browser, program)
        check(program.quit() == 0, "SIGTERM ends the program with 0")
        program = Program(argus, "--folder", str(folder / "long"), "--port", "0", "--event-interval", "0", "--events", str(count))
        tab = ArgusTab(browser.new_context(**DESKTOP))
        tab.page.goto(program.page)
        pair(tab.page)
        long_list(tab, count, folder)
        check(not tab.troubles, f"nothing went wrong in the browser: {tab.troubles}")
        program.quit()
        browser.close()
    print("all of Argus's page works", flush=True)


main()
