"""Debian's Chromium as client of `lenssim serve echo`. Usage: chromium_client.py LENSSIM"""

import base64
import hashlib
import pathlib
import shutil
import socket
import ssl
import subprocess
import sys
import urllib.parse

from exchange import CODES, STATUSES, check, worlds
from playwright.sync_api import sync_playwright

script = (pathlib.Path(__file__).parent / "script_client.js").read_text(encoding="utf-8")


def key_hash(facts, context):
    """The hash of the public key of the server's certificate, which is verified here: Chromium trusts it by its key."""
    address = urllib.parse.urlsplit(facts["webSocket"])
    with context.wrap_socket(
        socket.create_connection((address.hostname, address.port)), server_hostname=address.hostname
    ) as connection:
        certificate = ssl.DER_cert_to_PEM_cert(connection.getpeercert(binary_form=True))
    command = ["openssl", "x509", "-noout", "-pubkey"]
    key = subprocess.run(command, input=certificate.encode(), capture_output=True, check=True).stdout
    der = base64.b64decode(b"".join(line for line in key.splitlines() if not line.startswith(b"-----")))
    return base64.b64encode(hashlib.sha256(der).digest()).decode()


with sync_playwright() as playwright:
    for facts, context in worlds(sys.argv[1]):
        print(f"Chromium as client, {facts['webSocket']}", flush=True)
        arguments = ["--no-sandbox"]
        if context:
            arguments.append(f"--ignore-certificate-errors-spki-list={key_hash(facts, context)}")
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=arguments)
        try:
            page = browser.new_page()
            given = [facts["webSocket"], CODES, STATUSES]
            for line in page.evaluate(f"async (given) => {{ {script}\nreturn await exchange(...given) }}", given):
                check(line.startswith("✔"), line[2:])
        finally:
            browser.close()
