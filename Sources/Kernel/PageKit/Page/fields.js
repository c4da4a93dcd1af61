// One field of a form: its label, a hint, and what is wrong with it, all of which belong to the field for those who do not see the page.
//
//   <k-field name="email" label="E-mail" hint="You get a code there."><input type="email" autocomplete="email"></k-field>
//
// A check box stands before its label. A password can be shown. What is wrong is set as `error`; the control's value is `value`.

import { make, setText } from "./elements.js";

export class Field extends HTMLElement {
  connectedCallback() {
    if (this.control) return;
    this.control = this.querySelector("input, select, textarea");
    const id = `field-${this.closest("form")?.id ?? "page"}-${this.name}`;
    this.control.id = id;
    this.isBox = this.control.type === "checkbox";
    const label = make("label", { for: id }, this.getAttribute("label"));
    const hint = this.getAttribute("hint");
    this.hint = make("p", { id: `${id}-hint`, class: "fine", hidden: !hint }, hint ?? "");
    this.problem = make("p", { id: `${id}-error`, class: "wrong", hidden: true });
    const line = make("div", { class: "control" }, this.control);
    if (this.control.type === "password") line.append(this.makeShow());
    if (this.isBox) line.append(label);
    else this.append(label);
    this.append(line, this.hint, this.problem);
    this.classList.toggle("box", this.isBox);
    this.describe();
  }

  get name() {
    return this.getAttribute("name");
  }

  get value() {
    return this.isBox ? this.control.checked : this.control.value;
  }

  set value(value) {
    if (this.isBox) this.control.checked = value;
    else if (this.control.value !== value) this.control.value = value;
  }

  /// What is wrong with it; nothing where all is well.
  get error() {
    return this.problem.textContent;
  }

  set error(text) {
    if (this.error === (text ?? "")) return;
    setText(this.problem, text ?? "");
    this.problem.hidden = !text;
    if (text) this.control.setAttribute("aria-invalid", "true");
    else this.control.removeAttribute("aria-invalid");
    this.describe();
  }

  focus() {
    this.control.focus();
  }

  describe() {
    const words = [this.problem, this.hint].filter((element) => !element.hidden).map(({ id }) => id);
    if (words.length) this.control.setAttribute("aria-describedby", words.join(" "));
    else this.control.removeAttribute("aria-describedby");
  }

  /// The button that shows what is typed.
  makeShow() {
    const button = make("button", { type: "button", class: "quiet small", "aria-pressed": "false", "aria-label": "Show the password" }, "Show");
    button.addEventListener("click", () => {
      const isShown = this.control.type === "password";
      this.control.type = isShown ? "text" : "password";
      button.setAttribute("aria-pressed", String(isShown));
      setText(button, isShown ? "Hide" : "Show");
    });
    return button;
  }
}

customElements.define("k-field", Field);
