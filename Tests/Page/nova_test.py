"""Uses Nova in a real Chromium: sign-in by e-mail and by the simulated issuer, scrolling, likes, comments, search, a photo that is picked, cropped, filtered
and published, aeroplane mode and back, notifications, the profile, two tabs, a program that is killed, sign-out, accessibility in both schemes and on a phone.
Usage: nova_test.py NOVA FOLDER. Screenshots go to FOLDER. Exits with 1 at the first check that does not hold.
"""

import io
import pathlib
import re
import shutil
import subprocess
import sys

from PIL import Image
from playwright.sync_api import expect, sync_playwright

from browser import Program, Tab, accessible, check, until

nova, folder = str(pathlib.Path(sys.argv[1]).absolute()), pathlib.Path(sys.argv[2])
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)

expect.set_options(timeout=20_000)

DESKTOP = {"viewport": {"width": 1280, "height": 800}}


def heading(page, name):
    expect(page.get_by_role("heading", level=2, name=name, exact=True)).to_be_visible()


def focused(page):
    return page.evaluate("document.activeElement.id || document.activeElement.tagName")


def shot(page, name, **options):
    page.wait_for_timeout(300)
    page.screenshot(path=folder / f"{name}.png", **options)


def go(page, tab):
    page.get_by_role("tab", name=tab).click()
    expect(page.get_by_role("tab", name=tab)).to_have_attribute("aria-selected", "true")


def sign_in(page, facts):
    heading(page, "Welcome to Nova")
    page.get_by_label("E-mail").fill(facts["email"])
    page.get_by_label("Password", exact=True).fill(facts["password"])
    page.get_by_role("button", name="Sign in", exact=True).click()
    heading(page, "Feed")
    expect(page.locator("#feed article").first).to_be_visible()


def sign_out(page):
    go(page, "Profile")
    # Pictures that are under way are not there any more after a sign-out, which the browser would note.
    page.wait_for_load_state("networkidle")
    page.get_by_role("button", name="Sign out").click()
    page.get_by_role("dialog").get_by_role("button", name="Sign out").click()
    heading(page, "Welcome to Nova")


def pictures(page):
    """The pictures that can be seen are there."""
    until(page, """[...document.querySelectorAll("main k-thumb[src]")].every((thumb) => {
        const { top, bottom, height } = thumb.getBoundingClientRect();
        return !height || bottom < 0 || top > innerHeight || thumb.dataset.state === "shown";
    })""")


def first_use(browser, program):
    """From a wrong password to the end of the feed."""
    tab = Tab(browser.new_context(**DESKTOP))
    page = tab.page
    page.goto(program.page)
    heading(page, "Welcome to Nova")
    check("token" not in page.url, "the token is not in the address any more")
    expect(page.locator("#account")).to_contain_text(program.facts["email"])
    check(page.get_by_role("alert").count() == 0, "nothing is wrong before anything was done")
    shot(page, "01-sign-in")
    accessible(page, "the sign-in")
    page.get_by_label("E-mail").fill("ada")
    page.get_by_role("button", name="Sign in", exact=True).click()
    expect(page.get_by_label("E-mail")).to_have_attribute("aria-invalid", "true")
    check(focused(page) == page.get_by_label("E-mail").get_attribute("id"), "a field that is wrong has the focus")
    accessible(page, "fields that are wrong")
    page.get_by_label("E-mail").fill(program.facts["email"])
    page.get_by_label("Password", exact=True).fill("wrong-password-7")
    page.get_by_role("button", name="Sign in", exact=True).click()
    alert = page.get_by_role("alert").filter(has_text="You are not signed in")
    expect(alert).to_contain_text("The e-mail address or the password is wrong.")
    shot(page, "02-wrong-password")
    accessible(page, "a wrong password")
    alert.get_by_role("button", name="Close").click()
    sign_in(page, program.facts)
    check(not any("wrong-password-7" in frame for frame in tab.frames), "no password that is typed goes through the socket")
    check(focused(page) == "feed-title", "the heading of the feed has the focus")
    pictures(page)
    shot(page, "03-feed")
    accessible(page, "the feed")
    scroll(page)
    check(not tab.troubles, f"nothing went wrong in the browser: {tab.troubles}")
    page.context.close()


def scroll(page):
    """Scrolling brings 45 posts in three pages, and then no more."""
    end = page.locator("#feed .last")
    for _ in range(400):
        if end.is_visible():
            break
        page.mouse.wheel(0, 3_000)
        page.wait_for_timeout(50)
    expect(end).to_have_text("There is nothing older.")
    count = page.evaluate("document.querySelector('#feed').now.items.length")
    check(count == 45, f"scrolling loads all of the 45 posts, each once: {count}")
    page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")


def likes(page):
    """A like is on the screen before Nova has answered, and can be taken back."""
    like = page.locator("#feed article").first.locator("[data-role=like]")
    count = int(like.inner_text())
    was = like.get_attribute("aria-pressed")
    step = 1 if was == "false" else -1
    like.click()
    expect(like).to_have_attribute("aria-pressed", "true" if step == 1 else "false", timeout=1_000)
    expect(like).to_have_text(str(count + step))
    expect(page.locator("#feed article").first.locator(".waits")).to_have_text("")
    like.click()
    expect(like).to_have_text(str(count))
    expect(like).to_have_attribute("aria-pressed", was)
    check(True, "a like is seen at once, and so is that it was taken back")


def comments(page):
    """A post, what is said about it, and Back."""
    card = page.locator("#feed article").nth(1)
    name = card.locator("[data-role=author]").inner_text()
    card.locator("[data-role=open]").click()
    heading(page, "Post")
    check(re.search("#/feed/posts-", page.url) is not None and focused(page) == "post-title", "a post has the focus, and an address")
    expect(page.locator("#post-card [data-role=author]")).to_have_text(name)
    pictures(page)
    shot(page, "04-post")
    accessible(page, "a post")
    page.reload()
    heading(page, "Post")
    page.locator("#post-card [data-role=comments]").click()
    heading(page, "Comments")
    field = page.get_by_label("Your comment")
    field.fill("   ")
    page.get_by_role("button", name="Send").click()
    field.fill("Was für ein Licht! ☀️")
    page.get_by_role("button", name="Send").click()
    first = page.locator("#comment-list article").first
    expect(first).to_contain_text("Was für ein Licht! ☀️")
    expect(first.locator(".state")).to_be_hidden()
    expect(field).to_have_value("")
    check(page.locator("#comment-list article").filter(has_text="Was für ein Licht").count() == 1, "a comment is at the top, once, and a blank one is not sent")
    shot(page, "05-comments")
    accessible(page, "the comments")
    page.get_by_role("button", name="Back").click()
    heading(page, "Post")
    page.get_by_role("button", name="Back").click()
    heading(page, "Feed")
    check(True, "Back leads from the comments to the post, and to the feed")


def search(page):
    """People are found while one types, and opened."""
    go(page, "Search")
    page.get_by_label("People").first.press_sequentially("grace", delay=30)
    result = page.locator("#results li").first
    expect(result).to_contain_text("@grace")
    shot(page, "06-search")
    accessible(page, "the search")
    result.get_by_role("button").click()
    heading(page, "Grace")
    expect(page.locator("#person")).to_contain_text("followers")
    pictures(page)
    shot(page, "07-person")
    accessible(page, "a person")
    page.get_by_role("button", name="Back").click()
    heading(page, "Search")
    page.get_by_label("People").first.fill("nobody-at-all")
    expect(page.locator("#search-status")).to_have_text("No people found.")
    check(True, "people are found while one types")


def photo(width, height):
    """A photo with a colour in each corner, as a JPEG file that is to be turned."""
    picture = Image.new("RGB", (width, height), (90, 140, 200))
    picture.paste((220, 60, 40), (0, 0, width // 2, height // 2))
    exif = Image.Exif()
    exif[0x0112] = 6
    file = io.BytesIO()
    picture.save(file, "JPEG", quality=95, exif=exif)
    return file.getvalue()


def colour(page, selector, across, down):
    """The colour of a picture at a place in fractions."""
    return page.evaluate(
        """([selector, across, down]) => {
          const image = document.querySelector(selector);
          const canvas = document.createElement("canvas");
          [canvas.width, canvas.height] = [image.naturalWidth, image.naturalHeight];
          const context = canvas.getContext("2d");
          context.drawImage(image, 0, 0);
          return [...context.getImageData(across * canvas.width, down * canvas.height, 1, 1).data];
        }""",
        [selector, across, down],
    )


def pick(page, width=1_600, height=1_200):
    go(page, "Create")
    page.locator("#file").set_input_files({"name": "photo.jpg", "mimeType": "image/jpeg", "buffer": photo(width, height)})
    expect(page.locator("#create-edit")).to_be_visible()
    until(page, "document.getElementById('crop').dataset.state === 'shown'")


def publish(page, program):
    """A file that is no picture, a photo of the library, and one of the user's own with crop and filter."""
    go(page, "Create")
    page.locator("#file").set_input_files({"name": "photo.jpg", "mimeType": "image/jpeg", "buffer": b"no picture"})
    alert = page.get_by_role("alert").filter(has_text="The photo cannot be used")
    expect(alert).to_contain_text("This picture cannot be read.")
    alert.get_by_role("button", name="Close").click()
    pictures(page)
    shot(page, "08-create")
    accessible(page, "the choice of a photo")
    page.get_by_role("button", name="Photo 1", exact=True).click()
    expect(page.locator("#create-edit")).to_be_visible()
    until(page, "document.getElementById('crop').dataset.state === 'shown'")
    page.get_by_role("button", name="Cancel").click()
    expect(page.locator("#create-pick")).to_be_visible()
    check(True, "an edit that is cancelled leads back to the choice of a photo")
    pick(page)
    page.get_by_role("button", name="Square").click()
    page.get_by_role("button", name="Sepia").click()
    expect(page.get_by_role("button", name="Sepia")).to_have_attribute("aria-pressed", "true")
    pictures(page)
    check(colour(page, "#filters [data-value=original] img", 0.75, 0.25)[0] > 200, "a filter shows the photo that is being edited")
    shot(page, "09-edit")
    accessible(page, "the edit")
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("#create-publish")).to_be_visible()
    until(page, "document.getElementById('publish-picture').naturalWidth === 1200 && document.getElementById('publish-picture').naturalHeight === 1200")
    check(True, "the photo is upright, square, and as large as it was")
    page.get_by_label("Caption").fill("From the harbour")
    shot(page, "10-publish")
    accessible(page, "the form of a post")
    page.get_by_role("button", name="Publish").click()
    heading(page, "Feed")
    first = page.locator("#feed article").first
    expect(first.locator(".caption")).to_have_text("From the harbour")
    pictures(page)
    check(page.locator("#feed article .caption", has_text="From the harbour").count() == 1, "the new post is on top of the feed, once")
    shot(page, "11-published")


def aeroplane(page):
    """Without a network likes, comments and photos are kept, and sent once it is back."""
    switch = page.get_by_role("switch", name="Aeroplane mode")
    page.locator("#feed article").nth(3).locator("[data-role=open]").scroll_into_view_if_needed()
    page.evaluate("scrollTo({ top: 0, behavior: 'instant' })")
    switch.check()
    until(page, "!document.getElementById('aeroplane').isBusy")
    card = page.locator("#feed article").nth(1)
    like = card.locator("[data-role=like]")
    was = like.get_attribute("aria-pressed")
    like.click()
    expect(like).not_to_have_attribute("aria-pressed", was)
    expect(card.locator(".waits")).to_have_text("Waiting to send")
    expect(page.locator("#network")).to_have_text("No connection · 1 waiting")
    card.locator("[data-role=comments]").click()
    heading(page, "Comments")
    page.get_by_label("Your comment").fill("Written in the air")
    page.get_by_role("button", name="Send").click()
    first = page.locator("#comment-list article").first
    expect(first).to_contain_text("Written in the air")
    expect(first.locator(".state")).to_have_text("Waiting to send")
    expect(page.locator("#network")).to_have_text("No connection · 2 waiting")
    shot(page, "12-aeroplane")
    accessible(page, "aeroplane mode")
    page.get_by_role("button", name="Back").click()
    pick(page, 800, 600)
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("button", name="Publish").click()
    alert = page.get_by_role("alert").filter(has_text="Your post was not published")
    expect(alert).to_contain_text("Failed to prepare upload")
    shot(page, "13-not-prepared")
    accessible(page, "an upload that is not prepared")
    switch.uncheck()
    until(page, "!document.getElementById('aeroplane').isBusy")
    alert.get_by_role("button", name="Try again").click()
    heading(page, "Feed")
    expect(page.locator("#network")).to_have_text("", timeout=90_000)
    expect(page.locator("#pending")).to_have_text("Everything is sent.")
    check(True, "what was done in the air is at Nova once the network is back")


def notifications(page):
    page.get_by_role("button", name="Let others react").click()
    go(page, "Notifications")
    notice = page.locator("#notifications article").filter(has_text="commented on your post").first
    expect(notice).to_be_visible()
    pictures(page)
    shot(page, "14-notifications")
    accessible(page, "the notifications")
    notice.get_by_role("button").click()
    heading(page, "Comments")
    expect(page.locator("#comment-list")).to_contain_text("I like how the light falls.")
    check(True, "a notification of a comment leads to the comments")


def profile(page):
    go(page, "Profile")
    heading(page, "Ada")
    expect(page.locator("#own .grid li").first).to_be_visible()
    pictures(page)
    shot(page, "15-profile")
    accessible(page, "the profile")
    page.get_by_role("button", name="Edit profile").click()
    heading(page, "Edit your profile")
    page.get_by_label("Name", exact=True).fill("")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_label("Name", exact=True)).to_have_attribute("aria-invalid", "true")
    page.get_by_label("Name", exact=True).fill("Ada L.")
    page.get_by_label("About you", exact=True).fill("Light, and\nsome shadow.")
    page.locator("#avatar-file").set_input_files({"name": "me.jpg", "mimeType": "image/jpeg", "buffer": photo(400, 400)})
    until(page, "document.querySelector('#edit-face k-thumb').getAttribute('src')?.startsWith('/avatar') && document.querySelector('#edit-face k-thumb').dataset.state === 'shown'")
    shot(page, "16-edit-profile")
    accessible(page, "the form of the profile")
    page.get_by_role("button", name="Save").click()
    heading(page, "Ada L.")
    expect(page.locator("#own .bio")).to_contain_text("some shadow.")
    pictures(page)
    check(True, "a profile that is edited is shown as it is now")


def uses(browser, program):
    tab = Tab(browser.new_context(**DESKTOP))
    page = tab.page
    page.goto(program.page)
    heading(page, "Feed")
    expect(page.locator("#feed article").first).to_be_visible()
    likes(page)
    comments(page)
    search(page)
    publish(page, program)
    # Pictures that are not there yet do not come without a network, which the browser notes.
    tab.expects_outage = True
    aeroplane(page)
    page.wait_for_timeout(500)
    tab.expects_outage = False
    notifications(page)
    profile(page)
    other = Tab(page.context)
    other.page.goto(program.page)
    heading(other.page, "Feed")
    go(page, "Feed")
    like = page.locator("#feed article").first.locator("[data-role=like]")
    same = other.page.locator("#feed article").first.locator("[data-role=like]")
    expect(same).to_have_attribute("aria-pressed", like.get_attribute("aria-pressed"))
    was = like.get_attribute("aria-pressed")
    like.click()
    expect(same).not_to_have_attribute("aria-pressed", was)
    check(True, "a like in one tab is seen in the other")
    check(not other.troubles, f"nothing went wrong in the other tab: {other.troubles}")
    other.page.close()
    go(page, "Profile")
    page.get_by_role("button", name="Sign out").click()
    shot(page, "17-question")
    accessible(page, "the question")
    page.keyboard.press("Escape")
    sign_out(page)
    check(page.evaluate("document.querySelector('#feed').now.items.length") == 0, "after a sign-out no post is left")
    expect(page.get_by_label("Password", exact=True)).to_have_value("")
    page.get_by_role("button", name="Sign in with Apple").click()
    dialog = page.get_by_role("dialog")
    dialog.get_by_role("button", name="Cancel").click()
    heading(page, "Welcome to Nova")
    page.get_by_role("button", name="Sign in with Apple").click()
    dialog.get_by_role("button", name="Go on").click()
    heading(page, "Feed")
    go(page, "Profile")
    heading(page, "Ada Private")
    check(True, "the simulated issuer signs in another account; whoever cancels stays signed out")
    sign_out(page)
    page.get_by_role("button", name="Create an account").click()
    page.get_by_label("Username").fill("ada")
    page.get_by_label("E-mail").fill("new@nova.example")
    page.get_by_label("Password", exact=True).fill("a-new-password")
    page.get_by_role("button", name="Sign up").click()
    expect(page.get_by_role("alert").filter(has_text="Your account was not made")).to_be_visible()
    shot(page, "18-sign-up")
    accessible(page, "a name that is taken")
    page.get_by_label("Username").fill("newcomer")
    page.get_by_role("button", name="Sign up").click()
    heading(page, "Feed")
    check(True, "a new account is made under a name that is free")
    sign_out(page)
    check(not tab.troubles, f"nothing went wrong in the browser: {tab.troubles}")
    page.context.close()


def kept(browser, world):
    """A program that speaks to the Nova of another one: what waits outlives its end, and goes out afterwards."""
    for wrong in (["--url", "http://example.org"], ["--url", "http://127.0.0.1:1", "--posts", "3"], ["--port", "70000"]):
        check(subprocess.run([nova, *wrong], capture_output=True).returncode == 64, f"{' '.join(wrong)} is refused")
    data = ["--folder", str(folder / "kept"), "--url", world.facts["url"]]
    program = Program(nova, *data, "--port", "0")
    beside, tab = (Tab(browser.new_context(**DESKTOP)) for _ in range(2))
    beside.page.goto(world.page)
    page = tab.page
    page.goto(program.page)
    expect(page.locator("#around")).to_be_hidden()
    expect(page.get_by_role("button", name="Sign in with Apple")).to_be_hidden()
    sign_in(page, world.facts)
    pictures(page)
    tab.expects_outage = True
    beside.page.get_by_role("switch", name="Aeroplane mode").check()
    until(beside.page, "!document.getElementById('aeroplane').isBusy")
    card = page.locator("#feed article").first
    was = card.locator("[data-role=like]").get_attribute("aria-pressed")
    card.locator("[data-role=like]").click()
    expect(page.locator("#network")).to_contain_text("No connection")
    program.kill()
    expect(page.get_by_role("alert").filter(has_text="Nova cannot be reached")).to_be_visible()
    shot(page, "19-killed")
    beside.page.get_by_role("switch", name="Aeroplane mode").uncheck()
    until(beside.page, "!document.getElementById('aeroplane').isBusy")
    again = Program(nova, *data)
    check(again.page == program.page, "a program that is started again has the same address")
    expect(card.locator("[data-role=like]")).not_to_have_attribute("aria-pressed", was)
    expect(page.locator("#network")).to_have_text("", timeout=90_000)
    page.get_by_role("button", name="Refresh").click()
    expect(card.locator("[data-role=like]")).not_to_have_attribute("aria-pressed", was)
    check(True, "a like that waited outlives the program, and is at Nova afterwards")
    check(again.quit() == 0, "SIGTERM ends the program with 0")
    for one in (page, beside.page):
        one.context.close()


def looks(browser, program):
    """Dark, on a phone, at 200 %, with colours of the user's own."""
    for name, options in {
        "dark": {**DESKTOP, "color_scheme": "dark"},
        "phone": {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True, "device_scale_factor": 2},
        # 1280 × 800 at 200 %.
        "zoomed": {"viewport": {"width": 640, "height": 400}, "device_scale_factor": 2},
        "forced": {**DESKTOP, "forced_colors": "active"},
        "still": {"viewport": {"width": 320, "height": 640}, "reduced_motion": "reduce"},
    }.items():
        tab = Tab(browser.new_context(**options))
        page = tab.page
        page.goto(program.page)
        heading(page, "Welcome to Nova")
        shot(page, f"{name}-1-sign-in", full_page=True)
        accessible(page, f"{name}: the sign-in")
        sign_in(page, program.facts)
        pictures(page)
        if name == "still":
            until(page, "document.getAnimations().length === 0")
        shot(page, f"{name}-2-feed")
        accessible(page, f"{name}: the feed")
        go(page, "Create")
        page.get_by_role("button", name="Photo 2", exact=True).click()
        until(page, "document.getElementById('crop').dataset.state === 'shown'")
        pictures(page)
        shot(page, f"{name}-3-edit", full_page=True)
        accessible(page, f"{name}: the edit")
        page.get_by_role("button", name="Cancel").click()
        go(page, "Profile")
        pictures(page)
        shot(page, f"{name}-4-profile", full_page=True)
        accessible(page, f"{name}: the profile")
        sign_out(page)
        check(not tab.troubles, f"{name}: nothing went wrong in the browser {tab.troubles}")
        page.context.close()


def main():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path="/usr/bin/chromium", args=["--no-sandbox"])
        program = Program(nova, "--folder", str(folder / "data"), "--port", "0")
        first_use(browser, program)
        uses(browser, program)
        kept(browser, program)
        looks(browser, program)
        check(program.quit() == 0, "SIGTERM ends the program with 0")
        browser.close()
    print("all of Nova's page works", flush=True)


main()
