"""A long list of Argus, page by page to its end: how long the scripts of the browser take for it."""

import time

from browser import check, until

# The most milliseconds of scripts for each event that comes into view, at 60 pictures a second and eight events in each: a quarter of what there is, for
# machines that do other things as well.
SCRIPTING_LIMIT = 4.0
# How long the whole of it may take, in seconds for each event.
PATIENCE = 0.5


def listed(page):
    return page.evaluate("document.querySelector('#feed').now.items.length")


def is_at_end(page):
    """Whether the end of the list is in view: it is there as soon as all is loaded, which may be long before."""
    return page.evaluate("(() => { const end = document.querySelector('#feed .last').getBoundingClientRect(); return end.height > 0 && end.top < innerHeight })()")


def long_list(tab, count, folder):
    page = tab.page
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")

    def scripting():
        metrics = session.send("Performance.getMetrics")["metrics"]
        return next(metric["value"] * 1000 for metric in metrics if metric["name"] == "ScriptDuration")

    page.mouse.move(400, 500)
    before, start = scripting(), time.time()
    while not is_at_end(page):
        if time.time() - start > 60 + PATIENCE * count:
            check(False, f"the list comes to its end: {listed(page)} of {count}")
        page.mouse.wheel(0, 3_000)
        page.wait_for_timeout(30)
    spent = (scripting() - before) / count
    check(listed(page) == count, f"{count} events are listed, in {time.time() - start:.0f} s")
    check(spent < SCRIPTING_LIMIT, f"scripts take {spent:.2f} ms for each of them")
    elements = page.evaluate("document.querySelectorAll('#feed article').length")
    check(elements <= 240, f"{elements} elements stand for them")
    until(page, "[...document.querySelectorAll('#feed article:nth-last-child(-n+2) k-thumb')].every((thumb) => thumb.dataset.state === 'shown')", 60)
    check(True, "the last of them have their pictures")
    page.screenshot(path=folder / "14-long.png")
