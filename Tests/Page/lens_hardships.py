"""Uses Lens in a real Chromium where something is wrong: lost sockets, a cut preview, refused keys, no room, a shared folder."""

import json
import os
import re
import socket
import sqlite3
import subprocess
import threading

from playwright.sync_api import expect

from browser import Program, Tab, accessible, check, keep_key, until

# The sockets that the page opens, so that one can be lost at a chosen moment.
SOCKETS = """
window.sockets = [];
window.WebSocket = class extends WebSocket {
  constructor(...given) { super(...given); window.sockets.push(this); }
};
"""

# Sockets that say nothing before they are released, as on a network that has only just come.
HELD = """
window.isReleased = true;
window.WebSocket = class extends WebSocket {
  constructor(...given) { super(...given); window.latest = this; }
  send(message) {
    if (window.isReleased) super.send(message);
    else (window.held ??= []).push(() => super.send(message));
  }
};
window.release = () => {
  window.isReleased = true;
  window.held.forEach((send) => send());
};
"""


class Proxy:
    """A way to a program on which connections can be cut."""

    def __init__(self, program):
        self.target = int(program.page.split(":")[2].split("/")[0])
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.page = program.page.replace(f":{self.target}/", f":{self.listener.getsockname()[1]}/")
        self.previews = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            page, _ = self.listener.accept()
            server = socket.create_connection(("127.0.0.1", self.target))
            for ends in ((page, server), (server, page)):
                threading.Thread(target=self.carry, args=ends, daemon=True).start()

    def carry(self, source, sink):
        try:
            while piece := source.recv(65_536):
                if piece.startswith(b"GET /frames"):
                    self.previews.append((source, sink))
                sink.sendall(piece)
        except OSError:
            pass
        self.cut(source, sink)

    def cut(self, *ends):
        for end in ends:
            try:
                end.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def cut_previews(self):
        for ends in self.previews:
            self.cut(*ends)
        self.previews.clear()


def focus(page):
    return page.evaluate("document.activeElement.id || document.activeElement.className || document.activeElement.tagName")


def photos_by_keyboard(page):
    """Turns the camera on and takes photos without a mouse; the place is never lost."""
    expect(page.get_by_role("img", name="What the camera sees")).to_be_visible()
    page.get_by_role("button", name="Turn the camera off").press("Enter")
    expect(page.locator("#blank-text")).to_have_text("The camera is off.")
    check(focus(page) == "camera-start", f"who turns the camera off can turn it on again: {focus(page)}")
    page.keyboard.press("Enter")
    until(page, "document.querySelector('#preview').naturalWidth > 0")
    check(focus(page) == "shutter", f"the shutter has the focus once the camera is on, not {focus(page)}")
    last = ""
    for _ in range(2):
        page.keyboard.press("Space")
        until(page, f"document.querySelector('#last-photo').style.getPropertyValue('--picture') !== {json.dumps(last)}")
        last = page.evaluate("document.querySelector('#last-photo').style.getPropertyValue('--picture')")
        expect(page.get_by_role("button", name="Take a photo")).to_be_enabled()
    check(focus(page) == "shutter", f"the shutter keeps the focus, {focus(page)} has it")
    page.get_by_role("tab", name="Gallery").click()
    expect(page.locator("#grid li")).to_have_count(2)
    page.get_by_role("button", name=re.compile("^Photo,")).first.press("Enter")
    expect(page.get_by_role("dialog")).to_be_visible()
    page.get_by_role("button", name="Delete…").press("Enter")
    page.locator("#question-yes").press("Enter")
    expect(page.locator("#grid li")).to_have_count(1)
    expect(page.get_by_role("dialog")).to_have_count(0)
    check(focus(page) == "tile", f"the next photo has the focus after a deletion, not {focus(page)}")
    page.locator("#grid input").press("Space")
    page.get_by_role("button", name="Delete…").press("Enter")
    page.locator("#question-yes").press("Enter")
    expect(page.locator("#grid li")).to_have_count(0)
    check(focus(page) == "tab-1", f"the tab has the focus when nothing is left, not {focus(page)}")


def gaps(page):
    """Loses the socket while a photo is taken and a message is said: both are done once."""
    page.get_by_role("tab", name="Camera").click()
    page.get_by_role("button", name="Start streaming").click()
    expect(page.locator("#phase")).to_have_text("Live")
    page.evaluate("{ document.querySelector('#shutter').click(); window.sockets.at(-1).close(); }")
    page.get_by_role("tab", name="Gallery").click()
    expect(page.locator("#grid li")).to_have_count(1)
    page.get_by_role("tab", name="Chat").click()
    page.get_by_label("Message to the assistant").fill("Is this lost?")
    expect(page.get_by_role("button", name="Send")).to_be_enabled()
    page.evaluate("{ window.sockets.at(-1).close(); document.querySelector('#chat-form').requestSubmit(); }")
    expect(page.locator(".message.user")).to_contain_text("Is this lost?")
    page.get_by_label("Message to the assistant").fill("And this?")
    expect(page.get_by_role("button", name="Send")).to_be_enabled()
    page.evaluate("{ document.querySelector('#chat-form').requestSubmit(); window.sockets.at(-1).close(); }")
    expect(page.locator(".message.user")).to_have_count(2)
    expect(page.get_by_label("Message to the assistant")).to_have_value("")
    page.wait_for_timeout(1_000)
    said = page.locator(".message.user").all_inner_texts()
    check(len(said) == 2 and "Is this lost?" in said[0] and "And this?" in said[1], "what is said in a gap is said once")
    page.get_by_role("tab", name="Gallery").click()
    expect(page.locator("#grid li")).to_have_count(1)
    check(not page.get_by_role("alert").count(), "a photo that is taken in a gap is taken once, and nobody is alarmed")


def cut_preview(page, proxy, folder):
    page.get_by_role("tab", name="Camera").click()
    until(page, "document.querySelector('#preview').naturalWidth > 0")
    proxy.cut_previews()
    expect(page.locator("#blank-text")).to_have_text("The preview was cut off. Trying again…")
    page.screenshot(path=folder / "preview-cut.png")
    until(page, "document.querySelector('#preview').naturalWidth > 0")
    expect(page.locator("#blank")).to_be_hidden()
    check(True, "a preview that was cut comes back, and the page says so meanwhile")


def early_key(browser, program):
    """A key that is kept before the server knows the page again."""
    context = browser.new_context()
    context.add_init_script(HELD)
    tab = Tab(context)
    page = tab.page
    page.goto(program.page)
    expect(page.get_by_role("button", name="Take a photo")).to_be_visible()
    tab.select("Settings")
    expect(page.get_by_label("Key").first).to_be_visible()
    page.evaluate("{ window.isReleased = false; window.latest.close(); }")
    until(page, "window.held?.length > 0")
    page.get_by_label("Key").first.fill("early-key")
    page.get_by_role("button", name=re.compile("Save key|Replace key")).click()
    page.evaluate("window.release()")
    expect(page.locator("#key")).to_have_value("")
    expect(page.locator("#key-state")).to_contain_text("•••")
    check(not page.get_by_role("alert").count() and not tab.troubles, f"a key that is typed at once is kept {tab.troubles}")
    context.close()


def refused_key(page, folder):
    """A key that cannot be kept stays typed, and its alert can be reached from a photo's sheet."""
    page.get_by_role("tab", name="Settings").click()
    # The assistant of this program is elsewhere, and the page says so.
    expect(page.locator("#about-assistant")).to_contain_text("goes to the assistant")
    page.get_by_label("Key").first.fill("another-key")
    page.get_by_role("button", name="Save and test").click()
    trouble = page.locator("#key-trouble")
    expect(trouble).to_have_text("The key was not saved.")
    expect(page.get_by_role("alert")).to_contain_text("The app was started with a key of its own")
    expect(page.get_by_role("alert")).to_contain_text("Start it again with another key")
    check(page.locator("#key").input_value() == "another-key", "a key that was not kept stays typed")
    accessible(page, "a key that was not kept")
    page.get_by_role("alert").get_by_role("button", name="Close").click()
    page.get_by_role("button", name="Test key").click()
    expect(page.get_by_role("alert")).to_contain_text("The key could not be tested")
    check(True, "a key is tested where the assistant is elsewhere, and what came back is told")
    page.screenshot(path=folder / "key-refused.png")
    page.get_by_role("tab", name="Gallery").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.get_by_role("tab", name="Settings")).to_have_accessible_description("Something went wrong here.")
    page.get_by_role("tab", name="Settings").click()
    page.get_by_role("alert").get_by_role("button", name="Close").click()
    expect(page.get_by_role("alert")).to_have_count(0)
    expect(page.get_by_role("tab", name="Settings")).to_have_accessible_description("")
    check(True, "an alert is shown in its tab alone, and other tabs name that tab")


def out_of_reach(context, tab, program, folder):
    """Why a page cannot connect: too many tabs, a token that is not valid any more."""
    page = tab.page
    page.evaluate(
        """async () => {
          window.crowd = Array.from({ length: 15 }, () => new WebSocket(`ws://${location.host}/socket`));
          await Promise.all(window.crowd.map((socket) => new Promise((done) => (socket.onopen = done))));
          for (const socket of window.crowd) socket.send(JSON.stringify({ hello: {} }));
        }"""
    )
    late = Tab(context)
    late.expects_outage = True
    late.page.goto(program.page)
    expect(late.page.get_by_role("alert")).to_contain_text("Lens is open in too many tabs. Close some of them.")
    late.page.screenshot(path=folder / "too-many-tabs.png")
    page.evaluate("window.crowd.forEach((socket) => socket.close())")
    expect(late.page.get_by_role("alert")).to_have_count(0)
    expect(late.page.locator("#connection")).to_have_text("")
    check(True, "a tab too many says so, and goes on when another one is closed")
    late.page.close()
    tab.expects_outage = True
    context.clear_cookies()
    page.evaluate("window.sockets.forEach((socket) => socket.close())")
    expect(page.get_by_role("alert")).to_contain_text("Open the address that lens has printed")
    check(True, "a page whose token is not valid any more says what to do")


def hardships(browser, lens, folder):
    """A folder that others may read, lost sockets, a cut preview, refused keys, no room."""
    place = folder / "shared"
    place.mkdir()
    place.chmod(0o755)
    options = ("--folder", str(place), "--gemini-key-from", "GIVEN_KEY", "--gemini", "ws://127.0.0.1:9")
    program = Program(lens, "--folder", str(place), errors=(folder / "stderr").open("w"))
    proxy = Proxy(program)
    context = browser.new_context(viewport={"width": 1120, "height": 700})
    context.add_init_script(SOCKETS)
    tab = Tab(context)
    tab.page.goto(proxy.page)
    photos_by_keyboard(tab.page)
    tab.expects_outage = True
    gaps(tab.page)
    cut_preview(tab.page, proxy, folder)
    tab.page.close()
    check("chmod 700" in (folder / "stderr").read_text(), "a folder that others may read is named at the start")
    tab = Tab(context)
    tab.page.goto(program.page)
    keep_key(tab, "first-key")
    early_key(browser, program)
    open_files = [path.name for path in place.rglob("*") if path.stat().st_mode & 0o077]
    check(not open_files, f"what is made in it is for its owner alone {open_files}")
    check(program.quit() == 0, "it ends in good order")
    tab.page.close()
    with sqlite3.connect(place / "lens.sqlite") as database:
        database.execute("INSERT INTO mediaItem (id, kind, createdAt, wantsUpload) VALUES ('damaged', 'photo', 0, 0)")
    program = Program(lens, "--folder", str(place), "--passphrase-from", "WORDS", WORDS="right")
    check(not (place / "secrets.key").exists(), "with a passphrase no key file lies beside the keys")
    tab = Tab(context)
    tab.page.goto(program.page)
    tab.select("Settings")
    expect(tab.page.locator("#key-state")).to_contain_text("•••")
    tab.select("Gallery")
    expect(tab.page.locator("#gallery-damage")).to_have_text("1 item cannot be shown: what the app knows of it is damaged.")
    expect(tab.page.get_by_role("button", name=re.compile("^Photo, .*Uploaded. Public"))).to_be_visible()
    accessible(tab.page, "a gallery with a damaged item")
    tab.page.screenshot(path=folder / "gallery-damaged.png")
    check(program.quit() == 0, "a key that was kept before is opened by the passphrase")
    tab.page.close()
    wrong = [lens, "--folder", place, "--passphrase-from", "WORDS"]
    ended = subprocess.run(wrong, env={**os.environ, "WORDS": "wrong"}, capture_output=True, text=True, timeout=30)
    check(ended.returncode == 77 and "passphrase" in ended.stderr, f"a wrong passphrase ends with 77: {ended.stderr.strip()[:70]}")
    program = Program(lens, *options, GIVEN_KEY="given")
    tab = Tab(context)
    tab.page.goto(program.page)
    expect(tab.page.locator("#connection")).to_have_text("")
    tab.expects_outage = True
    refused_key(tab.page, folder)
    out_of_reach(context, tab, program, folder)
    context.close()
    program.quit()
