"""Uses Flow in a real Chromium: the whole way from the welcome to its end, by keyboard too; wrong codes and fields, tokens that expire in the middle
of a step, a service that cannot be reached, a program that is killed and started again, reloads in each step, two tabs, accessibility in both
schemes, on a phone and at 200 %.

Usage: flow_test.py FLOW FOLDER. Screenshots go to FOLDER. Exits with 1 at the first check that does not hold.
"""

import pathlib
import re
import shutil
import sys

from playwright.sync_api import expect, sync_playwright

from flow_link import Link
from browser import Program, Tab, accessible, check, until

flow, folder = str(pathlib.Path(sys.argv[1]).absolute()), pathlib.Path(sys.argv[2])
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)

EMAIL, PASSWORD = "ada@example.org", "a long and secret phrase"
TYPED = {"Full name": "Ada Lovelace", "Date of birth": "1815-12-10", "Street and number": "12 St James’s Square", "City": "London"}


def heading(page, name):
    expect(page.get_by_role("heading", level=2, name=name)).to_be_visible()


def focused(page):
    return page.evaluate("document.activeElement.id || document.activeElement.tagName")


def sign_in(page, password=PASSWORD):
    heading(page, "Sign in")
    page.get_by_label("E-mail").fill(EMAIL)
    page.get_by_label("Password", exact=True).fill(password)
    page.get_by_label("I accept the terms").check()
    page.get_by_label("I agree that my data").check()
    page.get_by_role("button", name="Continue").click()


def verify(page, code):
    heading(page, "Enter your code")
    page.get_by_label("Code", exact=True).fill(code)
    page.get_by_role("button", name="Verify").click()


def fill(page, *labels):
    for label in labels:
        page.get_by_label(label, exact=True).fill(TYPED[label])


def proceed(page):
    page.get_by_role("button", name="Continue").click()


def to_steps(page, program):
    page.goto(program.page)
    sign_in(page)
    verify(page, program.facts["verificationCode"])
    heading(page, "About you")


def whole_way(browser, program):
    """From the welcome to the end, with what people do wrong on the way."""
    tab = Tab(browser.new_context(viewport={"width": 1280, "height": 800}))
    page = tab.page
    page.goto(program.page)
    # The welcome that began with the program is over where the browser takes longer: the next one is waited for.
    heading(page, re.compile("Welcome|Sign in"))
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Leave").click()
    page.get_by_role("button", name="Start again").click()
    heading(page, "Welcome to Flow")
    expect(page.locator("#welcome-status")).to_have_text("Starting your session…")
    page.screenshot(path=folder / "01-welcome.png")
    accessible(page, "the welcome")
    heading(page, "Sign in")
    check("token" not in page.url, "the token is not in the address any more")
    check(focused(page) == "authentication-title", "the heading of a new part has the focus")
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("#field-authentication-form-email")).to_have_attribute("aria-invalid", "true")
    expect(page.locator("k-field .wrong:visible")).to_have_count(4)
    check(focused(page) == "field-authentication-form-email", "the first wrong field has the focus")
    described = page.locator("#field-authentication-form-email").get_attribute("aria-describedby")
    expect(page.locator(f"#{described.split()[0]}")).to_contain_text("Enter an e-mail address")
    page.screenshot(path=folder / "02-wrong-fields.png")
    accessible(page, "fields that are wrong")
    page.get_by_label("E-mail").fill(EMAIL)
    page.get_by_label("E-mail").blur()
    expect(page.locator("k-field .wrong:visible")).to_have_count(3)
    check(True, "what is right is not wrong any more, and the others are")
    sign_in(page)
    heading(page, "Enter your code")
    expect(page.locator("#verification")).to_contain_text(EMAIL)
    code = page.get_by_label("Code", exact=True)
    check(
        code.get_attribute("autocomplete") == "one-time-code" and code.get_attribute("inputmode") == "numeric",
        "the field of the code is one for codes",
    )
    wrong(tab, program)
    accessible(page, "the code")
    verify(page, program.facts["verificationCode"])
    heading(page, "About you")
    expect(page.locator("#steps-count")).to_have_text("Step 1 of 3")
    steps(tab)
    end(tab)
    words = "".join(tab.frames)
    for secret in [PASSWORD, program.facts["verificationCode"], program.token]:
        check(secret not in words, "a secret is in no frame of the socket")
    check(not tab.troubles, f"nothing went wrong in the browser: {tab.troubles}")
    page.context.close()


def wrong(tab, program):
    """A wrong code stays where it is, and says so."""
    page = tab.page
    given = "000000" if program.facts["verificationCode"] != "000000" else "111111"
    verify(page, given)
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("The code was not accepted")
    heading(page, "Enter your code")
    page.screenshot(path=folder / "03-wrong-code.png")
    accessible(page, "an alert")
    alert.get_by_role("button", name="Close").click()
    expect(alert).to_have_count(0)
    check(focused(page) == "field-verification-form-code", "an alert that is closed gives the focus to the field")


def steps(tab):
    """Each step takes its own data, and a reload in it loses nothing."""
    page = tab.page
    proceed(page)
    expect(page.locator("k-field .wrong:visible")).to_have_count(2)
    fill(page, "Full name", "Date of birth")
    reload_keeps(page, "Full name")
    page.screenshot(path=folder / "04-step-1.png")
    accessible(page, "step 1")
    proceed(page)
    heading(page, "Your address")
    expect(page.locator("[aria-current=step]")).to_have_text("Address")
    check(focused(page) == "steps-title", "the heading of a new step has the focus")
    fill(page, "Street and number", "City")
    reload_keeps(page, "City")
    page.screenshot(path=folder / "05-step-2.png")
    accessible(page, "step 2")
    # Enter sends a form.
    page.get_by_label("City").press("Enter")
    heading(page, "Confirm")
    expect(page.locator("#step3-facts")).to_contain_text("December 10, 1815")
    page.get_by_role("button", name="Confirm").click()
    expect(page.locator("k-field .wrong:visible")).to_have_text("Confirm what you have entered.")
    page.get_by_label("All of this is right").check()
    expect(page.locator("k-field .wrong:visible")).to_have_count(0)
    page.reload()
    heading(page, "Confirm")
    expect(page.get_by_label("All of this is right")).to_be_checked()
    page.screenshot(path=folder / "06-step-3.png")
    accessible(page, "step 3")
    page.get_by_role("button", name="Confirm").click()


def reload_keeps(page, label):
    page.get_by_label(label, exact=True).blur()
    page.wait_for_timeout(100)
    page.reload()
    expect(page.get_by_label(label, exact=True)).to_have_value(TYPED[label])
    check(True, f"a reload keeps what was typed: {label}")


def end(tab):
    """The end has all that was entered; a flow that is finished can be begun again."""
    page = tab.page
    heading(page, "All steps are done")
    facts = page.locator("#completion-facts")
    for text in [EMAIL, "Ada Lovelace", "12 St James’s Square", "London"]:
        expect(facts).to_contain_text(text)
    expect(page.get_by_role("button", name="Cancel")).to_have_count(0)
    page.reload()
    heading(page, "All steps are done")
    page.screenshot(path=folder / "07-completion.png")
    accessible(page, "the end of the steps")
    page.get_by_role("button", name="Finish").click()
    heading(page, "Thank you. You are all set.")
    expect(page.locator("#ended")).to_contain_text(EMAIL)
    expect(page.locator("#ended-done")).to_be_visible()
    check(focused(page) == "ended-title", "the end has the focus")
    page.screenshot(path=folder / "08-finished.png")
    accessible(page, "a finished flow")
    page.get_by_role("button", name="Start again").click()
    heading(page, "Welcome to Flow")
    heading(page, "Sign in")
    expect(page.get_by_label("E-mail")).to_have_value("")
    expect(page.get_by_label("I accept the terms")).not_to_be_checked()
    check(True, "a new flow begins with empty fields")


def keyboard(browser, program):
    """The whole way without a mouse; cancel asks first."""
    tab = Tab(browser.new_context(viewport={"width": 1280, "height": 800}))
    page = tab.page
    page.goto(program.page)
    heading(page, "Sign in")
    page.get_by_role("button", name="Cancel").focus()
    page.keyboard.press("Enter")
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Leave the sign-up?")
    page.screenshot(path=folder / "09-cancel.png")
    accessible(page, "the question")
    page.keyboard.press("Escape")
    expect(dialog).to_have_count(0)
    check(focused(page) == "cancel", "a question that is closed gives the focus back")
    keys = page.keyboard
    page.locator("#authentication-title").focus()
    for press in ["Tab", EMAIL, "Tab", PASSWORD, "Tab", "Tab", " ", "Tab", " ", "Enter"]:
        keys.press(press) if press in ("Tab", " ", "Enter") else keys.type(press)
    heading(page, "Enter your code")
    for press in ["Tab", program.facts["verificationCode"], "Enter"]:
        keys.press(press) if press in ("Tab", "Enter") else keys.type(press)
    heading(page, "About you")
    check(True, "the way to the steps needs no mouse")
    # Another tab shows the same flow.
    other = Tab(page.context)
    other.page.goto(program.page.split("?")[0])
    heading(other.page, "About you")
    page.get_by_role("button", name="Cancel").click()
    page.get_by_role("button", name="Leave").click()
    for one in (page, other.page):
        heading(one, "You have left the sign-up")
    expect(page.locator("#ended-done")).to_be_hidden()
    page.screenshot(path=folder / "10-cancelled.png")
    accessible(page, "a cancelled flow")
    check(not tab.troubles and not other.troubles, f"nothing went wrong in the browser: {tab.troubles} {other.troubles}")
    page.get_by_role("button", name="Start again").click()
    heading(other.page, "Sign in")
    page.context.close()


def hardships(browser, service, program, link, data):
    """Tokens that expire, a service that is out of reach, a program that is killed; what was typed is there again."""
    tab = Tab(browser.new_context(viewport={"width": 1280, "height": 800}))
    page = tab.page
    page.goto(program.page)
    alert = page.get_by_role("alert")
    expect(alert).to_contain_text("The session did not begin")
    page.screenshot(path=folder / "11-no-service.png")
    accessible(page, "a welcome without its service")
    alert.get_by_role("button", name="Close").click()
    check(focused(page) == "welcome-retry", "an alert that is closed leaves the way to try again")
    alert_is_gone(page)
    link.is_cut = False
    page.get_by_role("button", name="Try again").click()
    sign_in(page)
    verify(page, service.facts["verificationCode"])
    heading(page, "About you")
    fill(page, "Full name", "Date of birth")
    # Its tokens are valid for two seconds.
    before = link.requests["/Auth/GetToken"]
    page.wait_for_timeout(2_500)
    proceed(page)
    heading(page, "Your address")
    check(link.requests["/Auth/GetToken"] == before + 1, "a token that has expired in the middle of a step is renewed once, and nobody sees it")
    fill(page, "Street and number", "City")
    link.is_cut = True
    proceed(page)
    expect(alert).to_contain_text("This step was not sent")
    heading(page, "Your address")
    page.screenshot(path=folder / "12-not-sent.png")
    accessible(page, "a step that was not sent")
    # The next one needs a new token, which is valid as long as it takes.
    page.wait_for_timeout(2_100)
    link.is_cut = False
    link.answers.clear()
    sent = link.requests["/api/endpoint"]
    alert.get_by_role("button", name="Try again").click()
    button = page.locator("#step2-form button[type=submit]")
    expect(button).to_have_text("Sending…")
    expect(button).to_have_attribute("aria-disabled", "true")
    alert_is_gone(page)
    check(focused(page) == "BUTTON", "the button of the form has the focus while it is sent")
    page.screenshot(path=folder / "13-sending.png")
    button.click(force=True)
    page.keyboard.press("Enter")
    link.answers.set()
    heading(page, "Confirm")
    check(link.requests["/api/endpoint"] == sent + 1, "a form that is being sent is not sent twice")
    killed(tab, program, link, data)
    page.context.close()


def alert_is_gone(page):
    expect(page.get_by_role("alert")).to_have_count(0)


def killed(tab, program, link, data):
    """The program is killed in the middle of a step and comes back at the same address: the page begins again by itself."""
    page = tab.page
    tab.expects_outage = True
    program.kill()
    expect(page.locator("#connection")).to_have_text("Reconnecting…")
    heading(page, "Confirm")
    expect(page.get_by_role("alert")).to_contain_text("Flow cannot be reached")
    page.screenshot(path=folder / "14-killed.png")
    accessible(page, "a page without its program")
    again = Program(flow, *data)
    check(again.page == program.page, "a program that is started again has the same address, and keeps the client's secret")
    heading(page, "Sign in")
    expect(page.locator("#connection")).to_have_text("")
    alert_is_gone(page)
    expect(page.get_by_label("E-mail")).to_have_value("")
    check(True, "a page whose program was started again begins again")
    check(again.quit() == 0, "SIGTERM ends the program with 0")


def looks(browser, program):
    """Dark, on a phone, from right to left, at 200 %, with colours of the user's own."""
    for name, options in {
        "dark": {"viewport": {"width": 1280, "height": 800}, "color_scheme": "dark"},
        "phone": {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2},
        "phone-dark": {"viewport": {"width": 360, "height": 740}, "color_scheme": "dark"},
        # 1280 × 800 at 200 %.
        "zoomed": {"viewport": {"width": 640, "height": 400}, "device_scale_factor": 2},
        "forced": {"viewport": {"width": 1280, "height": 800}, "forced_colors": "active"},
        "still": {"viewport": {"width": 320, "height": 640}, "reduced_motion": "reduce"},
    }.items():
        tab = Tab(browser.new_context(**options))
        page = tab.page
        page.goto(program.page)
        heading(page, re.compile("Welcome|Sign in|You have left"))
        if page.get_by_role("button", name="Start again").is_visible():
            page.get_by_role("button", name="Start again").click()
        heading(page, "Welcome to Flow")
        page.screenshot(path=folder / f"{name}-1-welcome.png")
        accessible(page, f"{name}: the welcome")
        if name == "still":
            running = page.evaluate("document.getAnimations().length")
            check(running == 0, "nothing moves where less motion is wanted")
        heading(page, "Sign in")
        page.get_by_role("button", name="Continue").click()
        expect(page.locator("k-field .wrong:visible")).to_have_count(4)
        page.screenshot(path=folder / f"{name}-2-sign-in.png", full_page=True)
        accessible(page, f"{name}: the log-in")
        sign_in(page)
        verify(page, "x")
        expect(page.get_by_role("alert")).to_be_visible()
        page.screenshot(path=folder / f"{name}-3-code.png", full_page=True)
        accessible(page, f"{name}: the code")
        verify(page, program.facts["verificationCode"])
        heading(page, "About you")
        fill(page, "Full name", "Date of birth")
        page.screenshot(path=folder / f"{name}-4-step.png", full_page=True)
        accessible(page, f"{name}: a step")
        proceed(page)
        fill(page, "Street and number", "City")
        proceed(page)
        page.get_by_label("All of this is right").check()
        page.screenshot(path=folder / f"{name}-5-confirm.png", full_page=True)
        accessible(page, f"{name}: the last step")
        page.get_by_role("button", name="Cancel").click()
        page.get_by_role("button", name="Leave").click()
        heading(page, "You have left the sign-up")
        check(not tab.troubles, f"{name}: nothing went wrong in the browser {tab.troubles}")
        page.context.close()


def main():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        program = Program(flow, "--folder", str(folder / "data"), "--port", "0")
        whole_way(browser, program)
        keyboard(browser, program)
        check(program.quit() == 0, "SIGTERM ends the program with 0")
        program = Program(flow, "--folder", str(folder / "data"))
        looks(browser, program)
        program.quit()
        # One program simulates the service for another one, which reaches it by a link.
        secret = {"FLOW_CLIENT_SECRET": "a-secret-of-this-check"}
        service = Program(flow, "--folder", str(folder / "service"), "--token-lifetime", "2", **secret)
        link = Link(service.facts["service"])
        link.is_cut = True
        data = ["--folder", str(folder / "other"), "--address", link.address]
        program = Program(flow, *data, **secret)
        hardships(browser, service, program, link, data)
        service.quit()
        browser.close()
    print("all of Flow's page works", flush=True)


main()
