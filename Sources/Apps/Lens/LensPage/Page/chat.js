// The chat's tab: the conversation, the reply that is being given, and what the user types.

import { Composer, announceListening } from "./composer.js";
import { FilmPlayer } from "./kit/film.js";
import { $, GrowingText, announce, ask, giveFocus, isReplay, make, setDisabled, setText, show } from "./kit/elements.js";
import { timeOfDay } from "./kit/format.js";
import { rich } from "./kit/rich.js";

/// The most turns of the conversation that are shown beside the camera.
const turnLimit = 8;
const roles = { user: "You", assistant: "Assistant", system: "Lens" };

export class ChatTab {
  constructor(act, hearing, attachment) {
    this.act = act;
    this.hearing = hearing;
    this.attachment = attachment;
    this.reply = new GrowingText();
    this.composers = [new Composer("chat", act, hearing, attachment), new Composer("ask", act, hearing, attachment)];
    // Pictures come later than their messages, and what stands below the log takes room from it.
    const keepPlace = new ResizeObserver(() => this.isAtEnd && this.goToEnd());
    for (const part of [$("log"), $("messages"), $("unanswered")]) keepPlace.observe(part);
    // Only who scrolls up leaves the end: the conversation may have grown since it was scrolled to its end.
    $("log").addEventListener("scroll", () => {
      const top = $("log").scrollTop;
      this.isAtEnd = this.distance < 60 || (this.isAtEnd && top >= this.top);
      this.top = top;
    });
    $("earlier").addEventListener("click", () => act("chat", { showEarlier: {} }));
    $("newest").addEventListener("click", () => act("chat", { showNewest: {} }));
    $("chat-silence").addEventListener("click", () => act("chat", { stopSpeaking: {} }));
    $("ask-again").addEventListener("click", () => act("chat", { askAgain: {} }));
    for (const suggestion of document.querySelectorAll("#chat-empty button")) {
      suggestion.addEventListener("click", () => this.composers[0].say(suggestion.textContent));
    }
    $("clear").addEventListener("click", () => this.clear());
  }

  async clear() {
    if (await ask("Delete the conversation?", "It is deleted from this device, and cannot be brought back.", "Delete")) {
      await this.act("chat", { clearHistory: {} });
    }
  }

  render(state) {
    announceListening(this.state, state);
    this.state = state;
    const log = $("log");
    const wasAtEnd = this.isAtEnd || this.distance < 60;
    const first = $("messages").firstElementChild?.dataset.id;
    const before = this.film?.message;
    const hadFocus = this.takeFilm(state.openVideo);
    const list = state.messages.map((message) => this.message(message));
    const growing = this.growing();
    if (growing) list.push(growing);
    const old = $("messages").children;
    if (list.length !== old.length || list.some((item, index) => item !== old[index])) {
      $("messages").replaceChildren(...list);
      if (wasAtEnd || (first && !list.some((item) => item.dataset.id === first))) this.goToEnd();
    }
    if (hadFocus) giveFocus(this.film?.button ?? $("messages").querySelector(`[data-id="${before}"] .poster`), $("chat-input"));
    show($("chat-empty"), list.length === 0);
    show($("earlier"), state.hasEarlier, log);
    show($("newest"), state.hasLater, log);
    // An alert that offers to try again says it already.
    show($("unanswered"), state.canAskAgain && !state.alert, log);
    show($("chat-silence"), state.isSpeaking, $("chat-input"));
    setDisabled($("clear"), list.length === 0);
    this.attachment.render(state.attachment);
    this.attachment.renderMenu(state.attachmentMenu);
    for (const composer of this.composers) composer.render(state);
    this.renderTurns(state);
  }

  /// A reply changes with each word, and the conversation does not.
  renderReply({ text }) {
    this.replyText = text;
    if (this.shown) this.reply.show(text);
    if (!this.state) return;
    const wasAtEnd = this.isAtEnd || this.distance < 60;
    const shown = $("messages").querySelector(".growing");
    const growing = this.growing();
    if (shown && !growing) shown.remove();
    if (growing && !shown) $("messages").append(growing);
    show($("chat-empty"), !$("messages").children.length);
    if (growing && wasAtEnd) this.goToEnd();
  }

  /// The reply that is being given, which is not among the earlier messages of another page of the conversation.
  growing() {
    const text = this.state.streamingResponse ?? this.replyText;
    if (!text || this.state.hasLater) return null;
    this.growingItem ??= this.bubble("assistant growing", [], "now");
    this.growingItem.querySelector(".bubble").replaceChildren(...rich(text));
    return this.growingItem;
  }

  /// The newest turns, beside the camera's picture; what the assistant said last stands below them.
  renderTurns(state) {
    const latest = this.latestResponse?.trim();
    const turns = state.messages.filter(({ text, role }) => !(role === "assistant" && latest && text.trim() === latest)).slice(-turnLimit);
    const key = turns.map(({ id, text }) => id + text.length).join();
    if (key === this.turnsKey) return;
    this.turnsKey = key;
    const place = $("turns");
    place.replaceChildren(
      ...turns.map(({ role, text, hasPicture }) =>
        make("li", { class: `turn rich ${role}`, dir: "auto" }, make("span", { class: "hidden" }, `${roles[role]}: `), ...(role === "assistant" ? rich(text) : [text || (hasPicture ? "A picture" : "")]))),
    );
    show($("turns-log"), turns.length > 0, $("ask-input"));
    $("turns-log").scrollTop = $("turns-log").scrollHeight;
  }

  /// What the assistant says of the stream, which need not be repeated among the turns.
  set latest(text) {
    if (text === this.latestResponse) return;
    this.latestResponse = text;
    if (this.state) this.renderTurns(this.state);
  }

  set isConnected(value) {
    for (const composer of this.composers) composer.isConnected = value;
  }

  /// Who leaves a tab does not talk hands-free there any more.
  endTalking() {
    for (const composer of this.composers) if (composer.isTalking) composer.endTalking();
  }

  set isShown(value) {
    this.shown = value;
    if (value) requestAnimationFrame(() => this.goToEnd());
  }

  /// From the end of the conversation, in pixels.
  get distance() {
    const { scrollHeight, scrollTop, clientHeight } = $("log");
    return scrollHeight - scrollTop - clientHeight;
  }

  goToEnd() {
    this.isAtEnd = true;
    $("log").scrollTop = $("log").scrollHeight;
    this.top = $("log").scrollTop;
  }

  /// Shows the video of a message in its place, which is made again then.
  ///
  /// - Returns: Whether the focus was on what is made again.
  takeFilm(open) {
    const message = isReplay ? undefined : open?.message;
    if (message === this.film?.message) return false;
    const places = [message, this.film?.message].filter(Boolean);
    const focused = document.activeElement?.closest?.("#messages li")?.dataset.id;
    this.film?.stop();
    this.film = undefined;
    if (message) {
      const address = (milliseconds) => `/videos/${open.id}?at=${milliseconds}`;
      this.film = new FilmPlayer({ name: "The video of the message", duration: open.video.duration, address });
      Object.assign(this.film, { id: open.id, message });
      const close = make("button", { class: "quiet small", onclick: () => this.act("chat", { closeVideo: {} }) }, "Close");
      this.film.element.append(close);
    }
    return places.includes(focused);
  }

  /// What a message shows above its words.
  media({ id, text, hasPicture, hasVideo }) {
    if (this.film?.message === id) return this.film.element;
    if (!hasPicture) return null;
    const picture = make("img", { src: `/pictures/${id}`, alt: hasVideo ? "" : text || "A picture" });
    if (!hasVideo) return picture;
    const play = () => this.act("chat", { openVideo: { _0: id } });
    return make(
      "button",
      { class: "poster", "aria-label": "Play the video", onclick: play },
      picture,
      make("span", { class: "film", "aria-hidden": "true" }, "▶"),
    );
  }

  /// Each is made once, and again when it changes.
  message(message) {
    this.made ??= new Map();
    // A reply that was cut short may still take in its last words.
    const key = message.id + message.isPartial + message.text.length + (this.film?.message === message.id ? this.film.id : "");
    let item = this.made.get(key);
    if (!item || this.film?.message === message.id && !item.contains(this.film.element)) {
      const parts = [this.media(message)].filter(Boolean);
      if (message.text) parts.push(...(message.role === "assistant" ? rich(message.text) : [make("p", { dir: "auto" }, message.text)]));
      const at = timeOfDay(message.timestamp);
      item = this.bubble(message.role, parts, message.isPartial ? `${at}, cut off` : at, message.id);
      if (message.role === "assistant" && message.text && !isReplay) item.append(this.copyButton(message.text));
      if (this.made.size > 1_000) this.made.clear();
      this.made.set(key, item);
    }
    return item;
  }

  copyButton(text) {
    const copy = async () => {
      try {
        await navigator.clipboard.writeText(text);
        setText(button, "Copied");
        announce("Copied.");
      } catch {
        setText(button, "Not copied");
      }
      setTimeout(() => setText(button, "Copy"), 2_000);
    };
    const button = make("button", { class: "copy", onclick: copy }, "Copy");
    return button;
  }

  bubble(role, parts, note, id) {
    return make(
      "li",
      { class: `message ${role}`, "data-id": id },
      make("span", { class: "fine who" }, `${roles[role.split(" ")[0]]} · ${note}`),
      make("div", { class: "bubble rich" }, ...parts),
    );
  }
}
