// The chat's tab: the conversation, the reply that is being given, and what the user types.

import { speechPatience } from "./connection.js";
import { FilmPlayer } from "./film.js";
import { $, GrowingText, announce, ask, giveFocus, isReplay, make, setDisabled, setText, show } from "./elements.js";
import { timeOfDay } from "./format.js";

const roles = { user: "You", assistant: "Assistant", system: "Lens" };

export class ChatTab {
  constructor(act, hearing, attachment) {
    this.act = act;
    this.hearing = hearing;
    this.attachment = attachment;
    this.reply = new GrowingText();
    $("chat-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.say();
    });
    $("input").addEventListener("input", () => this.fit());
    $("input").addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.say();
    });
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
    $("chat-stop").addEventListener("click", () => act("chat", { stopReply: {} }));
    $("voice").addEventListener("click", () => this.speak());
    $("clear").addEventListener("click", () => this.clear());
  }

  /// What is typed stays on the page until it was said, so that no answer of the server can overwrite it.
  async say() {
    const text = $("input").value;
    if (this.isSaying || this.isLost || !this.state?.canSend || this.state.isLoading) return;
    this.isSaying = true;
    this.renderSending();
    // A picture that is on its way goes with the words that were typed to it.
    await this.attachment.sending;
    if ((text.trim() || this.state.attachment) && (await this.act("chat", { say: { _0: text } }))) {
      this.unsaid = text;
      this.clearWhatWasSaid();
    }
    this.isSaying = false;
    this.renderSending();
  }

  /// The first click begins, the second one ends; what was understood is said by the app.
  async speak() {
    if (this.state?.isListening) return this.act("chat", { finishListening: {} });
    if (!(await this.hearing.mayListen())) return;
    // What is spoken goes behind what is typed.
    const typed = $("input").value;
    if (typed && (await this.act("chat", { setInput: { _0: typed } }))) this.unsaid = typed;
    await this.act("chat", { startListening: {} }, speechPatience);
  }

  /// What could not be said stands in the state, also while it is tried again.
  clearWhatWasSaid() {
    if (this.unsaid === undefined || this.state.inputText === this.unsaid) return;
    if ($("input").value === this.unsaid) $("input").value = "";
    this.unsaid = undefined;
    this.fit();
  }

  async clear() {
    if (await ask("Delete the conversation?", "It is deleted from this device, and cannot be brought back.", "Delete")) {
      await this.act("chat", { clearHistory: {} });
    }
  }

  fit() {
    const input = $("input");
    input.style.height = "auto";
    input.style.height = `${Math.min(input.scrollHeight + 2, 160)}px`;
  }

  render(state) {
    // What was spoken, and what was not said before the page was loaded again.
    if (this.state?.inputText !== state.inputText && state.inputText && !$("input").value) {
      this.unsaid = $("input").value = state.inputText;
      this.fit();
    }
    if (this.state && this.state.isListening !== state.isListening) {
      announce(state.isListening ? "Listening." : "Not listening any more.");
    }
    this.state = state;
    if (isReplay) $("input").value = state.inputText;
    else this.clearWhatWasSaid();
    const log = $("log");
    const wasAtEnd = this.isAtEnd || this.distance < 60;
    const first = $("messages").firstElementChild?.dataset.id;
    const before = this.film?.message;
    const hadFocus = this.takeFilm(state.openVideo);
    const list = state.messages.map((message) => this.message(message));
    if (state.streamingResponse) {
      list.push(this.bubble("assistant", [make("p", { dir: "auto" }, state.streamingResponse)], "growing"));
    }
    const old = $("messages").children;
    if (list.length !== old.length || list.some((item, index) => item !== old[index])) {
      $("messages").replaceChildren(...list);
      if (wasAtEnd || (first && !list.some((item) => item.dataset.id === first))) this.goToEnd();
    }
    if (hadFocus) giveFocus(this.film?.button ?? $("messages").querySelector(`[data-id="${before}"] .poster`), $("input"));
    if (this.shown) this.reply.show(state.streamingResponse);
    show($("chat-empty"), list.length === 0);
    show($("earlier"), state.hasEarlier, log);
    show($("newest"), state.hasLater, log);
    // An alert that offers to try again says it already.
    show($("unanswered"), state.canAskAgain && !state.alert, log);
    show($("chat-silence"), state.isSpeaking, $("input"));
    setDisabled($("clear"), list.length === 0);
    this.renderVoice(state);
    this.attachment.render(state.attachment);
    this.attachment.renderMenu(state.attachmentMenu);
    this.renderSending();
  }

  renderVoice({ isListening, isSpeaking, transcript }) {
    $("voice").setAttribute("aria-pressed", isListening);
    const doing = isListening ? "listening" : isSpeaking ? "speaking" : "";
    $("voice-state").dataset.doing = doing;
    setText($("voice-doing"), { listening: "Listening…", speaking: "Speaking…" }[doing] ?? "");
    setText($("transcript"), isListening ? transcript : "");
    show($("voice-state"), Boolean(doing));
  }

  renderSending() {
    const state = this.state;
    if (!state) return;
    const [button, other] = state.canStop ? [$("chat-stop"), $("send")] : [$("send"), $("chat-stop")];
    show(button, true);
    show(other, false, button);
    setDisabled($("send"), this.isLost || !state.canSend || state.isLoading || Boolean(this.isSaying));
    setText($("chat-hint"), this.hint(state));
  }

  /// Without the server nothing is sent: what is typed stays.
  set isConnected(value) {
    this.isLost = !value;
    this.renderSending();
  }

  hint(state) {
    if (this.isLost) return "Reconnecting… What you have typed stays here.";
    if (state.isListening) return "A pause sends it, or a second click.";
    if (state.canStop && !state.isStreaming) return "The assistant is looking at the video.";
    if (state.canSend) return "Enter sends, Shift+Enter starts a new line.";
    return state.isStreaming ? "The assistant is answering." : "Connecting to the assistant…";
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
      this.film = new FilmPlayer(open.id, open.video, "The video of the message");
      this.film.message = message;
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
      if (message.text) parts.push(make("p", { dir: "auto" }, message.text));
      const at = timeOfDay(message.timestamp);
      item = this.bubble(message.role, parts, message.isPartial ? `${at}, cut off` : at, message.id);
      if (this.made.size > 1_000) this.made.clear();
      this.made.set(key, item);
    }
    return item;
  }

  bubble(role, parts, note, id) {
    return make(
      "li",
      { class: `message ${role}`, "data-id": id },
      make("span", { class: "fine who" }, `${roles[role]} · ${note === "growing" ? "now" : note}`),
      make("div", { class: "bubble" }, ...parts),
    );
  }
}
