// A form over a screen: what is typed goes to the screen while it is typed, secrets in requests of their own when their field is left. Enter or the
// button sends it: then the first field that is wrong has the focus.

import { setDisabled, setText } from "./elements.js";
import "./fields.js";

/// How long somebody does not type before what is typed is sent, in milliseconds.
const pause = 300;

export class ScreenForm {
  /// `edit(values)` takes over what is typed, but for secrets; `secret(name, text)` takes over one; `send()` sends the form. All of them return whether
  /// that was done. `busy` is what the button says meanwhile.
  constructor(form, { edit, secret, send, busy }) {
    Object.assign(this, { form, edit, secret, send, busy });
    this.fields = [...form.querySelectorAll("k-field")];
    this.button = form.querySelector("button[type=submit]");
    this.idle = this.button.textContent;
    this.typed = new Set();
    this.sent = Promise.resolve(true);
    this.errors = {};
    // What is wrong is said in the page's words, beside the fields.
    form.noValidate = true;
    for (const field of this.fields) {
      field.addEventListener("input", () => this.note(field));
      field.addEventListener("change", () => this.flush());
    }
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.submit();
    });
  }

  isSecret(field) {
    return field.hasAttribute("secret");
  }

  note(field) {
    this.typed.add(field);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flushEdits(), pause);
  }

  /// Sends what was typed and is not sent yet; true when all of it has come, with what was under way already.
  flush() {
    this.sent = this.sent.then(() => this.flushAll());
    return this.sent;
  }

  async flushAll() {
    const isDone = await this.flushEdits();
    let areDone = true;
    for (const field of this.fields.filter((field) => this.isSecret(field) && this.typed.has(field))) {
      this.typed.delete(field);
      if (await this.secret(field.name, field.value)) continue;
      this.typed.add(field);
      areDone = false;
    }
    return isDone && areDone;
  }

  async flushEdits() {
    clearTimeout(this.timer);
    const typed = this.fields.filter((field) => !this.isSecret(field) && this.typed.has(field));
    if (!typed.length) return true;
    const values = Object.fromEntries(this.fields.filter((field) => !this.isSecret(field)).map((field) => [field.name, field.value]));
    for (const field of typed) this.typed.delete(field);
    const isDone = await this.edit(values);
    if (!isDone) for (const field of typed) this.typed.add(field);
    return isDone;
  }

  async submit() {
    if (this.isBusy) return;
    this.isSending = true;
    this.renderButton();
    const isDone = (await this.flush()) && (await this.send());
    this.isSending = false;
    this.renderButton();
    if (isDone) this.focusWrong();
  }

  /// Whether it is being sent.
  get isBusy() {
    return Boolean(this.isSending || this.isLoading);
  }

  /// The focus goes to the first field that is wrong.
  focusWrong() {
    this.fields.find((field) => field.error)?.focus();
  }

  /// Shows what the screen has: values by the fields' names, and what is wrong with them. What is just being typed stays.
  render(values, errors, isLoading) {
    for (const field of this.fields) {
      if (field.name in values && !this.typed.has(field) && document.activeElement !== field.control) field.value = values[field.name];
      field.error = errors[field.name] ?? "";
    }
    this.isLoading = isLoading;
    this.renderButton();
  }

  /// Nothing of what was typed stays on the page.
  clear() {
    clearTimeout(this.timer);
    this.typed.clear();
    for (const field of this.fields) {
      field.value = field.isBox ? false : "";
      field.error = "";
    }
  }

  renderButton() {
    setDisabled(this.button, this.isBusy);
    setText(this.button, this.isBusy ? this.busy : this.idle);
  }
}
