"""Speaks to Lens in a real Chromium, sends it pictures, and stops its answers. The browser's recognizer is a scripted one: this
Chromium has none that works without its maker's servers."""

import re

from playwright.sync_api import expect

from browser import Program, Tab, accessible, check, until

# A recognizer that says what the test has it say.
HEARING = """
window.recognitions = [];
window.SpeechRecognition = window.webkitSpeechRecognition = class {
  constructor() { this.log = []; window.recognitions.push(this); }
  start() { this.log.push("start"); setTimeout(() => this.onstart?.(), 10); }
  stop() { this.log.push("stop"); setTimeout(() => this.onend?.(), 10); }
  abort() { this.log.push("abort"); }
  say(...texts) { this.onresult?.({ results: texts.map((transcript) => [{ transcript }]) }); }
};
"""
# A voice that says at once that it has spoken, or never.
VOICE = """
Object.defineProperty(window, "speechSynthesis", { value: {
  getVoices: () => [{ name: "test", lang: "en" }],
  addEventListener() {}, cancel() {},
  speak(utterance) {
    window.utterance = utterance;
    if (!window.isSlow) setTimeout(() => utterance.onend?.(), 10);
  },
} });
"""


def recognition(page, call):
    page.evaluate(f"{{ window.recognitions.at(-1).{call}; }}")


def log(page):
    return page.evaluate("window.recognitions.map((each) => each.log)")


def focus(page):
    return page.evaluate("document.activeElement.id || document.activeElement.tagName")


def voice(page, folder):
    """Speaks by keyboard: asked once, shown while it lasts, ended by a pause or a second press."""
    button = page.get_by_role("button", name="Speak")
    expect(button).to_have_attribute("aria-pressed", "false")
    button.press("Enter")
    expect(page.get_by_role("dialog")).to_contain_text("may send your voice to its maker's servers")
    accessible(page, "the question before the browser listens")
    page.screenshot(path=folder / "voice-question.png")
    page.get_by_role("button", name="Cancel").press("Enter")
    expect(page.get_by_role("dialog")).to_have_count(0)
    check(log(page) == [] and focus(page) == "chat-voice", "who does not agree is not listened to, and keeps the place")
    button.press("Enter")
    page.get_by_role("button", name="Listen").press("Enter")
    expect(button).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#chat-doing")).to_have_text("Listening…")
    until(page, "window.recognitions.length === 1")
    recognition(page, "say('what is')")
    expect(page.locator("#chat-transcript")).to_have_text("what is")
    recognition(page, "say('what is ', 'that')")
    expect(page.locator("#chat-transcript")).to_have_text("what is that")
    accessible(page, "the chat while it listens")
    page.screenshot(path=folder / "voice-listening.png")
    # A pause: the app asks for the last words, and says them.
    expect(page.locator(".message.user").last).to_contain_text("what is that")
    expect(page.locator("#chat-voice-state")).to_be_hidden()
    expect(button).to_have_attribute("aria-pressed", "false")
    check(log(page) == [["start", "stop"]], f"a pause ends it: {log(page)}")
    expect(page.get_by_label("Message to the assistant")).to_have_value("")
    expect(page.locator(".message.assistant").last).to_contain_text("what is that")
    expect(page.get_by_role("button", name="Send")).to_be_visible()
    button.focus()
    page.keyboard.press("Space")
    expect(button).to_have_attribute("aria-pressed", "true")
    until(page, "window.recognitions.length === 2")
    recognition(page, "say('the second time')")
    expect(page.locator("#chat-transcript")).to_have_text("the second time")
    page.keyboard.press("Space")
    expect(page.locator(".message.user").last).to_contain_text("the second time")
    check(log(page)[1] == ["start", "abort"] and focus(page) == "chat-voice", f"a second press ends it: {log(page)}")
    expect(page.get_by_role("button", name="Send")).to_be_visible()
    # What is spoken goes behind what is typed.
    page.get_by_label("Message to the assistant").fill("Look:")
    button.press("Enter")
    until(page, "window.recognitions.length === 3")
    recognition(page, "say('a red door')")
    expect(page.locator("#chat-transcript")).to_have_text("a red door")
    button.press("Enter")
    expect(page.locator(".message.user").last).to_contain_text("Look: a red door")
    expect(page.get_by_label("Message to the assistant")).to_have_value("")
    expect(page.get_by_role("button", name="Send")).to_be_visible()
    # Without permission, and left alone.
    button.press("Enter")
    until(page, "window.recognitions.length === 4")
    recognition(page, "onerror({ error: 'not-allowed' })")
    expect(page.get_by_role("alert")).to_contain_text("You could not be heard")
    expect(page.get_by_role("alert")).to_contain_text("may not use the microphone")
    # Trying again asks for the consent, where there is none any more.
    page.evaluate("localStorage.removeItem('mayListen')")
    page.get_by_role("alert").get_by_role("button", name="Try again").click()
    expect(page.get_by_role("dialog")).to_contain_text("may send your voice to its maker's servers")
    page.get_by_role("button", name="Cancel").press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("may not use the microphone")
    check(len(log(page)) == 4, "without consent nobody is listened to")
    page.evaluate("localStorage.setItem('mayListen', 'yes')")
    page.screenshot(path=folder / "voice-refused.png")
    page.get_by_role("alert").get_by_role("button", name="Close").click()
    button.press("Enter")
    until(page, "window.recognitions.length === 5")
    expect(page.locator("#chat-voice-state")).to_be_visible()
    page.get_by_role("tab", name="Gallery").click()
    until(page, "window.recognitions[4].log.includes('abort')")
    page.get_by_role("tab", name="Chat").click()
    expect(page.locator("#chat-voice-state")).to_be_hidden()
    check(not page.get_by_role("alert").count(), "who leaves the chat is not listened to any more")


def speaking(page):
    """While an answer is spoken the chat shows it; who begins to speak silences it."""
    page.evaluate("window.isSlow = true")
    page.get_by_label("Message to the assistant").fill("Say something.")
    page.keyboard.press("Enter")
    expect(page.locator("#chat-doing")).to_have_text("Speaking…")
    page.evaluate("window.isSlow = false")
    page.get_by_role("button", name="Silence").click()
    expect(page.locator("#chat-voice-state")).to_be_hidden()
    expect(page.get_by_role("button", name="Send")).to_be_visible()
    check(True, "while an answer is spoken the chat shows it")


def pixel(page, selector):
    """The colour in the middle of a picture."""
    return page.evaluate(
        """async (selector) => {
          const image = document.querySelector(selector);
          await image.decode();
          const canvas = document.createElement("canvas");
          [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
          const context = canvas.getContext("2d");
          context.drawImage(image, 0, 0);
          const [r, g, b] = context.getImageData(canvas.width >> 1, canvas.height >> 1, 1, 1).data;
          return [r, g, b, canvas.width, canvas.height];
        }""",
        selector,
    )


def beginning(page, selector):
    """The first bytes of the newest picture."""
    return page.evaluate(
        """async (selector) => {
          const source = [...document.querySelectorAll(selector)].at(-1).src;
          return [...new Uint8Array(await (await fetch(source)).arrayBuffer()).slice(0, 3)];
        }""",
        selector,
    )


def whole(page, selector):
    """The newest picture's file, byte by byte."""
    return page.evaluate(
        """async (selector) => {
          const source = [...document.querySelectorAll(selector)].at(-1).src;
          return String.fromCharCode(...new Uint8Array(await (await fetch(source)).arrayBuffer()));
        }""",
        selector,
    )


def pictures(tab, folder):
    """Attaches a photo of the gallery, and a PNG file, which goes as JPEG; both are sent, one with words."""
    from PIL import Image

    page = tab.page
    page.get_by_role("button", name="Attach a picture").press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    check(focus(page) == "picker-file", f"the choice of a picture has the focus, not {focus(page)}")
    accessible(page, "the choice of a picture")
    page.screenshot(path=folder / "attach-choice.png")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    check(focus(page) == "attach", "Escape gives the focus back")
    page.get_by_role("button", name="Attach a picture").click()
    page.get_by_role("dialog").get_by_role("button", name=re.compile("^Photo,")).first.click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    expect(page.get_by_role("group", name="Attached picture")).to_be_visible()
    until(page, "document.querySelector('#attachment-picture').naturalWidth > 0")
    page.get_by_role("button", name="Remove the picture").press("Enter")
    expect(page.get_by_role("group", name="Attached picture")).to_be_hidden()
    check(focus(page) == "chat-input", f"the input has the focus once a picture is removed, not {focus(page)}")
    page.get_by_role("button", name="Attach a picture").click()
    page.get_by_role("dialog").get_by_role("button", name=re.compile("^Photo,")).first.click()
    expect(page.get_by_role("group", name="Attached picture")).to_be_visible()
    before = page.locator(".message.user").count()
    page.get_by_label("Message to the assistant").fill("What does the camera see?")
    page.keyboard.press("Enter")
    expect(page.locator(".message.user")).to_have_count(before + 1)
    expect(page.locator(".message.user").last).to_contain_text("What does the camera see?")
    until(page, "[...document.querySelectorAll('.message.user img')].at(-1)?.naturalWidth === 1280")
    expect(page.get_by_role("group", name="Attached picture")).to_be_hidden()
    expect(page.get_by_role("button", name="Send")).to_be_visible()
    check(True, "a photo of the gallery goes with its words")

    # Red, and half of it transparent.
    png = folder / "red.png"
    picture = Image.new("RGBA", (600, 400), (255, 0, 0, 255))
    picture.paste((0, 0, 0, 0), (0, 0, 100, 400))
    picture.save(png)
    page.set_input_files("#file", str(png))
    until(page, "document.querySelector('#attachment-picture').naturalWidth === 600")
    check(beginning(page, "#attachment-picture") == [0xFF, 0xD8, 0xFF], "a PNG file is attached as JPEG")
    red = pixel(page, "#attachment-picture")
    check(red[0] > 240 and red[1] < 15 and red[2] < 15 and red[3:] == [600, 400], f"and is what it was: {red}")
    until(page, "(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight < 2)(document.querySelector('#log'))")
    accessible(page, "the chat with a picture that is attached")
    page.screenshot(path=folder / "attached.png")
    page.reload()
    expect(page.get_by_role("group", name="Attached picture")).to_be_visible()
    until(page, "document.querySelector('#attachment-picture').naturalWidth === 600")
    check(True, "a picture that is attached stays through a reload")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".message.user")).to_have_count(before + 2)
    until(page, "[...document.querySelectorAll('.message.user img')].at(-1)?.naturalWidth === 600")
    sent = beginning(page, ".message.user img")
    check(sent == [0xFF, 0xD8, 0xFF], "LENS-141: what was a PNG file is kept and sent as the JPEG that its label says")
    expect(page.get_by_role("button", name="Send")).to_be_visible()

    # Stored lying, with what should not leave the machine.
    lying = folder / "lying.jpg"
    exif = Image.Exif()
    exif[0x0112] = 6
    exif[0x010F] = "SecretCamera"
    Image.effect_noise((320, 200), 80).convert("RGB").save(lying, exif=exif)
    check(b"SecretCamera" in lying.read_bytes(), "the file names its camera")
    page.set_input_files("#file", str(lying))
    until(page, "document.querySelector('#attachment-picture').naturalHeight === 320")
    check(
        "SecretCamera" not in whole(page, "#attachment-picture") and "Exif" not in whole(page, "#attachment-picture"),
        "a picture is rotated by its Exif orientation, and nothing else of Exif is sent",
    )
    page.get_by_role("button", name="Remove the picture").click()
    wide = folder / "wide.png"
    Image.effect_noise((4000, 1000), 80).save(wide)
    page.set_input_files("#file", str(wide))
    until(page, "document.querySelector('#attachment-picture').naturalWidth > 1000")
    page.get_by_role("button", name="Remove the picture").click()
    none = folder / "none.jpg"
    none.write_bytes(b"\xff\xd8no picture")
    tab.expects_outage = True
    page.set_input_files("#file", str(none))
    expect(page.get_by_role("alert")).to_contain_text("The picture was not attached")
    page.get_by_role("alert").get_by_role("button", name="Close").click()
    text = folder / "text.png"
    text.write_text("no picture")
    page.set_input_files("#file", str(text))
    expect(page.get_by_role("alert")).to_contain_text("The browser cannot read this file as a picture.")
    page.screenshot(path=folder / "attachment-refused.png")
    page.get_by_role("alert").get_by_role("button", name="Close").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    check(page.get_by_role("group", name="Attached picture").is_hidden(), "a file that is no picture is named, and not attached")
    broken_answer(page, wide)
    tab.expects_outage = False


def broken_answer(page, picture):
    """An upload whose answer breaks off in its middle fails alone: what is typed and what is chosen later goes out."""
    page.evaluate(
        "() => { window.text = Response.prototype.text; Response.prototype.text = async () => { throw new Error('broken off'); }; }"
    )
    page.route("**/attachments*", lambda route: route.fulfill(status=503, body="full"))
    page.set_input_files("#file", str(picture))
    expect(page.get_by_role("alert")).to_contain_text("The picture was not attached")
    page.get_by_role("alert").get_by_role("button", name="Close").click()
    page.unroute("**/attachments*")
    page.evaluate("() => { Response.prototype.text = window.text; }")
    before = page.locator(".message.user").count()
    page.get_by_label("Message to the assistant").fill("After an upload that failed")
    page.keyboard.press("Enter")
    expect(page.locator(".message.user")).to_have_count(before + 1)
    expect(page.get_by_role("button", name="Send")).to_be_visible()
    page.set_input_files("#file", str(picture))
    until(page, "document.querySelector('#attachment-picture').naturalWidth > 1000")
    page.get_by_role("button", name="Remove the picture").click()
    check(True, "an upload whose answer breaks off keeps nothing else from being sent")


def videos(tab, folder):
    """Attaches a video of the gallery, and a file, which are sent and played; files that are none are named, and clips go with their conversation."""
    page = tab.page
    tab.select("Camera")
    page.get_by_role("button", name="Record a video").click()
    page.wait_for_timeout(2500)
    page.get_by_role("button", name="End the recording").click()
    expect(page.get_by_role("button", name="Record a video")).to_be_visible()
    tab.select("Chat")
    page.get_by_role("button", name="Attach a picture").click()
    film = page.get_by_role("dialog").get_by_role("button", name=re.compile("^Video,"))
    expect(film).to_have_count(1)
    accessible(page, "the choice of a picture or video")
    page.screenshot(path=folder / "attach-choice-video.png")
    film.click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    group = page.get_by_role("group", name="Attached video")
    expect(group).to_be_visible()
    until(page, "document.querySelector('#attachment-picture').naturalWidth > 0")
    movie = page.evaluate(
        """async () => {
            const id = document.querySelector('#attachment-picture').src.split('/').at(-1);
            const bytes = new Uint8Array(await (await fetch(`/media/${id}`)).arrayBuffer());
            return [...bytes];
        }"""
    )
    page.get_by_role("button", name="Remove the video").press("Enter")
    expect(group).to_be_hidden()
    page.get_by_role("button", name="Attach a picture").click()
    film.click()
    expect(group).to_be_visible()
    before = page.locator(".message.user").count()
    page.get_by_label("Message to the assistant").fill("What happens in it?")
    page.keyboard.press("Enter")
    expect(page.locator(".message.user")).to_have_count(before + 1)
    until(page, "[...document.querySelectorAll('.message.user .poster img')].at(-1)?.naturalWidth > 0")
    expect(group).to_be_hidden()
    expect(page.get_by_role("button", name="Send")).to_be_visible(timeout=60_000)
    check(True, "a video of the gallery goes with its words")

    clip = folder / "clip.MOV"
    clip.write_bytes(bytes(movie))
    page.set_input_files("#file", str(clip))
    expect(group).to_be_visible()
    until(page, "document.querySelector('#attachment-picture').naturalWidth > 0")
    accessible(page, "the chat with a video that is attached")
    page.screenshot(path=folder / "attached-video.png")
    page.get_by_role("button", name="Send").click()
    expect(page.locator(".message.user")).to_have_count(before + 2)
    expect(page.get_by_role("button", name="Send")).to_be_visible(timeout=60_000)
    play = page.locator(".message.user").last.get_by_role("button", name="Play the video")
    play.press("Enter")
    player = page.locator(".message.user .film-player")
    expect(player).to_be_visible()
    check(focus_text(page) == "Play", f"the player has the focus: {focus_text(page)}")
    first = player.locator("img").get_attribute("src")
    player.get_by_role("button", name="Play", exact=True).press("Enter")
    until(page, f"document.querySelector('.film-player img').getAttribute('src') !== {first!r}")
    accessible(page, "a video of the conversation")
    page.screenshot(path=folder / "chat-video.png")
    page.reload()
    expect(page.locator(".message.user .film-player")).to_be_visible()
    page.locator(".film-player").get_by_role("button", name="Close").press("Enter")
    expect(page.locator(".message.user .film-player")).to_have_count(0)
    check(focus_label(page) == "Play the video", f"and gives it back: {focus_label(page)}")

    tab.expects_outage = True
    none = folder / "none.mp4"
    none.write_bytes(b"no movie")
    page.set_input_files("#file", str(none))
    expect(page.get_by_role("alert")).to_contain_text("The video was not attached")
    expect(page.get_by_role("alert")).to_contain_text("Motion-JPEG")
    page.screenshot(path=folder / "video-refused.png")
    page.get_by_role("alert").get_by_role("button", name="Close").click()
    tab.expects_outage = False
    check(group.is_hidden(), "a file that is no movie is named, and not attached")
    check(len(list((folder / "talk").rglob("clip_*.mov"))) == 1, "the file of the message is on the disk")


def focus_text(page):
    return page.evaluate("document.activeElement.textContent")


def focus_label(page):
    return page.evaluate("document.activeElement.getAttribute('aria-label')")


def stop(page, folder):
    """Ends an answer in its middle; what came of it stays until it is asked for again."""
    page.get_by_label("Message to the assistant").fill("Tell me a very long story. " * 60)
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Stop", exact=True)).to_be_visible()
    # Its first words: nothing is kept of an answer that has not begun.
    until(page, "document.querySelector('#messages .growing .bubble')?.textContent.length > 20")
    page.get_by_role("button", name="Stop", exact=True).press("Enter")
    expect(page.get_by_role("button", name="Send")).to_be_visible()
    expect(page.locator(".message.assistant").last).to_contain_text("cut off")
    check(focus(page) == "chat-send", f"the place is kept: {focus(page)}")
    again = page.get_by_role("button", name="Ask again")
    expect(again).to_be_visible()
    accessible(page, "an answer that was stopped")
    page.screenshot(path=folder / "stopped.png")
    count = page.locator("#messages li").count()
    again.click()
    expect(page.locator(".message.assistant").filter(has_text="cut off")).to_have_count(0, timeout=60_000)
    expect(page.get_by_role("button", name="Send")).to_be_visible(timeout=60_000)
    check(page.locator("#messages li").count() == count and again.is_hidden(), "what is asked again is answered once, in its place")


def talk(browser, lens, folder):
    program = Program(lens, "--folder", str(folder / "talk"))
    context = browser.new_context(viewport={"width": 1120, "height": 700}, color_scheme="light")
    context.add_init_script(HEARING + VOICE)
    tab = Tab(context)
    page = tab.page
    page.goto(program.page)
    expect(page.get_by_role("img", name="What the camera sees")).to_be_visible()
    until(page, "document.querySelector('#preview').naturalWidth > 0")
    page.get_by_role("button", name="Take a photo").click()
    expect(page.get_by_role("button", name="Show the last photo")).to_be_visible()
    tab.select("Chat")
    voice(page, folder)
    speaking(page)
    pictures(tab, folder)
    videos(tab, folder)
    stop(page, folder)
    check(not tab.troubles, f"no error while one talks {tab.troubles}")
    for scheme in ("light", "dark"):
        for size, (width, height) in {"desktop": (1120, 700), "phone": (390, 780)}.items():
            look = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
            look.add_init_script(HEARING + "localStorage.setItem('mayListen', 'yes');")
            other = Tab(look)
            other.page.goto(program.page)
            other.select("Chat")
            other.page.get_by_role("button", name="Attach a picture").click()
            accessible(other.page, f"the choice of a picture, {scheme}, {size}")
            other.page.screenshot(path=folder / f"picker-{scheme}-{size}.png")
            other.page.get_by_role("dialog").get_by_role("button", name=re.compile("^Photo,")).first.click()
            until(other.page, "document.querySelector('#attachment-picture').naturalWidth > 0")
            other.page.get_by_role("button", name="Speak").click()
            until(other.page, "window.recognitions.length === 1")
            recognition(other.page, "say('and what is that over there')")
            expect(other.page.locator("#chat-transcript")).to_have_text("and what is that over there")
            other.page.screenshot(path=folder / f"talk-{scheme}-{size}.png")
            accessible(other.page, f"the chat with a picture, listening, {scheme}, {size}")
            check(not other.troubles, f"{scheme}, {size}: no error {other.troubles}")
            look.close()
    # No other tab listens in its place.
    bare = browser.new_context()
    bare.add_init_script(
        "for (const name of ['SpeechRecognition', 'webkitSpeechRecognition']) Object.defineProperty(window, name, { value: undefined });"
    )
    silent = Tab(bare)
    silent.page.goto(program.page)
    silent.select("Chat")
    silent.page.get_by_role("button", name="Speak").click()
    expect(silent.page.get_by_role("alert")).to_contain_text("Speech recognition is not available here.")
    check(True, "a browser that understands no speech says so")
    bare.close()
    context.close()
    check(program.quit() == 0, "it ends in good order")
