// A list without an end in either direction, the newest item at its top: more is loaded while it is scrolled, and new items do not move what is read.
//
//   <k-feed label="Events" empty="No events yet." end="That is all."></k-feed>
//
// `shows = { key, make, update, name }` says how an item is shown: as `list` has it, and what it is called. `state` is
// `{ items, older, newer }`, the newest item first; `older` and `newer` are `more` where there is more, `loading`, `failed`, or `end`. Acts with
// `{ older: {} }` and `{ newer: {} }` where more is wanted, also to try again.

import { giveFocus, make, say, setText } from "./elements.js";
import { integer } from "./format.js";
import { list } from "./list.js";

/// So many items more are shown each time an end is near, in pixels; and so many are elements at most, so that thousands cost no more than these.
const step = 40;
const near = 600;
const limit = 240;

export class Feed extends HTMLElement {
  connectedCallback() {
    if (this.list) return;
    [this.start, this.end] = [0, step];
    this.unseen = 0;
    this.list = make("div", { role: "feed", "aria-label": this.getAttribute("label") });
    this.pill = make("button", { class: "primary small news", hidden: true, onclick: () => this.toTop() });
    this.status = make("p", { class: "hidden", role: "status" });
    this.ends = { newer: this.makeEnd("newer"), older: this.makeEnd("older") };
    this.nothing = make("p", { class: "empty center", hidden: true }, this.getAttribute("empty"));
    this.append(this.pill, this.status, this.ends.newer, this.list, this.nothing, this.ends.older);
    this.list.addEventListener("keydown", (event) => this.press(event));
    // One that scrolls itself, or the page.
    this.scroller = getComputedStyle(this).overflowY === "auto" ? this : document.scrollingElement;
    const root = this.scroller === this ? this : null;
    this.watcher = new IntersectionObserver((entries) => this.see(entries), { root, rootMargin: `${near}px 0px` });
    for (const end of Object.values(this.ends)) this.watcher.observe(end);
    const top = new IntersectionObserver(([entry]) => this.reach(entry.isIntersecting), { root });
    top.observe(this.ends.newer);
  }

  /// What stands at an end: shapes while more comes, a way to try again, or that there is nothing more.
  makeEnd(name) {
    const again = make("button", { class: "quiet small", onclick: () => say(this, { [name]: {} }) }, "Try again");
    return make(
      "div",
      { class: "feed-end", "data-end": name },
      make("div", { class: "waiting", "aria-hidden": "true" }, make("span"), make("span")),
      make("p", { class: "failed" }, "This could not be loaded. ", again),
      name === "older" ? make("p", { class: "last fine center" }, this.getAttribute("end")) : null,
    );
  }

  // More

  see(entries) {
    for (const { target, isIntersecting } of entries) {
      target.isNear = isIntersecting;
      if (isIntersecting) this.want(target.dataset.end);
    }
  }

  /// Shows more of what is there and less at the other end, or asks for more.
  want(name) {
    if (!this.now || !this.ends[name].isNear) return;
    if (name === "older" && this.end < this.now.items.length) this.show(Math.max(this.start, this.end + step - limit), this.end + step);
    else if (name === "newer" && this.start > 0) this.show(this.start - step, Math.min(this.end, this.start - step + limit));
    else if (this.now[name] === "more") say(this, { [name]: {} });
  }

  show(start, end) {
    [this.start, this.end] = [Math.max(0, start), end];
    this.render();
  }

  /// An end that is still near is not seen again by itself.
  watchAgain() {
    for (const end of Object.values(this.ends)) {
      this.watcher.unobserve(end);
      this.watcher.observe(end);
    }
  }

  // What is shown

  set state(state) {
    this.now = state;
    const places = new Map(state.items.map((item, index) => [String(this.shows.key(item)), index]));
    const news = places.get(this.newest);
    [this.newest] = places.keys();
    if (news && !this.isAtTop) this.unseen += news;
    this.show(...this.shownAmong(places));
  }

  /// Where the items that are shown begin and end in a new state: they stay shown, whatever has come or gone above them.
  shownAmong(places) {
    if (this.isAtTop) return [0, this.end];
    const shown = [...this.list.children].map((child) => child.dataset.key);
    const kept = shown.findIndex((key) => places.has(key));
    if (kept < 0) return [0, step];
    const start = Math.max(0, places.get(shown[kept]) - kept);
    return [start, start + this.end - this.start];
  }

  render() {
    const { items, older, newer } = this.now;
    const anchor = this.isAtTop ? undefined : this.firstVisible();
    const top = anchor?.getBoundingClientRect().top;
    list(this.list, items.slice(this.start, this.end), { key: this.shows.key, make: (item) => this.article(item), update: this.shows.update }, this.pill);
    this.renderNews();
    // What is read stays where it is.
    if (anchor?.isConnected) this.scroller.scrollTop += anchor.getBoundingClientRect().top - top;
    this.number(older === "end" && newer === "end" ? items.length : -1);
    this.ends.older.dataset.state = this.end < items.length ? "more" : older;
    this.ends.newer.dataset.state = this.start > 0 ? "more" : newer;
    this.list.ariaBusy = String(older === "loading" || newer === "loading");
    this.nothing.hidden = items.length > 0 || older !== "end";
    // A feed has items, or is busy.
    this.list.hidden = items.length === 0 && older !== "loading";
    this.watchAgain();
  }

  /// Says which of how many each item is; -1 for an unknown number.
  number(count) {
    let place = this.start;
    for (const article of this.list.children) {
      place += 1;
      if (article.ariaPosInSet !== String(place)) article.ariaPosInSet = String(place);
      if (article.ariaSetSize !== String(count)) article.ariaSetSize = String(count);
    }
  }

  article(item) {
    const article = this.shows.make(item);
    article.setAttribute("role", "article");
    article.setAttribute("aria-label", this.shows.name(item));
    article.tabIndex = 0;
    return article;
  }

  /// The first item that is not above the window.
  firstVisible() {
    const edge = this.scroller === this ? this.getBoundingClientRect().top : 0;
    const { children } = this.list;
    let [low, high] = [0, children.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (children[middle].getBoundingClientRect().bottom > edge) high = middle;
      else low = middle + 1;
    }
    return children[low];
  }

  // What is new

  reach(isTopVisible) {
    this.isTopVisible = isTopVisible;
    if (this.isAtTop) this.unseen = 0;
    this.renderNews();
  }

  get isAtTop() {
    return Boolean(this.isTopVisible) && this.start === 0;
  }

  renderNews() {
    const text = this.unseen ? `${integer(this.unseen)} new` : "";
    if (!text && this.pill === document.activeElement) giveFocus(this.list.firstElementChild);
    this.pill.hidden = !text;
    setText(this.pill, text);
    setText(this.status, text);
  }

  toTop() {
    this.show(0, step);
    this.scroller.scrollTop = this.scroller === this ? 0 : this.scroller.scrollTop + this.getBoundingClientRect().top;
    this.list.firstElementChild?.focus({ preventScroll: true });
  }

  /// As https://www.w3.org/WAI/ARIA/apg/patterns/feed/ has it.
  press(event) {
    const articles = [...this.list.children];
    const at = articles.indexOf(event.target.closest("[role=article]"));
    const places = { PageDown: at + 1, PageUp: at - 1 };
    if (!(event.key in places)) return;
    event.preventDefault();
    articles[places[event.key]]?.focus();
  }
}

customElements.define("k-feed", Feed);
