// The steps of a way that has an end, and how far somebody has come on it.
//
//   <k-steps label="Your account" steps="About you|Address|Confirm"></k-steps>
//
// `current` is the number of the present step, from 0; that of their count when all are done.

import { make } from "./elements.js";

export class Steps extends HTMLElement {
  connectedCallback() {
    if (this.list) return;
    this.list = make("ol", { "aria-label": this.getAttribute("label") });
    this.items = this.getAttribute("steps").split("|").map((name) => make("li", {}, make("span", { class: "name" }, name), make("span", { class: "hidden" })));
    this.list.append(...this.items);
    this.append(this.list);
  }

  get count() {
    return this.items.length;
  }

  get current() {
    return this.at ?? -1;
  }

  set current(at) {
    if (at === this.at) return;
    this.at = at;
    this.items.forEach((item, index) => {
      item.dataset.state = index < at ? "done" : index === at ? "present" : "open";
      item.lastChild.textContent = index < at ? ", done" : "";
      if (index === at) item.setAttribute("aria-current", "step");
      else item.removeAttribute("aria-current");
    });
  }
}

customElements.define("k-steps", Steps);
