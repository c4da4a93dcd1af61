// What the user says to the assistant, typed, spoken or hands-free: the same under the conversation and under the camera's picture.

import { speechPatience } from "./kit/connection.js";
import "./kit/composer.js";
import { $, announce, setText, show } from "./kit/elements.js";

/// How often in a row nothing may be understood before talking hands-free ends by itself.
const silenceLimit = 6;

export class Composer {
  /// The elements of a composer have ids that begin with `name`.
  constructor(name, act, hearing, attachment) {
    Object.assign(this, { name, act, hearing, attachment });
    this.box = this.part("composer");
    this.box.send = (text) => this.send(text);
    this.box.addEventListener("act", () => act("chat", { stopReply: {} }));
    this.part("voice").addEventListener("click", () => this.speak());
    this.part("live")?.addEventListener("click", () => this.talk(!this.isTalking));
    this.part("picture")?.addEventListener("click", () => act("chat", { attachFrame: {} }));
    this.part("remove")?.addEventListener("click", () => act("chat", { removeAttachment: {} }));
  }

  part(name) {
    return $(`${this.name}-${name}`);
  }

  async send(text) {
    // A picture that is on its way goes with the words that were typed to it.
    await this.attachment.sending;
    return (text.trim() || this.state.attachment) && this.act("chat", { say: { _0: text } });
  }

  say(text) {
    return this.box.sendNow(text);
  }

  /// The first click begins, the second one ends; what was understood is said by the app.
  async speak() {
    if (this.state?.isListening) return this.act("chat", { finishListening: {} });
    if (await this.hearing.mayListen()) await this.listen();
  }

  async listen() {
    // What is spoken goes behind what is typed.
    const typed = this.box.text;
    if (typed && (await this.act("chat", { setInput: { _0: typed } }))) this.box.note(typed);
    return this.act("chat", { startListening: {} }, speechPatience);
  }

  /// Listens again after each answer, until that is ended: by a click, by leaving, or by silence.
  async talk(wants) {
    this.isTalking = wants && (await this.hearing.mayListen());
    this.renderTalking();
    if (!this.isTalking) {
      if (this.state?.isListening) await this.act("chat", { finishListening: {} });
      return;
    }
    const turn = (this.turn = {});
    for (let silences = 0; this.isTalking && this.turn === turn && silences < silenceLimit;) {
      await this.untilQuiet();
      if (!this.isTalking || this.turn !== turn) return;
      const before = this.state.messages.at(-1)?.id;
      if (!(await this.listen()) || this.state.alert) break;
      silences = this.state.messages.at(-1)?.id === before ? silences + 1 : 0;
    }
    if (this.turn === turn) this.endTalking();
  }

  endTalking() {
    this.isTalking = false;
    this.turn = undefined;
    this.quiet?.();
    this.renderTalking();
  }

  renderTalking() {
    this.part("live")?.setAttribute("aria-pressed", Boolean(this.isTalking));
    this.renderBox();
  }

  /// While an answer is given or spoken nobody is listened to.
  untilQuiet() {
    if (this.isQuiet) return Promise.resolve();
    return new Promise((resolve) => (this.quiet = resolve));
  }

  get isQuiet() {
    const state = this.state;
    return Boolean(state?.canSend && !state.isLoading && !state.isStreaming && !state.isSpeaking && !state.isListening);
  }

  render(state) {
    this.state = state;
    this.renderBox();
    this.renderVoice(state);
    this.renderAttachment(state.attachment);
    if (this.isQuiet) this.quiet?.();
  }

  renderBox() {
    const state = this.state;
    if (!state) return;
    this.box.state = {
      draft: state.inputText,
      canSend: !this.isLost && state.canSend && !state.isLoading,
      canStop: state.canStop,
      hint: this.hint(state),
    };
  }

  renderVoice({ isListening, isSpeaking, transcript }) {
    this.part("voice").setAttribute("aria-pressed", isListening);
    const doing = isListening ? "listening" : isSpeaking ? "speaking" : "";
    this.part("voice-state").dataset.doing = doing;
    setText(this.part("doing"), { listening: "Listening…", speaking: "Speaking…" }[doing] ?? "");
    setText(this.part("transcript"), isListening ? transcript : "");
    show(this.part("voice-state"), Boolean(doing));
  }

  renderAttachment(attachment) {
    const place = this.part("attachment");
    if (!place) return;
    show(place, Boolean(attachment), this.box.input);
    if (attachment?.id === this.attached) return;
    this.attached = attachment?.id;
    const image = place.querySelector("img");
    if (attachment) image.src = this.attachment.address(attachment);
    else image.removeAttribute("src");
  }

  /// Without the server nothing is sent: what is typed stays.
  set isConnected(value) {
    this.isLost = !value;
    if (!value) this.endTalking();
    this.renderBox();
  }

  hint(state) {
    if (this.isLost) return "Reconnecting… What you have typed stays here.";
    if (this.isTalking) return state.isListening ? "Hands-free: a pause sends what you say." : "Hands-free: you can speak after the answer.";
    if (state.isListening) return "A pause sends it, or a second click.";
    if (state.canStop && !state.isStreaming) return "The assistant is looking at the video.";
    if (state.canSend) return "Enter sends, Shift+Enter starts a new line.";
    return state.isStreaming ? "The assistant is answering." : "Connecting to the assistant…";
  }
}

/// Says once for all composers whether the user is listened to.
export function announceListening(before, now) {
  if (before && before.isListening !== now.isListening) announce(now.isListening ? "Listening." : "Not listening any more.");
}
