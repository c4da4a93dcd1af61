"""The first minute with Lens in a real Chromium: what is shown before anything is known, every size of window, and what goes wrong."""

import re

from playwright.sync_api import expect

from browser import Program, Tab, accessible, check, uncovered, until, visit

SIZES = {
    "desktop": (1280, 800),
    "large": (1920, 1080),
    "phone": (390, 844),
    "sideways": (844, 390),
    "200 %": (640, 400),
    "narrow": (320, 640),
}


def in_view(page, selector):
    """Whether an element is within the window as a whole, and not below what is fixed at its lower edge."""
    return page.evaluate(
        """(selector) => {
          scrollTo(0, 0);
          const { top, bottom, left, right } = document.querySelector(selector).getBoundingClientRect();
          const bar = document.querySelector("nav");
          const end = getComputedStyle(bar).position === "fixed" ? bar.getBoundingClientRect().top : innerHeight;
          return top >= 0 && left >= 0 && right <= innerWidth && bottom <= end;
        }""",
        selector,
    )


def sizes(browser, program, folder):
    """Photograph and stream without scrolling, at every size."""
    for name, (width, height) in SIZES.items():
        context = browser.new_context(viewport={"width": width, "height": height})
        tab = Tab(context)
        page = tab.page
        visit(page, program)
        until(page, "document.querySelector('#preview').naturalWidth > 0")
        for control in ("#shutter", "#record", "#stream", "#viewfinder"):
            check(in_view(page, control), f"{name}, {width}×{height}: {control} is seen without scrolling")
        check(
            not page.evaluate("document.documentElement.scrollWidth > innerWidth"),
            f"{name}: nothing is wider than the window",
        )
        for part in ("Camera", "Gallery", "Chat", "Settings"):
            tab.select(part)
            expect(page.get_by_role("tabpanel", name=part)).not_to_have_attribute("aria-busy", "true")
            uncovered(page, f"{part}, {name}")
        page.screenshot(path=folder / f"size-{width}x{height}.png")
        check(not tab.troubles, f"{name}: no error {tab.troubles}")
        context.close()
    context = browser.new_context(viewport={"width": 1920, "height": 1080})
    page = context.new_page()
    visit(page, program)
    shown = page.evaluate("document.querySelector('#viewfinder').getBoundingClientRect().width")
    check(shown > 1200, f"a large window has a large picture: {shown:.0f} of 1920 pixels")
    context.close()


def loading(browser, program):
    """Nothing false is said while nothing is known, and a script that does not come is named."""
    held = []
    context = browser.new_context()
    page = context.new_page()
    visit(page, program)
    expect(page.get_by_role("button", name="Start streaming")).to_be_visible()
    page.route("**/main.js", lambda route: held.append(route))
    page.reload(wait_until="commit")
    expect(page.get_by_role("heading", name="Lens")).to_be_visible()
    for words in ("The camera is off.", "Turn it on", "Start streaming"):
        check(not page.get_by_text(words).filter(visible=True).count(), f"before anything is known the page does not say “{words}”")
    held.pop().fallback()
    expect(page.get_by_role("button", name="Start streaming")).to_be_visible()
    page.unroute("**/main.js")
    page.route("**/gallery.js", lambda route: route.abort())
    page.reload(wait_until="commit")
    expect(page.get_by_role("alert")).to_contain_text("Lens did not load.")
    page.unroute("**/gallery.js")
    page.get_by_role("link", name="Reload").click()
    expect(page.get_by_role("button", name="Start streaming")).to_be_visible()
    check(True, "a script that does not come is named, and Reload loads the page")
    context.close()


def moments(browser, program):
    """What is said for a moment goes by itself, stays while it is looked at, and shows what it is about."""
    tab = Tab(browser.new_context(viewport={"width": 390, "height": 844}))
    page = tab.page
    page.clock.install()
    visit(page, program)
    page.clock.resume()
    toast = page.locator("#toast")

    def record():
        page.get_by_role("button", name="Record a video").click()
        expect(page.locator("#recording")).to_have_text("0:01")
        page.get_by_role("button", name="End the recording").click()
        expect(toast).to_contain_text("Recording complete")

    record()
    uncovered(page, "the camera with a toast")
    page.locator("#toast-close").hover()
    page.clock.fast_forward(30_000)
    expect(toast).to_be_visible()
    page.mouse.move(0, 0)
    page.clock.fast_forward(7_000)
    expect(toast).to_be_hidden()
    check(True, "a toast goes after a while, and not while the pointer is on it")
    record()
    toast.get_by_role("button", name="Show").click()
    expect(page.get_by_role("dialog")).to_contain_text("Video,")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(toast).to_be_hidden()
    check(not tab.troubles, f"a toast shows what it is about {tab.troubles}")
    page.context.close()


def unreachable(browser, lens, folder):
    """An assistant that cannot be reached: one cause, one banner, and nothing covered."""
    place = folder / "unreachable"
    program = Program(lens, "--folder", str(place), "--gemini-key-from", "GIVEN_KEY", "--gemini", "ws://127.0.0.1:9", GIVEN_KEY="given")
    for name in ("desktop", "phone", "sideways", "200 %"):
        width, height = SIZES[name]
        context = browser.new_context(viewport={"width": width, "height": height})
        tab = Tab(context)
        page = tab.page
        visit(page, program)
        tab.select("Chat")
        page.get_by_label("Message to the assistant").first.fill("Is anybody there?")
        page.get_by_role("button", name="Send").click()
        expect(page.get_by_role("alert")).to_be_visible(timeout=60_000)
        accessible(page, f"a message that was not answered, {name}")
        page.screenshot(path=folder / f"alert-{width}x{height}.png")
        tab.select("Gallery")
        expect(page.get_by_role("alert")).to_have_count(0)
        expect(page.get_by_role("tab", name="Chat")).to_have_accessible_description("Something went wrong here.")
        tab.select("Chat")
        page.get_by_role("alert").get_by_role("button", name="Close").click()
        expect(page.get_by_role("alert")).to_have_count(0)
        context.close()
    program.quit()


def motion_and_colours(browser, program, folder):
    """Reduced motion, colours of the user's own, and a page from right to left."""
    context = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    page = context.new_page()
    visit(page, program)
    page.get_by_role("button", name="Start streaming").click()
    expect(page.locator("#phase")).to_have_text("Live")
    moving = page.evaluate(
        """() => [...document.querySelectorAll("*")].flatMap((element) => ["", "::before", "::after"].map((part) => [element, part]))
          .filter(([element, part]) => getComputedStyle(element, part || null).animationName !== "none")
          .map(([element, part]) => element.id + part)"""
    )
    check(not moving, f"with reduced motion nothing moves {moving}")
    stop = page.get_by_role("button", name="Stop streaming")
    looks = "getComputedStyle(document.querySelector('#stream')).backgroundColor"
    page.mouse.move(0, 0)
    still = page.evaluate(looks)
    stop.hover()
    check(page.evaluate(looks) == still, "“Stop streaming” looks the same under the pointer")
    stop.click()
    expect(page.get_by_role("button", name="Start streaming")).to_be_visible()
    context.close()
    for scheme in ("light", "dark"):
        context = browser.new_context(viewport={"width": 1280, "height": 800}, forced_colors="active", color_scheme=scheme)
        page = context.new_page()
        visit(page, program)
        width = page.evaluate("getComputedStyle(document.querySelector('[aria-selected=true]')).borderTopWidth")
        check(width == "2px", f"forced colours, {scheme}: the selected tab has an edge")
        fill, ground = page.evaluate(
            "[getComputedStyle(document.querySelector('#shutter span')).backgroundColor, getComputedStyle(document.body).backgroundColor]"
        )
        check(fill != ground, f"forced colours, {scheme}: the shutter is filled")
        page.screenshot(path=folder / f"forced-{scheme}.png")
        context.close()
        context = browser.new_context(viewport={"width": 1280, "height": 800}, color_scheme=scheme)
        page = context.new_page()
        visit(page, program)
        page.get_by_role("tab", name="Settings").click()
        ratio = page.evaluate(CONTRAST)
        check(ratio >= 3, f"{scheme}: edges of fields have {ratio:.2f}:1 (WCAG 2.2, 1.4.11: 3:1)")
        context.close()
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    page = context.new_page()
    visit(page, program)
    page.evaluate("document.documentElement.dir = 'rtl'")
    for part in ("Camera", "Gallery", "Chat", "Settings"):
        page.get_by_role("tab", name=part).click()
        uncovered(page, f"{part} from right to left")
        check(not page.evaluate("document.documentElement.scrollWidth > innerWidth"), f"{part} from right to left fits")
    page.get_by_role("tab", name="Chat").click()
    field = page.locator("#chat-input")
    field.fill("ما هذا؟")
    page.evaluate("document.documentElement.dir = 'ltr'")
    direction = field.evaluate("(field) => getComputedStyle(field).direction")
    check(direction == "rtl", "what is typed in Arabic goes from right to left")
    page.keyboard.press("Enter")
    said = page.locator(".message.user").last.locator("p")
    expect(said).to_have_text("ما هذا؟")
    check(said.evaluate("(text) => getComputedStyle(text).direction") == "rtl", "and so does the message")
    page.screenshot(path=folder / "arabic.png")
    context.close()


# The contrast of a field's edge with what is beside it.
CONTRAST = """
() => {
  const rgb = (text) => text.match(/[\\d.]+/g).slice(0, 3).map((part) => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  const light = (text) => rgb(text).reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0);
  const style = getComputedStyle(document.querySelector("#key"));
  const [low, high] = [light(style.borderTopColor), light(style.backgroundColor)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}
"""


def first_minute(browser, lens, folder):
    """Everything that a newcomer meets."""
    place = folder / "minute"
    program = Program(lens, "--folder", str(place))
    sizes(browser, program, folder)
    loading(browser, program)
    moments(browser, program)
    motion_and_colours(browser, program, folder)
    check(program.quit() == 0, "it ends in good order")
    unreachable(browser, lens, folder)
