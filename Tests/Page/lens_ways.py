"""The ways through Lens in a real Chromium: addresses, by touch, by keys alone, hands-free, and without the server."""

import json
import re

from playwright.sync_api import expect

from browser import Program, Tab, accessible, check, uncovered, until, visit
from lens_talk import HEARING, VOICE, recognition


def photograph(page, count):
    """Takes photos, each once the one before is there."""
    last = "document.querySelector('#last-photo').style.getPropertyValue('--picture')"
    for _ in range(count):
        before = page.evaluate(last)
        expect(page.get_by_role("button", name="Take a photo")).to_be_enabled()
        page.get_by_role("button", name="Take a photo").click()
        until(page, f"{last} !== {json.dumps(before)}")


def places(browser, program):
    """Addresses: Back and Forward, a reload, and a link lead where they should."""
    tab = Tab(browser.new_context(viewport={"width": 1280, "height": 800}))
    page = tab.page
    visit(page, program)
    photograph(page, 3)
    tab.select("Gallery")
    tiles = page.get_by_role("button", name=re.compile("^Photo,"))
    expect(tiles.nth(2)).to_be_visible()
    tiles.first.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    expect(page).to_have_url(re.compile(r"#/gallery/[0-9a-f-]{36}$"))
    first = page.url
    page.get_by_role("button", name="Next").click()
    expect(page).not_to_have_url(first)
    page.keyboard.press("ArrowLeft")
    expect(page).to_have_url(first)
    page.reload()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("tabpanel", name="Gallery")).to_be_visible()
    page.go_back()
    expect(page.get_by_role("tabpanel", name="Camera")).to_be_visible()
    page.go_forward()
    expect(page.get_by_role("tabpanel", name="Gallery")).to_be_visible()
    tiles.first.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    page.get_by_role("dialog").get_by_role("button", name="Close").click()
    expect(page).to_have_url(re.compile("#/gallery$"))
    page.go_back()
    expect(page.get_by_role("tabpanel", name="Camera")).to_be_visible()
    check(True, "Back closes a photo, then leaves the tab; a photo that was closed is not opened again")
    other = Tab(page.context)
    visit(other.page, program)
    other.page.goto(first)
    other.page.reload()
    expect(other.page.get_by_role("dialog")).to_be_visible()
    other.page.goto(first.split("#")[0] + "#/chat")
    expect(other.page.get_by_role("tabpanel", name="Chat")).to_be_visible()
    other.page.goto(first.split("/gallery/")[0] + "/gallery/00000000-0000-0000-0000-000000000000")
    expect(other.page.get_by_role("alert")).to_contain_text("is not there any more")
    other.page.get_by_role("alert").get_by_role("button", name="Close").click()
    check(not tab.troubles and not other.troubles, f"a link leads to its place, and says when there is none {tab.troubles + other.troubles}")
    page.context.close()


def by_touch(browser, program, folder):
    """Photographs, films, asks, looks through photos and deletes one with a finger alone, on a phone."""
    context = browser.new_context(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    tab = Tab(context)
    page = tab.page
    visit(page, program)
    tap = lambda name: page.get_by_role("button", name=name).tap()
    uncovered(page, "the camera of a phone")
    before = page.locator("#grid li").count()
    tap("Take a photo")
    expect(page.get_by_role("button", name="Show the last photo")).to_be_visible()
    tap("Record a video")
    expect(page.locator("#recording")).to_have_text("0:01")
    tap("End the recording")
    expect(page.locator("#toast")).to_contain_text("Recording complete")
    tap("Start streaming")
    expect(page.locator("#phase")).to_have_text("Live")
    tap("Stop streaming")
    expect(page.get_by_role("button", name="Start streaming")).to_be_visible()
    page.get_by_label("Ask about what the camera sees").fill("What is that?")
    tap("Attach this picture")
    expect(page.get_by_role("group", name="Attached to the question")).to_be_visible()
    uncovered(page, "a question with the camera's picture")
    tap("Send")
    expect(page.locator("#turns .user").filter(has_text="What is that?")).to_be_visible()
    expect(page.locator("#turns .assistant").filter(has_text="What is that?").first).to_be_visible()
    page.screenshot(path=folder / "asked-phone.png")
    check(True, "by touch: a question with what the camera sees is answered beside its picture")
    page.get_by_role("tab", name="Gallery").tap()
    tiles = page.locator("#grid .tile")
    expect(tiles.nth(1)).to_be_visible()
    uncovered(page, "the gallery of a phone")
    count = tiles.count()
    page.get_by_role("button", name=re.compile("^Photo,")).first.tap()
    expect(page.get_by_role("dialog")).to_be_visible()
    accessible(page, "a photo on a phone")
    page.screenshot(path=folder / "photo-phone.png")
    first = page.url
    # A finger that goes to the right, as the browser reports it.
    page.evaluate(
        """() => {
          const image = document.querySelector("#lightbox .screen img");
          image.setPointerCapture = () => {};
          const at = (type, clientX) => image.dispatchEvent(new PointerEvent(type, { bubbles: true, pointerId: 7, pointerType: "touch", clientX, clientY: 300 }));
          at("pointerdown", 60); at("pointermove", 200); at("pointerup", 300);
        }"""
    )
    expect(page).not_to_have_url(first)
    check(True, "by touch: a swipe shows the item before")
    page.get_by_role("button", name="Delete…").tap()
    page.locator("#question-yes").tap()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(tiles).to_have_count(count - 1)
    expect(page.locator("#gallery-left")).to_be_hidden()
    page.get_by_role("button", name="Select").tap()
    tiles.first.tap()
    expect(page.locator("#gallery-actions")).to_contain_text("1 selected")
    page.get_by_role("button", name="Deselect").tap()
    expect(page.get_by_role("button", name="Select", exact=True)).to_be_visible()
    check(not tab.troubles, f"by touch: no error {tab.troubles}")
    context.close()


def by_keys(browser, program):
    """The gallery with one stop for Tab: arrows, Space, a range with Shift; a photo with arrows; and a question."""
    tab = Tab(browser.new_context(viewport={"width": 1280, "height": 800}))
    page = tab.page
    visit(page, program)
    photograph(page, 4)
    page.get_by_role("tab", name="Camera").focus()
    page.keyboard.press("ArrowRight")
    expect(page.locator("#grid .tile").nth(3)).to_be_visible()
    stops = page.locator("#grid [tabindex='0']")
    expect(stops).to_have_count(1)
    stops.focus()
    place = "[...document.querySelectorAll('#grid .tile')].indexOf(document.activeElement)"
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    check(page.evaluate(place) == 2, f"arrows go from tile to tile: {page.evaluate(place)}, {page.evaluate('document.activeElement.outerHTML.slice(0, 160)')}")
    expect(stops).to_have_count(1)
    page.keyboard.press("Home")
    page.keyboard.press(" ")
    expect(page.locator("#gallery-actions")).to_contain_text("1 selected")
    check(page.evaluate(place) == 0, "Space selects, and keeps the place")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("Shift+ ")
    expect(page.locator("#gallery-actions")).to_contain_text("3 selected")
    check(page.get_by_role("dialog").count() == 0, "Shift and Space select a range, and open nothing")
    accessible(page, "a selection")
    page.get_by_role("button", name="Deselect").press("Enter")
    expect(page.get_by_role("button", name="Select", exact=True)).to_be_focused()
    stops.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.get_by_role("button", name=re.compile("^(Ask about it|Take it to the chat)$")).press("Enter")
    expect(page.get_by_role("tabpanel", name="Chat")).to_be_visible()
    expect(page.get_by_role("group", name="Attached picture")).to_be_visible()
    expect(page.locator("#chat-input")).to_be_focused()
    page.keyboard.type("**Bold** and https://example.org/a_(b) and <b>not</b>")
    page.keyboard.press("Enter")
    answer = page.locator(".message.assistant").last
    expect(answer.locator("strong")).to_have_text("Bold")
    expect(answer.locator("a").filter(has_text="example.org/a_")).to_have_attribute("rel", "noopener noreferrer")
    expect(answer).to_contain_text("<b>not</b>")
    check(answer.locator("b").count() == 0, "an answer's marks are elements, and what looks like HTML is text")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    answer.get_by_role("button", name="Copy").press("Enter")
    expect(answer.get_by_role("button", name="Copied")).to_be_visible()
    check("**Bold**" in page.evaluate("navigator.clipboard.readText()"), "Copy takes the text as it was given")
    check(not tab.troubles, f"by keys: no error {tab.troubles}")
    page.context.close()


def unsent(browser, lens, folder):
    """While the server is away, nothing pretends to be sent, and what is typed stays."""
    program = Program(lens, "--folder", str(folder / "unsent"))
    tab = Tab(browser.new_context(viewport={"width": 1280, "height": 800}, locale="de-DE"))
    page = tab.page
    visit(page, program)
    photograph(page, 1)
    tab.select("Gallery")
    expect(page.get_by_role("button", name=re.compile(r"^Photo, \d\d?\. [A-Z]|^Photo, \d\d\.\d\d\."))).to_be_visible()
    check(True, "dates are written as the browser's user writes them")
    spoken = page.evaluate(
        "import('/kit/speech.js').then(({ languageOf }) => ['ما هذا؟', 'Это кот.', 'Guten Tag.'].map(languageOf))"
    )
    check(spoken == ["ar", "ru", "de-DE"], f"an answer is spoken in its language: {spoken}")
    tab.select("Settings")
    expect(page.get_by_label("Speak what the assistant says")).to_be_visible()
    tab.select("Chat")
    expect(page.get_by_label("Message to the assistant")).to_be_visible()
    tab.expects_outage = True
    program.kill()
    expect(page.locator("#connection")).to_have_text("Reconnecting…")
    page.get_by_label("Message to the assistant").fill("Are you there?")
    page.keyboard.press("Enter")
    expect(page.locator("#chat-hint")).to_contain_text("Reconnecting")
    expect(page.locator("#chat-send")).to_have_attribute("aria-disabled", "true")
    expect(page.get_by_label("Message to the assistant")).to_have_value("Are you there?")
    opacity = page.evaluate("getComputedStyle(document.querySelector('main')).opacity")
    check(opacity == "1", "a page without its server stays readable")
    tab.select("Settings")
    page.get_by_label("Speak what the assistant says").click()
    expect(page.get_by_role("alert").filter(has_text="Nothing was done")).to_be_visible(timeout=20_000)
    check(True, "what was not done is said where it can be seen")
    page.context.close()


def drops(browser, program, folder):
    """A file that is dropped into the chat is attached."""
    tab = Tab(browser.new_context())
    page = tab.page
    visit(page, program)
    tab.select("Chat")
    page.evaluate(
        """async () => {
          const canvas = new OffscreenCanvas(40, 30);
          canvas.getContext("2d").fillRect(0, 0, 40, 30);
          const file = new File([await canvas.convertToBlob()], "dropped.png", { type: "image/png" });
          const transfer = new DataTransfer();
          transfer.items.add(file);
          const panel = document.querySelector("#panel-2");
          for (const name of ["dragover", "drop"]) panel.dispatchEvent(new DragEvent(name, { dataTransfer: transfer, bubbles: true, cancelable: true }));
        }"""
    )
    expect(page.get_by_role("group", name="Attached picture")).to_be_visible()
    page.get_by_role("button", name="Remove the picture").click()
    check(not tab.troubles, f"a file that is dropped into the chat is attached {tab.troubles}")
    page.context.close()


def hands_free(browser, program):
    """Talks where the picture is seen: listens again after each answer, and is silent while it listens, until it is ended."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.add_init_script(HEARING)
    context.add_init_script(VOICE)
    context.add_init_script("localStorage.setItem('mayListen', 'yes')")
    tab = Tab(context)
    page = tab.page
    visit(page, program)
    page.get_by_role("button", name="Hands-free").press("Enter")
    for turn, words in enumerate(("what is on the table", "and behind it"), 1):
        until(page, f"window.recognitions.length >= {turn}")
        expect(page.locator("#ask-doing")).to_have_text("Listening…")
        recognition(page, f"say('{words}')")
        expect(page.locator("#ask-transcript")).to_have_text(words)
        expect(page.locator("#turns .assistant").filter(has_text=words)).to_be_visible()
    check(True, "hands-free, the assistant is talked to again and again without a click, beside its picture")
    until(page, "window.recognitions.length >= 3")
    accessible(page, "the camera while it listens")
    page.get_by_role("button", name="Hands-free").press("Enter")
    expect(page.get_by_role("button", name="Hands-free")).to_have_attribute("aria-pressed", "false")
    expect(page.locator("#ask-voice-state")).to_be_hidden()
    count = page.evaluate("window.recognitions.length")
    page.wait_for_timeout(1_000)
    check(page.evaluate("window.recognitions.length") == count, "a second press ends it")
    # Who speaks while an answer is spoken silences it.
    page.evaluate("window.isSlow = true")
    page.get_by_label("Ask about what the camera sees").fill("Say something.")
    page.keyboard.press("Enter")
    expect(page.locator("#ask-doing")).to_have_text("Speaking…")
    page.evaluate("window.isSlow = false")
    page.get_by_role("button", name="Speak", exact=True).press("Enter")
    expect(page.locator("#ask-doing")).to_have_text("Listening…")
    recognition(page, "say('stop')")
    expect(page.locator("#turns .user").filter(has_text="stop")).to_be_visible()
    check(not tab.troubles, f"who speaks while an answer is spoken is listened to {tab.troubles}")
    context.close()


def ways(browser, lens, folder):
    """Everything that can be done, by all that it can be done with."""
    program = Program(lens, "--folder", str(folder / "ways"))
    places(browser, program)
    by_touch(browser, program, folder)
    by_keys(browser, program)
    drops(browser, program, folder)
    hands_free(browser, program)
    check(program.quit() == 0, "it ends in good order")
    unsent(browser, lens, folder)
