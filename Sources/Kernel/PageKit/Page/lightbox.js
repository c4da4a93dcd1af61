// One picture or movie, as large as the window: the one before and the next by button, arrow or swipe, and closer by wheel, fingers or two clicks.
//
//   <k-lightbox id="lightbox"></k-lightbox>
//
// `item` is what is shown, nothing closes it: `{ id, title, picture, film, facts }`, where `picture` is an address, `film` what `FilmPlayer` wants, and
// `facts` the elements below it. `neighbours` says whether there is one `before` and one `next`. Acts with `{ step: -1 }`, `{ step: 1 }` and `{ close: {} }`.

import { closesBy, giveFocus, isMirrored, make, openSheet, say, setText } from "./elements.js";
import { FilmPlayer } from "./film.js";
import { Gestures } from "./gestures.js";
import { icon } from "./icons.js";

/// How far a finger goes to the next item, in pixels, and how much a double tap enlarges.
const swipe = 60;
const closer = 2.5;
const closest = 6;

export class Lightbox extends HTMLElement {
  connectedCallback() {
    if (this.dialog) return;
    const round = (name, sign, look, action) => make("button", { class: `round ${look}`, "aria-label": name, title: name, onclick: action }, icon(sign));
    this.heading = make("h2", { id: `${this.id}-title`, dir: "auto" });
    this.closing = round("Close", "close", "quiet");
    this.ways = {
      before: round("Previous", "back", "before", () => say(this, { step: -1 })),
      next: round("Next", "forward", "next", () => say(this, { step: 1 })),
    };
    this.stage = make("div", { class: "screen" });
    this.facts = make("div", { class: "row" });
    this.dialog = make(
      "dialog",
      { id: `${this.id}-dialog`, class: "lightbox", "aria-labelledby": this.heading.id },
      make("div", { class: "row" }, this.heading, this.closing),
      make("div", { class: "shown" }, this.ways.before, this.stage, this.ways.next),
      this.facts,
    );
    closesBy(this.dialog, this.closing, () => say(this, { close: {} }));
    this.dialog.addEventListener("keydown", (event) => this.press(event));
    this.stage.addEventListener("dblclick", (event) => event.target === this.image && this.zoom(this.scale > 1 ? 1 : closer));
    this.stage.addEventListener("wheel", (event) => this.turn(event), { passive: false });
    this.gestures = new Gestures(this.stage, {
      takes: (target) => target === this.image,
      begins: () => (this.begun = { shift: this.shift, scale: this.scale }),
      moves: (way) => this.move(way),
      ends: (way) => this.swiped(way),
    });
    this.append(this.dialog);
  }

  // Closer, and further

  press(event) {
    if (event.target.matches("input") || event.altKey || event.ctrlKey || event.metaKey) return;
    const steps = { ArrowLeft: -1, ArrowRight: 1 };
    if (!(event.key in steps) || this.scale > 1) return;
    event.preventDefault();
    say(this, { step: steps[event.key] * (isMirrored(this.dialog) ? -1 : 1) });
  }

  turn(event) {
    if (!event.ctrlKey || !this.image) return;
    event.preventDefault();
    this.zoom(this.scale * Math.exp(-event.deltaY / 200));
  }

  move({ x, y, spread }) {
    if (spread) return this.zoom(this.begun.scale * spread);
    if (this.scale === 1) return;
    this.shift = { x: this.begun.shift.x + x, y: this.begun.shift.y + y };
    this.place();
  }

  /// Swiped to the left, what stands on the right comes.
  swiped({ x, y, isPinch }) {
    if (isPinch || this.scale > 1 || Math.abs(x) < swipe || Math.abs(x) < Math.abs(y)) return;
    say(this, { step: (x < 0 ? 1 : -1) * (isMirrored(this.dialog) ? -1 : 1) });
  }

  zoom(scale) {
    this.scale = Math.min(closest, Math.max(1, scale));
    if (this.scale === 1) this.shift = { x: 0, y: 0 };
    this.place();
  }

  place() {
    if (!this.image) return;
    this.image.style.transform = this.scale > 1 ? `translate(${this.shift.x}px, ${this.shift.y}px) scale(${this.scale})` : "";
    this.image.style.cursor = this.scale > 1 ? "grab" : "";
  }

  // What is shown

  get isOpen() {
    return this.dialog.open;
  }

  set item(item) {
    if (!item) return this.clear();
    setText(this.heading, item.title);
    this.showMedia(item);
    const role = this.dialog.contains(document.activeElement) ? document.activeElement.dataset.role : undefined;
    this.facts.replaceChildren(...item.facts);
    if (role) giveFocus(this.facts.querySelector(`[data-role="${role}"]`), this.closing);
    if (!this.isOpen) openSheet(this.dialog, this.closing);
  }

  clear() {
    this.film?.stop();
    this.film = this.image = this.shown = undefined;
    this.stage.replaceChildren();
    if (this.isOpen) this.dialog.close();
  }

  set neighbours(neighbours) {
    const focused = document.activeElement;
    for (const [name, button] of Object.entries(this.ways)) {
      button.hidden = !neighbours[name];
      if (button.hidden && button === focused) giveFocus(this.ways.before, this.ways.next, this.closing);
    }
  }

  /// The picture stays when only what is said of it changes.
  showMedia({ id, title, picture, film }) {
    const shown = JSON.stringify([id, Boolean(film)]);
    if (shown === this.shown) return;
    this.film?.stop();
    this.film = film ? new FilmPlayer({ name: title, ...film }) : undefined;
    this.image = film ? undefined : make("img", { src: picture, alt: title, draggable: "false" });
    this.shown = shown;
    this.gestures.clear();
    this.zoom(1);
    this.stage.replaceChildren(this.film?.element ?? this.image);
  }
}

customElements.define("k-lightbox", Lightbox);
