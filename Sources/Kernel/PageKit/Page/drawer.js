// What lies behind the screens of a recording: how much happened where over its time, the entries around the moment, and one of them whole.

import { make, setText } from "./elements.js";
import { integer, moment } from "./format.js";

const space = "http://www.w3.org/2000/svg";
/// What can be asked for, by the names that `lenssim inspect --only` knows.
const kinds = {
  Everything: [],
  Network: ["http", "websocket", "udp", "interfaces", "lookup"],
  Screens: ["states"],
  Actions: ["actions"],
  Camera: ["captures"],
  World: ["events"],
};
const ways = { out: ["→", "sent"], in: ["←", "received"], action: ["●", "done"], state: ["▢", "shown"], event: ["◆", "event"], capture: ["◉", "capture"] };
/// How long somebody types or moves the time before the entries are asked for, in milliseconds.
const pause = 150;

export class Drawer {
  constructor(replay) {
    this.replay = replay;
    this.isOpen = false;
    this.query = { kinds: [], text: "", failures: false };
    /// The address of the entry that the page was brought to; none after another step.
    this.address = null;
    this.make();
  }

  // Opening it

  toggle() {
    if (this.isOpen) this.close();
    else this.open();
  }

  /// Opens it, at an entry by its name where there is one.
  open(name) {
    if (!this.isOpen) {
      this.isOpen = true;
      this.element.hidden = false;
      this.button.setAttribute("aria-expanded", "true");
      if (!this.lanes) this.ask({ lanes: {} });
    }
    if (name) this.choose(name);
    else this.follow();
  }

  close() {
    this.isOpen = false;
    this.element.hidden = true;
    this.button.setAttribute("aria-expanded", "false");
    this.leave();
    this.replay.writePlace();
  }

  /// The page goes on from the entry that it was brought to.
  leave() {
    this.address = null;
  }

  // What the server says

  takeLanes(lanes) {
    this.lanes = lanes;
    this.film.hidden = lanes.film.length === 0;
    this.reel.replaceChildren(...lanes.film.map((part) => this.picture(part)));
    this.chart.replaceChildren(this.film, ...lanes.lanes.map((lane) => this.lane(lane)));
    this.renderTime();
  }

  takeEntries({ seconds: time, items, hasEarlier, hasLater }) {
    const note = (isThere, text) => (isThere ? make("li", { class: "fine" }, text) : null);
    const none = items.length ? null : make("li", { class: "fine" }, "Nothing like that around this moment.");
    const had = this.list.contains(document.activeElement);
    const behind = items.findIndex(({ seconds }) => seconds > time);
    const rows = items.map((item) => this.row(item));
    rows.splice(behind < 0 ? rows.length : behind, 0, make("li", { class: "now" }, make("span", {}, moment(time))));
    this.list.replaceChildren(...[note(hasEarlier, "earlier …"), ...rows, none, note(hasLater, "… later")].filter(Boolean));
    this.renderChosen();
    const chosen = this.list.querySelector("[aria-current]") ?? this.list.querySelector(".now");
    this.list.scrollTop = chosen.offsetTop - this.list.clientHeight / 2;
    if (had) (this.list.querySelector("[aria-current]") ?? this.list).focus();
  }

  takeEntry(entry) {
    const isArrival = this.arriving === entry.id;
    this.arriving = null;
    setText(this.title, `${entry.id} · ${entry.seconds.toFixed(6)} s · ${entry.place} · ${integer(entry.bytes)} bytes`);
    const cell = (text, name) => make("td", { class: name }, text);
    this.changes.replaceChildren(
      ...(entry.changes ?? []).map(({ path, old, new: now }) => make("tr", {}, make("th", { scope: "row" }, path || "all"), cell(old, "old"), cell(now, "new"))),
    );
    this.changed.hidden = !entry.changes;
    setText(this.changed.caption, entry.changes?.length ? "What changed in this state" : "The same as the state before");
    setText(this.text, entry.text + (entry.isCut ? "\n…" : ""));
    this.detail.hidden = false;
    this.detail.scrollTop = 0;
    if (!isArrival) return;
    if (entry.event) this.replay.go(entry.event);
    else this.replay.seek(entry.seconds);
  }

  // Asking for it

  async ask(action) {
    try {
      await this.replay.connection.send("recording", action);
      setText(this.trouble, "");
    } catch (error) {
      if (error.message === "slow") setText(this.trouble, "This takes long. Narrow what is listed.");
      else if (error.message !== "lost" && error.message !== "unknown") setText(this.trouble, "This part of the recording cannot be read: its file is damaged, or has no such entry.");
    }
  }

  /// Asks for entries. Of several that are asked for while one answer is on its way, the last one counts.
  async askForEntries(query) {
    this.wanted = query;
    if (this.isAsking) return;
    this.isAsking = true;
    while (this.wanted) {
      const query = this.wanted;
      this.wanted = null;
      await this.ask({ entries: { _0: query } });
    }
    this.isAsking = false;
  }

  /// The entries around the time are shown once it rests.
  follow() {
    clearTimeout(this.timer);
    if (!this.isOpen || this.replay.isPlaying || !this.replay.place) return;
    this.timer = setTimeout(() => {
      this.askForEntries({ ...this.query, seconds: this.replay.time });
    }, pause);
  }

  /// Shows an entry whole, and the app as it was then.
  choose(id) {
    this.chosen = this.arriving = id;
    this.address = `#entry=${id}`;
    this.replay.pause();
    this.renderChosen();
    this.ask({ entry: { _0: id } });
  }

  // Showing it

  renderTime() {
    if (!this.lanes || !this.isOpen) return;
    const { start, end } = this.lanes;
    const length = Math.max(end - start, 1) / 1e9;
    const at = Math.min(Math.max((this.replay.time - start / 1e9) / length, 0), 1);
    this.chart.style.setProperty("--at", at);
  }

  renderChosen() {
    for (const button of this.list.querySelectorAll("button")) {
      if (button.dataset.id === this.chosen) button.setAttribute("aria-current", "true");
      else button.removeAttribute("aria-current");
    }
  }

  row({ id, seconds, place, way, text, isFailure }) {
    const [sign, word] = ways[way];
    const cell = (name, ...children) => make("span", { class: name }, ...children);
    return make(
      "li",
      {},
      make(
        "button",
        { "data-id": id, class: isFailure ? "entry failed" : "entry", onclick: () => this.choose(id) },
        cell("when", seconds.toFixed(3)),
        cell("where", place),
        make("span", { class: "way", role: "img", "aria-label": isFailure ? `${word}, failed` : word }, sign),
        cell("what", text),
      ),
    );
  }

  /// A lane: bars for the parts of the time in which something happened, in red where something failed.
  lane({ name, kind, counts, failures }) {
    const svg = document.createElementNS(space, "svg");
    svg.setAttribute("viewBox", `0 0 ${counts.length} 10`);
    svg.setAttribute("preserveAspectRatio", "none");
    const most = Math.log1p(Math.max(...counts));
    const path = (values, look) => {
      const bars = values.map((value, at) => {
        if (!value) return "";
        const height = 3 + (7 * Math.log1p(value)) / most;
        return `M${at} 10v${-height}h1v${height}z`;
      });
      const drawn = document.createElementNS(space, "path");
      drawn.setAttribute("class", look);
      drawn.setAttribute("d", bars.join(""));
      svg.append(drawn);
    };
    path(counts, "some");
    path(failures, "failed");
    const sum = (values) => values.reduce((sum, value) => sum + value, 0);
    const failed = sum(failures);
    const words = `${name}, ${kind}: ${integer(sum(counts))} entries${failed ? `, ${integer(failed)} failed` : ""}`;
    const strip = make("div", { class: "strip", onclick: (event) => this.seek(event) }, svg);
    return make("div", { class: "lane", role: "img", "aria-label": words, title: words }, make("span", { class: "name" }, name), make("span", { class: "fine" }, kind), strip);
  }

  /// A picture of the film, in its part of the time.
  picture(part) {
    const image = make("img", { src: `/film/${part}`, alt: "", draggable: "false" });
    image.style.gridColumn = part + 1;
    return image;
  }

  seek(event) {
    const box = event.currentTarget.getBoundingClientRect();
    const { start, end } = this.lanes;
    this.leave();
    this.replay.pause();
    this.replay.seek((start + ((event.clientX - box.left) / box.width) * (end - start)) / 1e9);
  }

  make() {
    this.button = make("button", { class: "drawer-button", "aria-expanded": "false", "aria-controls": "drawer", onclick: () => this.toggle() }, "What happened");
    this.reel = make("div", { class: "strip reel", onclick: (event) => this.seek(event) });
    this.film = make("div", { class: "lane", role: "img", "aria-label": "What the camera saw", hidden: true }, make("span", { class: "name" }, "film"), make("span", { class: "fine" }, "camera"), this.reel);
    this.chart = make("div", { class: "lanes", role: "group", tabindex: 0, "aria-label": "How much happened where" });
    this.trouble = make("p", { class: "trouble", role: "status" });
    const changed = (change) => {
      Object.assign(this.query, change);
      this.follow();
    };
    const kind = make("select", { "aria-label": "What is listed", onchange: () => changed({ kinds: kinds[kind.value] }) }, ...Object.keys(kinds).map((name) => make("option", {}, name)));
    const text = make("input", { type: "search", placeholder: "Search, letter by letter", "aria-label": "Text to search for", oninput: () => changed({ text: text.value }) });
    const failures = make("input", { type: "checkbox", onchange: () => changed({ failures: failures.checked }) });
    this.list = make("ol", { class: "entries", tabindex: -1, "aria-label": "Entries around the moment", onkeydown: (event) => this.move(event) });
    this.title = make("p", { class: "fine" });
    this.changes = make("tbody");
    this.changed = make("table", { hidden: true }, make("caption"), this.changes);
    this.text = make("pre", { tabindex: 0, role: "group", "aria-label": "All that the entry says" });
    this.detail = make("div", { class: "detail", hidden: true, tabindex: 0, role: "group", "aria-label": "The entry" }, this.title, this.changed, this.text);
    this.element = make(
      "div",
      { class: "drawer", id: "drawer", hidden: true },
      this.chart,
      make("div", { class: "filters" }, kind, text, make("label", {}, failures, " Failures")),
      this.trouble,
      make("div", { class: "halves" }, this.list, this.detail),
    );
  }

  /// The arrows go from entry to entry.
  move(event) {
    const by = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const rows = [...this.list.querySelectorAll("button")];
    const next = rows[rows.indexOf(document.activeElement) + by];
    if (!by || !next) return;
    event.preventDefault();
    next.focus();
    this.choose(next.dataset.id);
  }
}
