"""Notifications of a real hub: `lenssim serve argus` sends them through `lenssim serve push`, the page shows them, and so does a desktop."""

import asyncio
import os
import pathlib
import subprocess
import sys
import threading

from dbus_fast.aio import MessageBus
from playwright.sync_api import expect

from argus_tab import ArgusTab
from browser import Program, check, until

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "Clients"))
from desktop import Desktop
from peer import served


class Session:
    """A D-Bus of its own with a desktop on it, which another thread runs."""

    def __init__(self):
        self.daemon = subprocess.Popen(["dbus-daemon", "--session", "--nofork", "--print-address"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        self.address = self.daemon.stdout.readline().strip()
        self.loop, ready = asyncio.new_event_loop(), threading.Event()
        threading.Thread(target=self.run, args=[ready], daemon=True).start()
        check(ready.wait(20), "there is a desktop")

    def run(self, ready):
        async def appear():
            self.connection = await MessageBus(bus_address=self.address).connect()
            self.desktop = Desktop()
            self.connection.export("/org/freedesktop/Notifications", self.desktop)
            await self.connection.request_name("org.freedesktop.Notifications")
            ready.set()

        self.loop.run_until_complete(appear())
        self.loop.run_forever()

    def shown(self):
        """What is shown next."""
        return asyncio.run_coroutine_threadsafe(asyncio.wait_for(self.desktop.shown.get(), 30), self.loop).result()

    def tap(self, number):
        self.loop.call_soon_threadsafe(self.desktop.ActionInvoked, number, "default")

    def end(self):
        self.loop.call_soon_threadsafe(self.connection.disconnect)
        asyncio.run_coroutine_threadsafe(self.connection.wait_for_disconnect(), self.loop).exception()
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.daemon.kill()
        self.daemon.wait()


def pushed(browser, argus, folder):
    for wrong in (
        ["--push", "ws://127.0.0.1:1/device"],
        ["--relay", "http://127.0.0.1:1", "--push", "http://127.0.0.1:1"],
        ["--relay", "http://127.0.0.1:1", "--push", "ws://192.0.2.1/device"],
        ["--relay", "http://127.0.0.1:1", "--push-topic", "an.app"],
    ):
        check(subprocess.run([argus, *wrong], capture_output=True).returncode == 64, f"{' '.join(wrong)} is refused")
    lenssim = str(pathlib.Path(argus).parent / "lenssim")
    with served(lenssim, "push", "--tls") as service:
        provider = ["--push", service["url"].replace("127.0.0.1", "localhost"), "--push-key", service["keyFile"], "--push-ca", service["caFile"]]
        with served(lenssim, "argus", "--event-interval", "3600", *provider) as hub:
            journey(browser, argus, folder, service, hub)


def journey(browser, argus, folder, service, hub):
    def happen(words):
        event = {"camera_id": "cam_front", "description": words, "detection_type": "animal"}
        answer = requests.post(hub["url"] + "/api/v1/events", data=event, headers={"Authorization": f"Bearer {hub['adminToken']}"})
        return answer.json()["id"]

    requests = browser.new_context().request

    def program(**environment):
        options = ["--relay", hub["url"], "--push", service["deviceURL"], "--ca-file", service["caFile"]]
        return Program(argus, "--folder", str(folder / "pushed"), "--port", "0", *options, XDG_RUNTIME_DIR="", **environment)

    def opened(program):
        tab = ArgusTab(browser.new_context(viewport={"width": 1280, "height": 800}))
        tab.page.goto(program.page)
        return tab

    def at_events(page):
        expect(page.get_by_role("heading", level=2, name="Events", exact=True)).to_be_visible()
        page.get_by_role("button", name="Settings").click()
        expect(page.locator("#notifications")).to_contain_text("On: your hub tells this device")
        page.get_by_role("button", name="Events").click()

    running = program(DBUS_SESSION_BUS_ADDRESS="")
    tab = opened(running)
    tab.page.get_by_label("Code", exact=True).fill(hub["pairingCode"])
    tab.page.get_by_role("button", name="Pair", exact=True).click()
    at_events(tab.page)
    fox = happen("A fox sits at the gate.")
    until(tab.page, "!document.getElementById('toast').hidden")
    until(tab.page, f"document.querySelector('#feed').now?.items[0]?.id === '{fox}'")
    tab.page.screenshot(path=folder / "18-pushed.png")
    check(not tab.troubles, f"an event of a real hub becomes a notice on the page: {tab.troubles}")
    check(running.quit() == 0, "SIGTERM ends the program with 0")
    tab.page.context.close()

    # While the program is away the service keeps what comes, and the same device gets it.
    kept = happen("A hedgehog crosses the lawn.")
    session = Session()
    running = program(DBUS_SESSION_BUS_ADDRESS=session.address)
    tab = opened(running)
    number, app, title, body, _ = session.shown()
    check(app == "Argus" and body and title, f"what came meanwhile is shown on the desktop: {title}, {body}")
    session.tap(number)
    expect(tab.page.locator("#detail-text")).to_contain_text("hedgehog")
    check(tab.page.url.endswith(kept), "and its tap opens the event on the page")
    check(not tab.troubles, f"nothing went wrong in the browser: {tab.troubles}")
    check(running.quit() == 0, "SIGTERM ends the program with 0")
    tab.page.context.close()
    session.end()
