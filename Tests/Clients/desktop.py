"""A desktop that implements org.freedesktop.Notifications, and keeps what it has to show."""

import asyncio

from dbus_fast.service import ServiceInterface, dbus_method, dbus_signal


class Desktop(ServiceInterface):
    def __init__(self):
        super().__init__("org.freedesktop.Notifications")
        self.shown = asyncio.Queue()
        self.count = 0

    @dbus_method()
    def GetCapabilities(self) -> "as":  # noqa: F722
        return ["body", "body-markup", "actions"]

    @dbus_method()
    def GetServerInformation(self) -> "ssss":  # noqa: F821
        return ["check", "LensSim", "1", "1.2"]

    @dbus_method()
    def Notify(
        self,
        app: "s",  # noqa: F821
        replaces: "u",  # noqa: F821
        icon: "s",  # noqa: F821
        summary: "s",  # noqa: F821
        body: "s",  # noqa: F821
        actions: "as",  # noqa: F722
        hints: "a{sv}",  # noqa: F722
        timeout: "i",  # noqa: F821
    ) -> "u":  # noqa: F821
        self.count += 1
        self.shown.put_nowait((self.count, app, summary, body, actions))
        return self.count

    @dbus_method()
    def CloseNotification(self, number: "u"):  # noqa: F821
        pass

    @dbus_signal()
    def ActionInvoked(self, number, action) -> "us":  # noqa: F821
        return [number, action]

    @dbus_signal()
    def NotificationClosed(self, number, reason) -> "uu":  # noqa: F821
        return [number, reason]
