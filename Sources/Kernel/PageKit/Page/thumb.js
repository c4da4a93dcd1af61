// A small picture: a plain ground until it is loaded, and a sign where it cannot be shown. Children of the element lie over the picture.
//
//   <k-thumb src="/thumbnails/7" alt="" kind="video"><span class="badge">✓</span></k-thumb>
//
// It fills its parent, which has a ratio. `data-state` is `empty`, `loading`, `shown` or `broken`.

import { make } from "./elements.js";

export class Thumb extends HTMLElement {
  static observedAttributes = ["src"];

  connectedCallback() {
    if (this.image) return;
    this.image = make("img", { alt: this.getAttribute("alt") ?? "", loading: "lazy", decoding: "async" });
    this.image.addEventListener("load", () => (this.dataset.state = "shown"));
    this.image.addEventListener("error", () => (this.dataset.state = "broken"));
    this.prepend(this.image);
    if (this.getAttribute("kind") === "video") this.append(make("span", { class: "film", "aria-hidden": "true" }, "▶"));
    this.load();
  }

  attributeChangedCallback() {
    if (this.image) this.load();
  }

  load() {
    const source = this.getAttribute("src");
    this.dataset.state = source ? "loading" : "empty";
    if (source) this.image.src = source;
    else this.image.removeAttribute("src");
  }
}

customElements.define("k-thumb", Thumb);
