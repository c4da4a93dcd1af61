"""Uses Lens in a real Chromium: a newcomer's story, two tabs, reloads, a killed server, a slow network, accessibility, and a
recorded session with its time.

Usage: lens_test.py LENS FOLDER [--images FOLDER]. Screenshots go to FOLDER; small ones for the documentation to the folder of
--images. Exits with 1 at the first check that does not hold. `make page` prepares everything and runs it.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import time
import urllib.request

from playwright.sync_api import expect, sync_playwright

from browser import Program, Tab, accessible, check, keep_key, until
from lens_cameras import set_up_new, wifi
from lens_hardships import hardships
from lens_minute import first_minute
from lens_replay import recording
from lens_talk import talk
from lens_ways import ways

lens, folder = str(pathlib.Path(sys.argv[1]).absolute()), pathlib.Path(sys.argv[2])
images = pathlib.Path(sys.argv[sys.argv.index("--images") + 1]) if "--images" in sys.argv else None
data = folder / "data"
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)

# A voice that says at once that it has spoken: this Chromium has none.
VOICE = """
window.spoken = [];
Object.defineProperty(window, "speechSynthesis", { value: {
  getVoices: () => [{ name: "test", lang: "en" }],
  addEventListener() {}, cancel() { window.spoken.push("(hush)"); },
  speak(utterance) { window.spoken.push(utterance.text); setTimeout(() => utterance.onend?.(), 30); },
} });
"""


# Counts how often a player waits for its next picture.
TURNS = """
const later = window.setTimeout;
window.turns = 0;
window.setTimeout = (body, time, ...rest) => {
  if (Math.abs(time - 1000 / 15) < 0.01) window.turns++;
  return later(body, time, ...rest);
};
"""


def newcomer(browser, program):
    """Streams, hears answers, takes a photo, finds it uploaded, changes the rate, quits."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.add_init_script(VOICE)
    context.add_init_script(TURNS)
    tab = Tab(context)
    page = tab.page
    page.goto(program.page)
    expect(page.get_by_role("tab", name="Camera")).to_be_visible()
    check("token" not in page.url, "the token is not in the address any more")
    page.get_by_role("button", name="Start streaming").click()
    expect(page.locator("#phase")).to_have_text("Live")
    expect(page.get_by_role("img", name="What the camera sees")).to_be_visible()
    until(page, "document.querySelector('#preview').naturalWidth === 1280")
    expect(page.locator("#reply")).to_contain_text(re.compile("living room|changed|cat|dog|ball|lamp"))
    until(page, "window.spoken.filter((text) => text !== '(hush)').length >= 3")
    spoken = page.evaluate("window.spoken")
    check(spoken[0].startswith("I see a living room"), f"the browser speaks sentence by sentence: {spoken[0]!r}")
    page.get_by_role("button", name="Take a photo").click()
    expect(page.get_by_role("button", name="Show the last photo")).to_be_visible()
    tab.select("Gallery")
    expect(page.get_by_role("button", name=re.compile("^Photo, .*Uploaded"))).to_be_visible()
    tab.select("Settings")
    expect(page.get_by_label("Pictures a second")).to_be_visible()
    page.get_by_label("Pictures a second").press("ArrowRight")
    expect(page.locator("#rate-value")).to_have_text("6")
    tab.select("Camera")
    expect(page.locator("#figures")).to_contain_text("6 a second")
    page.get_by_role("button", name="Stop streaming").click()
    expect(page.get_by_role("button", name="Start streaming")).to_be_visible()
    return context, tab


def video(tab):
    """Records with a zoom, focuses, and plays what was recorded."""
    page = tab.page
    page.get_by_role("button", name="Record a video").click()
    expect(page.get_by_role("button", name="End the recording")).to_be_visible()
    page.get_by_label("Zoom").fill("2.5")
    expect(page.locator("#zoom-value")).to_have_text("2.5×")
    while tab.states()["camera"]["zoomLevel"] != 2.5:
        page.wait_for_timeout(50)
    page.locator("#preview").click(position={"x": 60, "y": 200})
    expect(page.locator("#focus")).to_be_visible()
    expect(page.locator("#focus")).to_be_hidden()
    expect(page.locator("#recording")).to_have_text(re.compile("0:0[2-9]"))
    page.get_by_role("button", name="End the recording").click()
    expect(page.locator("#toast")).to_contain_text("Recording complete")
    accessible(page, "the camera after a recording")
    page.locator("#toast").get_by_role("button", name="Close").click()
    expect(page.locator("#toast")).to_be_hidden()
    expect(page.locator("#recording")).to_be_hidden()
    tab.select("Gallery")
    tile = page.get_by_role("button", name=re.compile("^Video,"))
    expect(tile).to_be_visible()
    until(page, "document.querySelector('#grid .film').parentElement.querySelector('img').naturalWidth > 0")
    tile.click()
    picture = page.locator("#lightbox .film-player img")
    expect(picture).to_be_visible()
    until(page, "document.querySelector('#lightbox .film-player img').naturalWidth === 1280")
    expect(page.locator("#lightbox output")).to_have_text(re.compile("^0:00 of 0:0[2-9]$"))
    accessible(page, "the player of a video")
    page.locator("#lightbox dialog").get_by_role("button", name="Play").click()
    seen = {picture.get_attribute("src")}
    expect(page.locator("#lightbox dialog").get_by_role("button", name="Pause")).to_be_visible()
    expect(page.locator("#lightbox output")).to_have_text(re.compile("^0:01"))
    seen.add(picture.get_attribute("src"))
    # However often it is paused and goes on, one loop asks for pictures.
    page.evaluate(
        """() => {
          const button = document.querySelector('#lightbox .film-player button');
          for (let turn = 0; turn < 10; turn++) button.click();
          window.turns = 0;
        }"""
    )
    page.wait_for_timeout(600)
    turns = page.evaluate("window.turns")
    check(0 < turns < 20, f"a video that is paused and played again is played once: {turns} pictures in 0.6 s")
    page.locator("#lightbox dialog").get_by_role("button", name="Pause").click()
    page.get_by_label("Place in the video").fill("100")
    until(page, "document.querySelector('#lightbox .film-player img').src.endsWith('at=100')")
    seen.add(picture.get_attribute("src"))
    check(len(seen) == 3, f"the player shows one picture after the other: {seen}")
    page.screenshot(path=folder / "video.png")
    analysis(tab, tile)
    page.locator("#lightbox dialog").get_by_role("button", name="Delete…").click()
    page.locator("#question-yes").click()
    expect(page.locator("#lightbox dialog")).to_be_hidden()
    expect(tile).to_have_count(0)


def analysis(tab, tile):
    """Asks about the video that is open, and opens it again."""
    page = tab.page
    page.get_by_role("button", name="Ask about this video").click()
    sheet = page.get_by_role("dialog", name="Ask about this video")
    expect(sheet).to_be_visible()
    expect(sheet.get_by_role("heading", name="What happens in this video?")).to_be_visible()
    expect(page.locator("#analysis-status")).to_have_text(re.compile("^From [0-9]+ pictures of the video[.]$"))
    until(page, "document.querySelector('#analysis-picture img').naturalWidth > 0")
    first = page.locator("#analysis-answer").inner_text()
    check("I see" in first, f"the assistant says what a video shows: {first}")
    check("/ask-" in page.url, f"the analysis has an address: {page.url}")
    expect(page.get_by_label("Another question")).to_be_focused()
    accessible(page, "the analysis of a video")
    page.screenshot(path=folder / "analysis.png")
    page.keyboard.type("Is **anybody** there?")
    page.keyboard.press("Enter")
    expect(sheet.get_by_role("heading", name="Is **anybody** there?")).to_be_visible()
    expect(page.get_by_label("Another question")).to_have_value("")
    expect(page.locator("#analysis-status")).to_have_text(re.compile("^From [0-9]+ pictures"))
    page.reload()
    expect(sheet).to_be_visible()
    expect(page.locator("#analysis-status")).to_have_text(re.compile("^From [0-9]+ pictures"))
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    check(page.evaluate("document.querySelector('#alerts').closest('dialog') === null"), "alerts leave a sheet that closes")
    tile.click()
    expect(page.locator("#lightbox .film-player img")).to_be_visible()


def by_keyboard(tab):
    """Everything without a mouse: tabs, a photo, its sheet, a question."""
    page = tab.page
    page.get_by_role("tab", name="Camera").focus()
    page.keyboard.press("ArrowRight")
    expect(page.get_by_role("tab", name="Gallery")).to_be_focused()
    expect(page.get_by_role("tabpanel", name="Gallery")).to_be_visible()
    page.get_by_role("button", name=re.compile("^Photo,")).first.focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    expect(page.get_by_role("button", name="Close")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.get_by_role("checkbox", name=re.compile("^Select Photo")).first.press("Space")
    page.get_by_role("button", name="Delete…").press("Enter")
    expect(page.get_by_role("button", name="Cancel")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("button", name="Delete…")).to_be_focused()
    page.get_by_role("button", name="Deselect", exact=True).first.press("Enter")
    check(True, "tabs, sheet, selection and questions work by keyboard, and give the focus back")


def conversation(tab):
    """Talks, and loads the page again in the middle of the answer."""
    page = tab.page
    tab.select("Chat")
    page.get_by_label("Message to the assistant").fill("Is anybody there?")
    page.keyboard.press("Enter")
    expect(page.locator(".message.assistant").filter(has_text="Is anybody there?")).to_be_visible()
    check(True, "a message is answered while nothing streams")
    tab.select("Camera")
    page.get_by_role("button", name="Start streaming").click()
    expect(page.locator("#phase")).to_have_text("Live")
    tab.select("Chat")
    page.get_by_label("Message to the assistant").fill("What colour is it?")
    expect(page.get_by_role("button", name="Send")).to_be_enabled()
    page.keyboard.press("Enter")
    expect(page.locator(".message.user").last).to_contain_text("What colour is it?")
    expect(page.locator("#messages li").filter(has_text="now").last).to_be_visible()
    page.reload()
    expect(page.get_by_role("tab", name="Chat")).to_have_attribute("aria-selected", "true")
    expect(page.locator(".message.user").last).to_contain_text("What colour is it?")
    expect(page.locator(".message.assistant").filter(has_text="“What colour is it?”").first).to_be_visible()
    check(True, "a reload in the middle of an answer loses neither the place nor the answer")


def two_tabs(context, tab, program):
    other = Tab(context)
    other.page.goto(program.page)
    expect(other.page.get_by_role("tab", name="Camera")).to_have_attribute("aria-selected", "true")
    expect(tab.page.get_by_role("tab", name="Chat")).to_have_attribute("aria-selected", "true")
    other.page.get_by_role("button", name="Take a photo").click()
    expect(other.page.get_by_role("button", name="Show the last photo")).to_be_visible()
    tab.select("Gallery")
    expect(tab.page.locator("#grid li")).to_have_count(2)
    check(not other.troubles, f"two tabs show one app, each in its own place {other.troubles}")
    other.page.close()
    return other.frames


def key(tab):
    """Types a key, which must be in no frame, and deletes it."""
    page = tab.page
    keep_key(tab, "typed-secret-key")
    page.get_by_role("button", name="Delete key").click()
    page.locator("#question-yes").click()
    expect(page.locator("#key-state")).to_contain_text("none saved")


def about(tab):
    """The program's name and version, what leaves the device, and the licences."""
    page = tab.page
    tab.select("Settings")
    about = page.get_by_role("region", name="About")
    version = subprocess.run([lens, "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.strip()
    expect(page.locator("#about-program")).to_have_text(f"Lens {version}")
    expect(about).to_contain_text("what you write and show stays here")
    expect(about).to_contain_text("in a simulated storage")
    library = about.get_by_role("listitem").filter(has_text="GRDB.swift")
    expect(library).to_be_hidden()
    about.get_by_text("Libraries and licences").press("Enter")
    expect(library).to_have_text("GRDB.swift — MIT")
    accessible(page, "what the program is")
    for name in ("Camera and streaming", "Uploads and speech", "Key of the assistant", "About"):
        expect(page.get_by_role("heading", name=name)).to_be_visible()
    page.screenshot(path=folder / "about.png", full_page=True)


def killed_server(tab, program):
    page = tab.page
    tab.select("Gallery")
    tab.expects_outage = True
    program.kill()
    expect(page.locator("#connection")).to_have_text("Reconnecting…")
    page.wait_for_timeout(1_500)
    program = Program(lens, "--folder", str(data))
    expect(page.locator("#connection")).to_have_text("")
    expect(page.get_by_role("tab", name="Gallery")).to_have_attribute("aria-selected", "true")
    expect(page.locator("#grid li")).to_have_count(2)
    tab.expects_outage = False
    tab.select("Camera")
    page.get_by_role("button", name="Start streaming").click()
    expect(page.locator("#phase")).to_have_text("Live")
    check(True, "a killed server that comes back finds the page where it was")
    return program


def slow_network(context, tab):
    page = tab.page
    session = context.new_cdp_session(page)
    session.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": 400, "downloadThroughput": 60_000, "uploadThroughput": 30_000},
    )
    begun = time.time()
    page.get_by_role("button", name="Stop streaming").click()
    expect(page.get_by_role("button", name="Start streaming")).to_be_visible()
    took = time.time() - begun
    page.reload(wait_until="commit")
    # As soon as there is something to click: nothing is lost while the page is not complete.
    page.get_by_role("button", name="Start streaming").click(timeout=30_000)
    expect(page.locator("#phase")).to_have_text("Live", timeout=30_000)
    page.get_by_role("button", name="Stop streaming").click()
    expect(page.get_by_role("button", name="Start streaming")).to_be_visible()
    session.send(
        "Network.emulateNetworkConditions",
        {"offline": False, "latency": 0, "downloadThroughput": -1, "uploadThroughput": -1},
    )
    session.detach()
    check(took < 5, f"over a slow network an action took {took:.2f} s, and the page loads")


def figures(context, program):
    """Pictures a second of the preview, and how soon actions are answered meanwhile."""
    tab = Tab(context)
    page = tab.page
    page.goto(program.page)
    page.get_by_role("button", name="Start streaming").click()
    expect(page.locator("#phase")).to_have_text("Live")
    times = page.evaluate(
        """async () => {
          const socket = new WebSocket(`ws://${location.host}/socket`);
          const waiting = new Map();
          await new Promise((done) => {
            socket.onopen = () => socket.send(JSON.stringify({ hello: {} }));
            socket.onmessage = (event) => {
              const message = JSON.parse(event.data);
              if (message.welcome) done();
              if (message.id) waiting.get(message.id)?.();
            };
          });
          const times = [];
          for (let id = 1; id <= 200; id++) {
            const begun = performance.now();
            await new Promise((done) => {
              waiting.set(id, done);
              socket.send(JSON.stringify({ id, screen: "chat", action: { setInput: { _0: `text ${id}` } } }));
            });
            times.push(performance.now() - begun);
            await new Promise((done) => setTimeout(done, 10));
          }
          socket.close();
          return times.sort((a, b) => a - b);
        }"""
    )
    port = program.page.split(":")[2].split("/")[0]
    request = urllib.request.Request(
        f"http://127.0.0.1:{port}/frames", headers={"Cookie": f"lens-{port}={program.token}"}
    )
    with urllib.request.urlopen(request) as answer:
        answer.read(1_000_000)
        begun, count = time.time(), 0
        while time.time() - begun < 4:
            count += answer.read1(1 << 20).count(b"Content-Type: image/jpeg")
        rate = count / (time.time() - begun)
    late = times[int(0.95 * len(times))]
    print(f"  preview {rate:.1f} pictures/s, actions answered in {times[100]:.1f} ms, 95th percentile {late:.1f} ms")
    # Wide limits: this is the debug build, on a machine that may do other things. Documentation/Lens.md has the figures.
    check(rate > 10 and late < 250, "the preview runs, and actions are answered meanwhile")
    tab.page.close()


def looks(browser, program):
    """Every tab in light and dark, wide and narrow: without violations of accessibility, and as screenshots."""
    sizes = {"desktop": (1120, 700), "phone": (390, 780)}
    for scheme in ("light", "dark"):
        for size, (width, height) in sizes.items():
            context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=scheme)
            tab = Tab(context)
            page = tab.page
            page.goto(program.page)
            expect(page.locator("#phase")).to_have_text("Live")
            for name in ("Camera", "Gallery", "Chat", "Settings"):
                tab.select(name)
                panel = page.get_by_role("tabpanel", name=name)
                expect(panel).to_be_visible()
                if name == "Camera":
                    until(page, "document.querySelector('#preview').naturalWidth > 0")
                if name == "Gallery":
                    expect(page.locator("#grid li").first).to_be_visible()
                page.wait_for_timeout(250)
                accessible(page, f"{name}, {scheme}, {size}")
                path = folder / f"lens-{name.lower()}-{scheme}-{size}.png"
                page.screenshot(path=path)
            tab.select("Camera")
            page.get_by_role("button", name="Wi-Fi cameras…").click()
            expect(page.locator("#cameras-status")).to_have_text(re.compile("^(One camera was|2 cameras were) found.$"))
            accessible(page, f"cameras, {scheme}, {size}")
            page.screenshot(path=folder / f"lens-cameras-{scheme}-{size}.png")
            page.get_by_role("button", name="Set up a new camera…").click()
            until(page, "document.querySelector('#setup-preview').naturalWidth > 0")
            page.screenshot(path=folder / f"setup-label-{scheme}-{size}.png")
            page.get_by_label("Wi-Fi network").fill("Simulated Home")
            page.get_by_label("Password of the network").fill("not the password")
            accessible(page, f"the network of a new camera, {scheme}, {size}")
            page.screenshot(path=folder / f"setup-network-{scheme}-{size}.png")
            page.keyboard.press("Enter")
            until(page, "[...document.querySelectorAll('#setup-code img')].length && [...document.querySelectorAll('#setup-code img')].every((code) => code.naturalWidth > 0)")
            accessible(page, f"the codes for a new camera, {scheme}, {size}")
            page.screenshot(path=folder / f"lens-setup-{scheme}-{size}.png")
            page.get_by_role("button", name="Cancel").click()
            expect(page.get_by_role("button", name="Set up a new camera…")).to_be_visible()
            page.keyboard.press("Escape")
            expect(page.get_by_role("dialog")).to_be_hidden()
            tab.select("Gallery")
            page.get_by_role("button", name=re.compile("^Photo,")).first.click()
            expect(page.get_by_role("dialog")).to_be_visible()
            accessible(page, f"a photo, {scheme}, {size}")
            page.get_by_role("button", name="Close").click()
            check(not tab.troubles, f"{scheme}, {size}: no error {tab.troubles}")
            context.close()


def keep_images():
    """Small pictures for the documentation."""
    from PIL import Image

    images.mkdir(parents=True, exist_ok=True)
    for path in sorted(folder.glob("lens-*.png")):
        for colours in (200, 96, 48, 24):
            target = images / path.name
            Image.open(path).convert("RGB").quantize(colours, dither=Image.Dither.NONE).save(target, optimize=True)
            if target.stat().st_size < 150_000:
                break
        print(target, target.stat().st_size)


expect.set_options(timeout=15_000)
started = time.time()
program = Program(lens, "--folder", str(data))
with sync_playwright() as playwright:
    browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
    begun = time.time()
    context, tab = newcomer(browser, program)
    took = time.time() - begun
    check(took < 60, f"a newcomer's story takes {took:.1f} s")
    video(tab)
    wifi(tab, folder)
    set_up_new(tab, folder)
    by_keyboard(tab)
    conversation(tab)
    frames = two_tabs(context, tab, program)
    key(tab)
    about(tab)
    program = killed_server(tab, program)
    slow_network(context, tab)
    figures(context, program)
    first_minute(browser, lens, folder)
    ways(browser, lens, folder)
    hardships(browser, lens, folder)
    talk(browser, lens, folder)
    looks(browser, program)
    recording(browser, lens, folder, tab.states())
    check(not tab.troubles, f"no error in the console {tab.troubles}")
    everything = "".join(tab.frames + frames)
    for secret in (program.token, "typed-secret-key", str(data), "Documents", "simulated-", "eyJ"):
        check(secret not in everything, f"no frame of the socket has {secret[:12]}…")
    check(len(tab.frames) > 100, f"{len(tab.frames)} frames were looked at")
    stranger = Tab(browser.new_context())
    answer = stranger.page.goto(program.page.split("?")[0])
    check(answer.status == 403, "a browser without the token gets nothing")
    browser.close()
second = subprocess.run([lens, "--folder", str(data)], capture_output=True, text=True)
check(second.returncode == 74 and "runs already" in second.stderr, "a second program in the same folder ends with 74")
check(program.quit() == 0, "SIGTERM ends it with 0")
if images:
    keep_images()
print(f"all of it took {time.time() - started:.0f} s")
