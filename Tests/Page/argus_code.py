"""Pairing with a hub that shares no code with Argus, and for which the page shows the code."""

import pathlib
import re
import subprocess
import sys

from playwright.sync_api import expect

from argus_tab import ArgusTab
from browser import Program, accessible, check

sys.path.append(str(pathlib.Path(__file__).resolve().parent.parent / "Clients"))
import argus_hub


def shown_code(browser, argus, folder):
    """A hub in Python that speaks as the public one: the page shows the code, which a person confirms there."""
    server = argus_hub.Server(argus_hub.Hub(25))
    hub, address = server.hub, f"http://127.0.0.1:{server.server_address[1]}"
    check(subprocess.run([argus, "--dialect", "hub"], capture_output=True).returncode == 64, "--dialect without a hub is refused")
    program = Program(argus, "--folder", str(folder / "shown"), "--port", "0", "--relay", address, "--dialect", "hub")
    tab = ArgusTab(browser.new_context(viewport={"width": 1280, "height": 800}))
    page, code = tab.page, tab.page.locator("#shown-code")
    page.goto(program.page)
    expect(page.get_by_role("heading", level=2, name="Pair with your hub", exact=True)).to_be_visible()
    expect(page.locator("#pairing-form")).to_be_hidden()
    page.get_by_role("button", name="Show a code", exact=True).click()
    expect(code).to_have_text(re.compile("^[0-9]{6}$"))
    first = code.text_content()
    expect(page.locator("#shown-hint")).to_have_text(re.compile(r"^From your hub\. It can be used for 29[0-9] seconds\.$"))
    page.screenshot(path=folder / "17-shown-code.png")
    accessible(page, "a code that is shown")
    page.get_by_role("button", name="Cancel", exact=True).click()
    expect(code).to_be_hidden()
    page.get_by_role("button", name="Show a code", exact=True).click()
    expect(code).to_have_text(re.compile(f"^(?!{first})[0-9]{{6}}$"))
    hub.codes[code.text_content()]["confirmed"] = True
    expect(page.get_by_role("heading", level=2, name="Events", exact=True)).to_be_visible()
    expect(page.get_by_role("article").first).to_be_visible()
    check(not tab.troubles and len(hub.rows) == 1, f"a code that is shown and confirmed pairs: {tab.troubles}")
    check(program.quit() == 0, "SIGTERM ends the program with 0")
    page.context.close()
    server.end()
