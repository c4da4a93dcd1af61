"""The feed of PageKit: what is new, what comes while it is scrolled, and how long scripts take for 5,000 items."""

from playwright.sync_api import expect

from browser import accessible, check, until

# The most milliseconds of scripts while 5,000 items are scrolled through, and until the first of them can be seen. Documentation/PageKit.md has figures;
# these are for machines that do other things as well.
SCRIPTING_LIMIT = 6_000
START_LIMIT = 500


def numbers(page):
    """What the items that are elements are called."""
    return page.evaluate("[...document.querySelectorAll('#feed h3')].map((title) => title.textContent)")


def top(page, name):
    return page.get_by_role("article", name=name, exact=True).bounding_box()["y"]


def feed(page, folder):
    first = page.get_by_role("article").first
    expect(first).to_have_accessible_name("Event 5,000")
    expect(first).to_have_attribute("aria-posinset", "1")
    expect(first).to_have_attribute("aria-setsize", "-1")
    # Keys, as the pattern of ARIA has them.
    first.focus()
    for _ in range(3):
        page.keyboard.press("PageDown")
    expect(page.get_by_role("article", name="Event 4,997", exact=True)).to_be_focused()
    page.keyboard.press("PageUp")
    expect(page.get_by_role("article", name="Event 4,998", exact=True)).to_be_focused()
    check(True, "PageDown and PageUp lead from item to item")
    page.get_by_role("button", name="Remove the third").evaluate("button => button.click()")
    expect(page.get_by_role("article", name="Event 4,997", exact=True)).to_be_focused()
    check(True, "where an item with the focus is removed, the next one has it")
    # What is new at the top is seen; what is new while somebody reads below does not move it.
    page.get_by_role("button", name="Three new").click()
    expect(first).to_have_accessible_name("Event 5,003")
    expect(page.locator(".news")).to_be_hidden()
    read = page.get_by_role("article", name="Event 4,980", exact=True)
    read.scroll_into_view_if_needed()
    until(page, "document.querySelector('#feed').scrollTop > 500")
    page.wait_for_timeout(300)
    read.get_by_role("button").focus()
    place = top(page, "Event 4,980")
    page.get_by_role("button", name="Three new").evaluate("button => button.click()")
    pill = page.get_by_role("button", name="3 new")
    expect(pill).to_be_visible()
    check(abs(top(page, "Event 4,980") - place) < 2, "what is read stays where it is")
    expect(read.get_by_role("button")).to_be_focused()
    check(True, "and keeps the focus")
    page.screenshot(path=folder / "feed-new.png")
    accessible(page, "a feed with news")
    page.get_by_role("button", name="3 new").click()
    expect(page.get_by_role("article", name="Event 5,006", exact=True)).to_be_focused()
    until(page, "document.querySelector('#feed').scrollTop === 0")
    expect(page.locator(".news")).to_be_hidden()
    check(True, "the news lead to the newest")
    states(page, folder)


def page_feed(page, folder):
    """A feed that the page scrolls, as on a phone."""
    first = page.get_by_role("article").first
    expect(first).to_have_accessible_name("Event 5,000")
    page.get_by_role("article", name="Event 4,980", exact=True).scroll_into_view_if_needed()
    until(page, "scrollY > 500")
    page.wait_for_timeout(300)
    place = top(page, "Event 4,980")
    page.get_by_role("button", name="Three new").evaluate("button => button.click()")
    expect(page.get_by_role("button", name="3 new")).to_be_in_viewport()
    check(abs(top(page, "Event 4,980") - place) < 2, "what is read stays where it is, where the page scrolls")
    page.screenshot(path=folder / "feed-phone.png")
    page.get_by_role("button", name="3 new").click()
    expect(page.get_by_role("article", name="Event 5,003", exact=True)).to_be_focused()
    expect(first).to_be_in_viewport()
    expect(page.locator(".news")).to_be_hidden()


def states(page, folder):
    """Nothing, loading, failed, and the end."""
    page.get_by_role("button", name="Nothing").click()
    expect(page.locator("#feed .empty")).to_have_text("No events yet.")
    page.screenshot(path=folder / "feed-empty.png")
    accessible(page, "an empty feed")
    page.get_by_role("button", name="Loading").click()
    expect(page.get_by_role("feed")).to_have_attribute("aria-busy", "true")
    expect(page.locator("#feed .empty")).to_be_hidden()
    page.screenshot(path=folder / "feed-loading.png")
    accessible(page, "a feed that loads")
    page.get_by_role("button", name="Failed").click()
    again = page.locator("#feed [data-end=older]").get_by_role("button", name="Try again")
    expect(again).to_be_visible()
    page.screenshot(path=folder / "feed-failed.png")
    accessible(page, "a feed that failed")
    again.click()
    expect(page.get_by_role("article").first).to_be_visible()
    check(True, "a feed that failed is tried again")


def scroll(page, pixels, is_done):
    """Turns the wheel until a condition holds."""
    box = page.locator("#feed").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    for _ in range(200):
        for _ in range(5):
            page.mouse.wheel(0, pixels)
        if page.evaluate(is_done):
            return
    check(False, f"the feed comes to an end: {numbers(page)[0]} to {numbers(page)[-1]}")


def long_feed(page, folder):
    """All of 5,000 items, as a whole state, scrolled to their end and back."""
    session = page.context.new_cdp_session(page)
    session.send("Performance.enable")

    def figures():
        found = {metric["name"]: metric["value"] * 1000 for metric in session.send("Performance.getMetrics")["metrics"]}
        return {name: found[name] for name in ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration", "TaskDuration")}

    def spent(before, limit, what):
        times = {name: round(value - before[name]) for name, value in figures().items()}
        check(times["ScriptDuration"] < limit, f"{what}: {times} ms")

    expect(page.get_by_role("article").first).to_be_visible()
    before = figures()
    page.get_by_role("button", name="5,000").click()
    expect(page.get_by_role("article").first).to_have_attribute("aria-setsize", "5000")
    spent(before, START_LIMIT, "5,000 items are there")
    before = figures()
    scroll(page, 4_000, "document.querySelector('#feed article:last-child').ariaPosInSet === '5000' && document.querySelector('#feed .last').getBoundingClientRect().bottom < innerHeight")
    spent(before, SCRIPTING_LIMIT, "they are scrolled through to their end")
    expect(page.locator("#feed .last")).to_be_visible()
    check(numbers(page)[-1] == "Event 1", "the last of them is there")
    check(len(numbers(page)) <= 240, f"{len(numbers(page))} elements stand for them")
    # The first of the elements goes, and one of the many above them: what is read stays.
    last = page.get_by_role("article", name="Event 1", exact=True)
    place = top(page, "Event 1")
    page.evaluate(
        """() => {
          const feed = document.querySelector("#feed");
          const gone = ["event-3000", feed.querySelector("article").dataset.key];
          feed.state = { ...feed.now, items: feed.now.items.filter(({ id }) => !gone.includes(id)) };
        }"""
    )
    expect(last).to_have_attribute("aria-posinset", "4998")
    expect(last).to_have_attribute("aria-setsize", "4998")
    check(abs(top(page, "Event 1") - place) < 2, "what is read stays where it is, whatever goes above it")
    before = figures()
    scroll(page, -4_000, "document.querySelector('#feed article').ariaPosInSet === '1' && document.querySelector('#feed').scrollTop === 0")
    spent(before, SCRIPTING_LIMIT, "and back")
    before = figures()
    page.get_by_role("button", name="Three new").click()
    expect(page.get_by_role("article").first).to_have_accessible_name("Event 5,003")
    spent(before, START_LIMIT, "three new ones among 5,000")
