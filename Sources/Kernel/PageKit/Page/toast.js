// What is said for a moment, in the header, where it covers nothing. It goes by itself, unless somebody is about to use it.

import { $, giveFocus, isReplay, selectedTab, setText } from "./elements.js";

/// How long it is shown, in milliseconds (WCAG 2.2, 2.2.1: it can be kept, and says nothing that is not elsewhere).
const patience = 6_000;

export class Toast {
  constructor() {
    const toast = $("toast");
    for (const name of ["pointerenter", "focusin"]) toast.addEventListener(name, () => clearTimeout(this.timer));
    for (const name of ["pointerleave", "focusout"]) toast.addEventListener(name, () => this.wait());
    $("toast-close").addEventListener("click", () => this.dismissed?.());
    $("toast-show").addEventListener("click", () => {
      const { action } = this;
      this.dismissed?.();
      action?.();
    });
  }

  /// Shows a text, or nothing.
  ///
  /// `action` does what "Show" offers, where there is something to show; `dismissed` is called when the text has been there long enough, or
  /// was closed.
  render(text, action, dismissed) {
    Object.assign(this, { action, dismissed });
    $("toast-show").hidden = !action;
    const isNew = Boolean(text) && text !== this.text;
    this.text = text;
    setText($("toast-text"), text ?? "");
    const hadFocus = !text && $("toast").contains(document.activeElement);
    $("toast").hidden = !text;
    if (hadFocus) giveFocus(selectedTab());
    if (isNew) this.wait();
  }

  wait() {
    clearTimeout(this.timer);
    if (!this.text || isReplay) return;
    this.timer = setTimeout(() => {
      const toast = $("toast");
      if (!toast.matches(":hover") && !toast.contains(document.activeElement)) this.dismissed?.();
    }, patience);
  }
}
