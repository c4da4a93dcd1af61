"""A tab of Argus that knows which pictures are under way."""

from browser import Tab, check


class ArgusTab(Tab):
    def __init__(self, context):
        super().__init__(context)
        self.pending = set()
        self.page.on("request", lambda request: self.pending.add(request))
        for end in ("requestfinished", "requestfailed"):
            self.page.on(end, lambda request: self.pending.discard(request))

    def quiet(self):
        """Waits until no picture is under way: one of a session that has ended is not there any more."""
        for _ in range(400):
            if not any("/thumbnails/" in request.url for request in self.pending):
                return
            self.page.wait_for_timeout(50)
        check(False, "pictures come to their end")
