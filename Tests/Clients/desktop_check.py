"""`lenssim receive --desktop` shows what arrives on a desktop, and says what is tapped there.

Usage: dbus-run-session -- desktop_check.py LENSSIM PACKAGE. Exits with 1 at the first check that fails. The desktop is `desktop.py`,
on the session's D-Bus.
"""

import asyncio
import json
import sys

from apns_calls import curl, provider_token
from dbus_fast.aio import MessageBus
from desktop import Desktop
from peer import check, served

lenssim = sys.argv[1]


async def main():
    bus = await MessageBus().connect()
    desktop = Desktop()
    bus.export("/org/freedesktop/Notifications", desktop)
    await bus.request_name("org.freedesktop.Notifications")
    with served(lenssim, "push") as service:
        command = [lenssim, "receive", service["deviceURL"], "--json", "--desktop", "--seconds", "60"]
        process = await asyncio.create_subprocess_exec(*command, stdout=asyncio.subprocess.PIPE)

        async def line():
            return json.loads(await asyncio.wait_for(process.stdout.readline(), 20))

        token = (await line())["token"]
        authorization = f"bearer {provider_token(service)}"
        alert = {"title": "--help", "body": "5 < 6 & \\n $(id)"}
        await asyncio.to_thread(curl, service, token, payload={"aps": {"alert": alert}}, authorization=authorization)
        number, app, summary, body, actions = await asyncio.wait_for(desktop.shown.get(), 20)
        check(app == "LensSim" and summary == "--help", "a notification is shown on the desktop, with its title")
        check(body == "5 &lt; 6 &amp; \\n $(id)", "its body is text, of which nothing is markup or an escape")
        check(actions[0] == "default", "it can be tapped")
        arrived = await line()
        check((arrived["event"], arrived["title"]) == ("notification", "--help"), "and it is in the terminal too")
        desktop.ActionInvoked(number, "default")
        tapped = await line()
        check((tapped["event"], tapped["id"]) == ("tap", arrived["id"]), "a tap on the desktop reaches the device")
        desktop.NotificationClosed(number, 2)
        process.terminate()
        await asyncio.wait_for(process.wait(), 20)


if __name__ == "__main__":
    asyncio.run(main())
