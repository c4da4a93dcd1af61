// A recording on the page: time, what was done, and the way to any moment. What is shown cannot be changed.

import { Drawer } from "./drawer.js";
import { $, appName, make, setText } from "./elements.js";
import { dateAndTime, moment } from "./format.js";
import { Marks } from "./marks.js";

const speeds = [1, 4, 16];
const icons = {
  play: "M8 5.500v13l10.500-6.500z",
  pause: "M8.500 5.500v13M15.500 5.500v13",
  back: "M17 6v12l-8-6zM6.500 6v12",
  on: "M7 6v12l8-6zM17.500 6v12",
};

function icon(path) {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  svg.append(document.createElementNS(space, "path"));
  svg.firstChild.setAttribute("d", path);
  return svg;
}

export class Replay {
  /// `onPlace` is called with each place that is shown, once the states are there that belong to it.
  constructor(connection, onPlace = () => {}) {
    this.connection = connection;
    this.onPlace = onPlace;
    this.time = 0;
    this.speed = 1;
    this.drawer = new Drawer(this);
    this.marks = new Marks(this);
    this.make();
    this.guard();
    addEventListener("hashchange", () => this.follow());
  }

  /// Takes a state that is about the recording; false for one of the app's screens.
  take(screen, state) {
    if (screen === "recording") this.takeFacts(state);
    else if (screen === "place") this.takePlace(state);
    else if (screen === "actions") this.takeActions(state);
    else if (screen === "marks") this.marks.take(state);
    else if (screen === "lanes") this.drawer.takeLanes(state);
    else if (screen === "entries") this.drawer.takeEntries(state);
    else if (screen === "entry") this.drawer.takeEntry(state);
    else return false;
    return true;
  }

  /// Where the recording begins, in seconds of the session.
  get start() {
    return this.facts?.keptFrom ?? 0;
  }

  // What the server says

  takeFacts(facts) {
    this.facts = facts;
    document.title = `${facts.name} – ${appName}`;
    setText($("recording-name"), facts.name);
    const parts = [
      dateAndTime(facts.start),
      `${facts.scenario}, seed ${facts.seed}`,
      facts.part ?? moment(facts.seconds),
      facts.isSimulated ? "in virtual time" : null,
      facts.isWhole ? null : "was cut off",
      facts.hasFailed ? "ended with an error" : null,
    ];
    setText($("recording-facts"), parts.filter(Boolean).join(" · "));
    this.slider.min = this.start;
    this.slider.max = facts.seconds;
    $("marks").replaceChildren(
      ...facts.marks.map((thousandth) => {
        const mark = make("span");
        mark.style.setProperty("--at", thousandth / 1000);
        return mark;
      }),
    );
    this.marks.takeFacts();
    $("reveals").hidden = !facts.reveals;
    $("reveals").querySelector("ul").replaceChildren(...(facts.reveals ?? []).map((text) => make("li", {}, text)));
    // An address leads to its moment. After a reload, or when the server has come back, the page is where it was.
    const [name, event] = JSON.parse(sessionStorage.getItem("place") ?? "[]");
    if (this.follow()) return;
    if (name === facts.name) this.show({ step: { _0: event } });
    else if (facts.begin != null) this.seek(facts.begin);
    else this.show({ step: { _0: 1 } });
  }

  /// Goes where the address says: `#event=57`, `#at=12.5` or, in the drawer, `#entry=m57`; false for another one.
  follow() {
    const [, event, seconds, entry] = /^#(?:event=(\d+)|at=([\d.]+)|entry=([mcse]\d+))$/.exec(location.hash) ?? [];
    if (!this.facts || location.hash === this.written) return false;
    if (entry) this.drawer.open(entry);
    else if (event) this.go(Number(event));
    else if (Number.isFinite(Number(seconds))) this.seek(Number(seconds));
    else return false;
    return !entry || Boolean(this.place);
  }

  /// Has the address lead here.
  write(hash) {
    this.written = hash;
    if (location.hash !== hash) history.replaceState(null, "", hash);
  }

  takePlace(place) {
    this.place = place;
    if (!this.wanted) {
      // What the screens showed before the part that is kept, they show at its beginning.
      if (this.isStepping) this.time = Math.max(place.seconds, this.start);
      this.target = null;
    }
    this.onPlace(place);
    if (!this.isPlaying) this.writePlace();
    sessionStorage.setItem("place", JSON.stringify([this.facts.name, place.event]));
    this.renderActions();
    this.renderTime();
    this.drawer.follow();
    this.freeze();
  }

  /// The address leads to the place, or to the entry that brought the page there.
  writePlace() {
    if (this.place) this.write(this.drawer.address ?? `#event=${this.place.event}`);
  }

  takeActions(actions) {
    this.actions = actions;
    const earlier = actions.first;
    const later = this.facts.actions - earlier - actions.items.length;
    const note = (count, word) => (count > 0 ? make("span", { class: "fine" }, `${count} ${word}`) : null);
    const had = this.list.contains(document.activeElement);
    this.list.replaceChildren(
      ...[
        note(earlier, "earlier"),
        ...actions.items.map((item) =>
          make(
            "button",
            { class: "action", "data-event": item.event, tabindex: -1, onclick: () => this.goTo(item.event) },
            make("span", { class: "when" }, moment(item.seconds)),
            ` ${item.text}`,
          ),
        ),
        note(later, "later"),
        this.facts.actions ? null : make("span", { class: "fine" }, this.facts.isSimulated ? "Recordings of scenarios do not contain actions." : "Nothing was done in this recording."),
      ].filter(Boolean),
    );
    this.renderActions();
    if (had) this.list.querySelector("[tabindex='0']")?.focus();
  }

  // Going somewhere

  /// Asks for a moment. Of several that are asked for while one is on its way, the last one counts.
  async show(action) {
    this.wanted = action;
    if (this.isAsking) return;
    this.isAsking = true;
    while (this.wanted) {
      const action = this.wanted;
      this.wanted = null;
      this.isStepping = "step" in action;
      try {
        await this.connection.send("recording", action);
        setText($("recording-trouble"), "");
      } catch (error) {
        if (error.message === "lost" || error.message === "slow") break;
        // The socket was lost before the answer.
        if (error.message === "unknown") {
          this.wanted ??= action;
          continue;
        }
        this.pause();
        setText($("recording-trouble"), "This part of the recording cannot be read: its file is damaged.");
      }
    }
    this.isAsking = false;
  }

  step(by) {
    this.drawer.leave();
    this.go((this.target ?? this.place?.event ?? 1) + by);
  }

  /// Goes to an event that was chosen, whatever entry was shown.
  goTo(event) {
    this.drawer.leave();
    this.go(event);
  }

  go(event) {
    if (!this.facts) return;
    if (this.isPlaying) this.pause();
    this.target = Math.min(Math.max(event, 1), this.facts.events);
    this.show({ step: { _0: this.target } });
  }

  seek(seconds) {
    if (!this.facts) return;
    this.time = Math.min(Math.max(seconds, this.start), this.facts.seconds);
    this.target = null;
    this.renderTime();
    this.show({ seek: { _0: this.time } });
  }

  toggle() {
    if (this.isPlaying) this.pause();
    else this.play();
  }

  play() {
    if (!this.facts) return;
    this.drawer.leave();
    if (this.time >= this.facts.seconds || this.place?.event === this.facts.events) this.seek(this.start);
    this.isPlaying = true;
    this.renderPlaying();
    let last = performance.now();
    const tick = (now) => {
      if (!this.isPlaying) return;
      // A page that was hidden goes on where it was.
      const passed = Math.min((now - last) / 1000, 0.25);
      last = now;
      this.time = Math.min(this.time + passed * this.speed, this.facts.seconds);
      this.renderTime();
      const isDue = this.place?.next != null && this.time >= this.place.next;
      if (isDue && !this.isAsking) this.show({ seek: { _0: this.time } });
      if (this.time >= this.facts.seconds && !isDue) this.pause();
      else requestAnimationFrame(tick);
    };
    requestAnimationFrame(tick);
  }

  pause() {
    this.isPlaying = false;
    this.renderPlaying();
    this.writePlace();
    this.drawer.follow();
  }

  // Showing it

  renderTime() {
    if (!this.facts || !this.place) return;
    const { seconds, events } = this.facts;
    this.slider.value = this.time;
    const length = seconds - this.start;
    this.slider.style.setProperty("--at", length > 0 ? (this.time - this.start) / length : 1);
    this.drawer.renderTime();
    setText($("time-now"), moment(this.time));
    setText($("time-all"), moment(seconds));
    setText($("event-now"), `Event ${this.place.event} of ${events}`);
    if (this.isPlaying) return;
    const last = this.actions?.items.find((item) => item.event === this.place.action);
    this.slider.setAttribute(
      "aria-valuetext",
      `${moment(this.time)} of ${moment(seconds)}, event ${this.place.event} of ${events}${last ? `: ${last.text}` : ""}`,
    );
  }

  renderActions() {
    if (!this.place || this.shownAction === this.place.action && this.shownList === this.actions) return;
    this.shownAction = this.place.action;
    this.shownList = this.actions;
    let current = null;
    for (const button of this.list.querySelectorAll("button")) {
      const event = Number(button.dataset.event);
      const isCurrent = event === this.place.action;
      button.classList.toggle("done", event <= this.place.event);
      if (isCurrent) button.setAttribute("aria-current", "step");
      else button.removeAttribute("aria-current");
      button.tabIndex = -1;
      if (isCurrent) current = button;
    }
    const first = current ?? this.list.querySelector("button");
    if (!first) return;
    first.tabIndex = 0;
    this.list.scrollTo({ left: first.offsetLeft - (this.list.clientWidth - first.offsetWidth) / 2 });
  }

  renderPlaying() {
    const button = $("play");
    const name = this.isPlaying ? "Pause" : "Play";
    if (button.getAttribute("aria-label") === name) return;
    button.setAttribute("aria-label", name);
    button.title = name;
    button.replaceChildren(icon(this.isPlaying ? icons.pause : icons.play));
  }

  make() {
    document.body.querySelector("header").after(
      make(
        "aside",
        { class: "recording", "aria-label": "This is a recording" },
        make("p", { class: "pill" }, "Recording"),
        make("p", { class: "name", id: "recording-name" }),
        make("p", { class: "fine", id: "recording-facts" }),
        make("details", { class: "reveals", id: "reveals", hidden: true, "data-look": true }, make("summary", {}, "What this page reveals"), make("ul")),
        make("p", { class: "trouble", id: "recording-trouble", role: "status" }),
      ),
    );
    const button = (id, name, path, action) =>
      make("button", { id, class: "round", "aria-label": name, title: name, onclick: action }, icon(path));
    this.slider = make("input", {
      type: "range",
      id: "time",
      min: 0,
      max: 1,
      step: "any",
      value: 0,
      "aria-label": "Time of the recording",
    });
    this.list = make("div", { class: "actions-done", id: "actions-done", role: "toolbar", "aria-label": "What was done" });
    document.querySelector("main").after(
      make(
        "section",
        { class: "player", "aria-label": "Recording" },
        this.drawer.element,
        this.marks.element,
        this.list,
        make(
          "div",
          { class: "transport" },
          make(
            "div",
            { class: "buttons" },
            button("step-back", "Previous event", icons.back, () => this.step(-1)),
            button("play", "Play", icons.play, () => this.toggle()),
            button("step-on", "Next event", icons.on, () => this.step(1)),
          ),
          make("div", { class: "track" }, make("div", { class: "marks", id: "marks", "aria-hidden": "true" }), this.slider, this.marks.flags),
          make(
            "p",
            { class: "times" },
            make("span", { id: "time-now" }, moment(0)),
            make("span", { class: "fine" }, "of ", make("span", { id: "time-all" })),
            make("span", { class: "fine event", id: "event-now" }),
          ),
          make(
            "select",
            { id: "speed", "aria-label": "Speed", onchange: (event) => (this.speed = Number(event.target.value)) },
            ...speeds.map((speed) => make("option", { value: speed }, `${speed}×`)),
          ),
          this.marks.button,
          this.drawer.button,
        ),
      ),
    );
    this.slider.addEventListener("input", () => {
      this.drawer.leave();
      this.seek(Number(this.slider.value));
    });
    // What the player covers is no place to scroll to.
    const player = this.slider.closest(".player");
    new ResizeObserver(() => (document.documentElement.style.scrollPaddingBottom = `${player.offsetHeight}px`)).observe(player);
  }

  // Keys, and what they do not reach

  /// The keys of the slider, wherever the focus is that has no use for them; and no event reaches the app's own controls.
  guard() {
    const isOurs = (target) => target.closest?.(".player, [data-look]");
    for (const name of ["click", "submit", "change", "input"]) {
      document.addEventListener(
        name,
        (event) => {
          if (isOurs(event.target)) return;
          event.preventDefault();
          event.stopImmediatePropagation();
        },
        true,
      );
    }
    document.addEventListener(
      "keydown",
      (event) => {
        const { target, key } = event;
        if (event.ctrlKey || event.metaKey || event.altKey) return;
        if (target.closest?.("#actions-done")) this.moveInList(event);
        else if (target === this.slider || !target.closest?.("button:not([role=tab]), [data-look], select, #log, .drawer, .own-marks")) this.press(event);
        if (target.closest?.("[role=tab]:not([data-look] *)")) event.stopImmediatePropagation();
      },
      true,
    );
  }

  press(event) {
    const length = (this.facts?.seconds ?? 0) - this.start;
    const actions = {
      ArrowRight: () => this.step(1),
      ArrowUp: () => this.step(1),
      ArrowLeft: () => this.step(-1),
      ArrowDown: () => this.step(-1),
      Home: () => this.goTo(1),
      End: () => this.goTo(this.facts?.events),
      PageUp: () => this.seek(this.time + length / 10),
      PageDown: () => this.seek(this.time - length / 10),
      " ": () => this.toggle(),
      m: () => this.marks.add(),
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  moveInList(event) {
    const buttons = [...this.list.querySelectorAll("button")];
    const index = buttons.indexOf(event.target);
    const next = { ArrowRight: index + 1, ArrowLeft: index - 1, Home: 0, End: buttons.length - 1 }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    buttons[Math.min(Math.max(next, 0), buttons.length - 1)]?.focus();
  }

  /// What the app's controls show stays; nothing can be done with them.
  freeze() {
    for (const button of document.querySelectorAll("main button, [role=tab], dialog button, .alerts button")) {
      if (button.closest("[data-look]")) continue;
      button.setAttribute("aria-disabled", "true");
      button.tabIndex = -1;
    }
    for (const field of document.querySelectorAll("main input, main select, main textarea")) field.disabled = true;
  }
}
