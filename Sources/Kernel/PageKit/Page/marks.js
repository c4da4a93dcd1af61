// Marks of one's own in a recording: moments with a few words, kept beside the file.

import { make, setText } from "./elements.js";
import { moment } from "./format.js";

const flag = "⚑";
/// The longest words, in UTF-16 code units; as the server has it.
const longest = 200;

export class Marks {
  /// `replay` is the player that goes to a mark and sends what is changed.
  constructor(replay) {
    this.replay = replay;
    this.marks = [];
    this.button = make("button", { class: "drawer-button", "aria-keyshortcuts": "m", title: "Mark this moment (M)", onclick: () => this.add() }, flag, make("span", { class: "word" }, " Mark"));
    this.flags = make("div", { class: "flags" });
    this.trouble = make("p", { class: "trouble", role: "status" });
    this.list = make("ul", { class: "own-marks", "aria-label": "Marks", hidden: true });
    this.element = make("div", {}, this.trouble, this.list);
  }

  /// Whether marks can be made: a page in one file has those that it was made with.
  get isFixed() {
    return Boolean(this.replay.facts?.reveals);
  }

  takeFacts() {
    this.button.hidden = this.isFixed;
    this.renderFlags();
  }

  take({ marks }) {
    this.marks = marks;
    const had = this.list.contains(document.activeElement) ? document.activeElement.closest("li")?.dataset.at : null;
    const wanted = this.added ?? had;
    this.list.hidden = marks.length === 0;
    this.list.replaceChildren(...marks.map((mark) => this.row(mark)));
    this.renderFlags();
    if (wanted == null) return;
    this.added = null;
    const rows = [...this.list.children];
    const row = rows.find(({ dataset }) => dataset.at === String(wanted));
    if (row) row.querySelector("input")?.focus();
    else (this.list.querySelector("input") ?? this.button).focus();
  }

  add() {
    if (!this.replay.place || this.isFixed) return;
    const milliseconds = Math.round(this.replay.time * 1000);
    this.added = milliseconds;
    const known = this.marks.find((mark) => mark.milliseconds === milliseconds);
    const { seconds, event } = this.replay.place;
    // Behind the last event until a time, the time says more.
    const isThere = Math.round(seconds * 1000) === milliseconds;
    this.send({ mark: { _0: { milliseconds, text: known?.text ?? "", ...(isThere && { event }) } } });
  }

  async send(action) {
    setText(this.trouble, "");
    try {
      await this.replay.connection.send("recording", action);
    } catch (error) {
      this.added = null;
      const isLost = ["lost", "slow", "unknown"].includes(error.message);
      setText(this.trouble, isLost ? "The mark was not kept: the program does not answer." : "The mark was not kept: its file cannot be written or is damaged, or there are too many marks.");
    }
  }

  renderFlags() {
    const { facts } = this.replay;
    if (!facts) return;
    const length = facts.seconds - this.replay.start;
    this.flags.replaceChildren(
      ...this.marks.map((mark) => {
        const { milliseconds, text } = mark;
        const at = milliseconds / 1000;
        const button = make("button", { tabindex: -1, "aria-hidden": "true", title: `${moment(at)} ${text}`, onclick: () => this.go(mark) }, flag);
        button.style.setProperty("--at", length > 0 ? Math.min(Math.max((at - this.replay.start) / length, 0), 1) : 0);
        return button;
      }),
    );
  }

  go({ milliseconds, event }) {
    this.replay.pause();
    if (event) return this.replay.goTo(event);
    this.replay.drawer.leave();
    this.replay.seek(milliseconds / 1000);
  }

  row(mark) {
    const { milliseconds, text } = mark;
    const at = moment(milliseconds / 1000);
    const go = make("button", { class: "action", onclick: () => this.go(mark) }, `${flag} ${at}`);
    if (this.isFixed) return make("li", { "data-at": milliseconds }, go, make("span", {}, text));
    const input = make("input", {
      "aria-label": `What is at ${at}`,
      placeholder: "What is here?",
      maxlength: longest,
      onchange: () => this.send({ mark: { _0: { ...mark, text: input.value } } }),
      onkeydown: (event) => {
        if (event.key === "Enter") input.blur();
      },
    });
    input.value = text;
    const remove = make("button", { class: "round", "aria-label": `Remove the mark at ${at}`, title: "Remove", onclick: () => this.send({ unmark: { _0: milliseconds } }) }, "×");
    return make("li", { "data-at": milliseconds }, go, input, remove);
  }
}
