// What somebody says, typed: it grows with its text, Enter sends it, and what is typed stays until it was said.
//
//   <k-composer><form><textarea rows="1"></textarea><button type="submit" data-part="send">Send</button>
//     <button type="button" data-part="stop" hidden>Stop</button></form><p data-part="hint"></p></k-composer>
//
// `state` is `{ draft, canSend, canStop, hint }`, where `draft` is what the app has of a text that was not said. `send(text)` says a text, which may be empty,
// and returns whether that was done. Acts with `{ stop: {} }`.

import { isReplay, say, setDisabled, setText, show } from "./elements.js";

/// The most pixels that it grows to.
const highest = 160;

export class Composer extends HTMLElement {
  connectedCallback() {
    if (this.input) return;
    this.form = this.querySelector("form");
    this.input = this.querySelector("textarea");
    this.parts = Object.fromEntries([...this.querySelectorAll("[data-part]")].map((part) => [part.dataset.part, part]));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.sendNow();
    });
    this.input.addEventListener("input", () => this.fit());
    this.input.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      this.sendNow();
    });
    this.parts.stop?.addEventListener("click", () => say(this, { stop: {} }));
  }

  get text() {
    return this.input.value;
  }

  /// Sends what is typed, or another text. What is typed stays until it was said, so that no answer of the server can overwrite it.
  async sendNow(text = this.text) {
    if (this.isSending || !this.now?.canSend) return;
    this.isSending = true;
    this.renderButtons();
    if (await this.send(text)) this.note(text);
    this.isSending = false;
    this.renderButtons();
  }

  /// The app has a text that was typed here.
  note(text) {
    this.unsaid = text;
    this.clearWhatWasSaid();
  }

  /// What could not be said stands in the state, also while it is tried again.
  clearWhatWasSaid() {
    if (this.unsaid === undefined || this.now.draft === this.unsaid) return;
    if (this.text === this.unsaid) this.input.value = "";
    this.unsaid = undefined;
    this.fit();
  }

  fit() {
    if (!this.input.checkVisibility()) return;
    this.input.style.height = "auto";
    this.input.style.height = `${Math.min(this.input.scrollHeight + 2, highest)}px`;
  }

  set state(state) {
    // What was spoken, and what was not said before the page was loaded again.
    if (this.now?.draft !== state.draft && state.draft && !this.text) {
      this.unsaid = this.input.value = state.draft;
      this.fit();
    }
    this.now = state;
    if (isReplay) this.input.value = state.draft;
    else this.clearWhatWasSaid();
    this.renderButtons();
  }

  renderButtons() {
    if (!this.now) return;
    const { send, stop, hint } = this.parts;
    const [button, other] = this.now.canStop ? [stop, send] : [send, stop];
    show(button, true);
    if (other) show(other, false, button);
    setDisabled(send, !this.now.canSend || Boolean(this.isSending));
    if (hint) setText(hint, this.now.hint);
  }
}

customElements.define("k-composer", Composer);
