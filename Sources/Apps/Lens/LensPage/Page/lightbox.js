// One photo or video, as large as the window: the one before and the next, enlarged, and what can be done with it.

import { FilmPlayer } from "./film.js";
import { $, ask, closesBy, giveFocus, isReplay, make, openSheet, setText } from "./kit/elements.js";
import { badge, badgeText, name } from "./tiles.js";

const shared = "Public: anyone who has its address at the storage can see it.";
/// How far a finger goes to the next photo, in pixels, and how much a double tap enlarges.
const swipe = 60;
const closer = 2.5;
const closest = 6;

export class Lightbox {
  /// `step` shows the item that is so many places further; `discuss` takes an item to the chat.
  constructor(act, { step, discuss, closed }) {
    Object.assign(this, { act, step, discuss, closed });
    const sheet = $("sheet");
    closesBy(sheet, $("sheet-close"), () => act("navigation", { dismissSheet: {} }));
    $("sheet-before").addEventListener("click", () => step(-1));
    $("sheet-next").addEventListener("click", () => step(1));
    sheet.addEventListener("keydown", (event) => {
      if (event.target.matches("input") || event.altKey || event.ctrlKey || event.metaKey) return;
      const steps = { ArrowLeft: -1, ArrowRight: 1 };
      if (!(event.key in steps) || this.scale > 1) return;
      event.preventDefault();
      step(steps[event.key] * (getComputedStyle(sheet).direction === "rtl" ? -1 : 1));
    });
    this.fingers = new Map();
    const stage = $("sheet-body");
    stage.addEventListener("dblclick", (event) => event.target.matches("img") && this.zoom(this.scale > 1 ? 1 : closer));
    stage.addEventListener("wheel", (event) => {
      if (!event.ctrlKey || !this.image) return;
      event.preventDefault();
      this.zoom(this.scale * Math.exp(-event.deltaY / 200));
    }, { passive: false });
    stage.addEventListener("pointerdown", (event) => this.touch(event));
    stage.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"]) stage.addEventListener(end, (event) => this.lift(event));
  }

  // Fingers

  touch(event) {
    if (!event.target.matches("img")) return;
    event.target.setPointerCapture(event.pointerId);
    this.fingers.set(event.pointerId, event);
    this.begun = { x: event.clientX, y: event.clientY, shift: this.shift, scale: this.scale, spread: this.spread };
  }

  get spread() {
    const [one, other] = [...this.fingers.values()];
    return other ? Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) : 0;
  }

  move(event) {
    if (!this.fingers.has(event.pointerId)) return;
    this.fingers.set(event.pointerId, event);
    if (this.fingers.size === 2 && this.begun.spread) return this.zoom((this.begun.scale * this.spread) / this.begun.spread);
    if (this.scale > 1) {
      const { x, y, shift } = this.begun;
      this.shift = { x: shift.x + event.clientX - x, y: shift.y + event.clientY - y };
      this.place();
    }
  }

  lift(event) {
    if (!this.fingers.delete(event.pointerId) || event.type === "pointercancel" || this.fingers.size) return;
    const [x, y] = [event.clientX - this.begun.x, event.clientY - this.begun.y];
    if (this.begun.spread || this.scale > 1 || Math.abs(x) < swipe || Math.abs(x) < Math.abs(y)) return;
    // Swiped to the left, what stands on the right comes.
    this.step((x < 0 ? 1 : -1) * (getComputedStyle($("sheet")).direction === "rtl" ? -1 : 1));
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

  render(sheetState, preview, neighbours) {
    const sheet = $("sheet");
    const item = sheetState?.mediaPreview && preview?.item;
    if (!item) {
      this.film?.stop();
      this.film = undefined;
      if (sheet.open) {
        $("sheet-body").replaceChildren();
        sheet.close();
        this.closed(this.id);
      }
      if (sheetState?.mediaPreview && preview && this.id && sheetState.mediaPreview._0 === this.id) this.act("navigation", { dismissSheet: {} });
      this.id = undefined;
      this.key = "";
      return;
    }
    const key = JSON.stringify([item, preview.video]);
    if (key !== this.key) this.fill(item, preview.video);
    this.key = key;
    this.id = item.id;
    const focused = document.activeElement;
    for (const [button, isThere] of [[$("sheet-before"), neighbours.before], [$("sheet-next"), neighbours.next]]) {
      button.hidden = !isThere;
      if (!isThere && button === focused) giveFocus($("sheet-before"), $("sheet-next"), $("sheet-close"));
    }
    if (!sheet.open) openSheet(sheet, $("sheet-close"));
  }

  fill(item, video) {
    setText($("sheet-title"), name(item));
    const focused = $("sheet").contains(document.activeElement) ? document.activeElement.dataset.role : undefined;
    this.showMedia(item, video);
    const button = (text, role, style, action) => make("button", { class: `${style} small`, "data-role": role, onclick: action }, text);
    $("sheet-facts").replaceChildren(
      make("p", { class: "state", role: "status" }, badge(item), badgeText(item) || "Not uploaded"),
      ...(item.isShared ? [make("p", { class: "fine" }, shared)] : []),
      ...(item.failure ? [make("p", { class: "fine" }, [item.failure.text, item.failure.advice].filter(Boolean).join(" "))] : []),
      make(
        "div",
        { class: "actions" },
        item.offersUpload ? button(item.badge === "redCross" ? "Try again" : "Upload", "upload", "primary", () => this.act("preview", { upload: {} })) : null,
        item.kind === "video" ? button("Ask about this video", "analyse", "quiet", () => this.act("preview", { analyse: {} })) : null,
        button(item.kind === "video" ? "Take it to the chat" : "Ask about it", "ask", "quiet", () => this.discuss(item)),
        isReplay ? null : make("a", { class: "quiet small", "data-role": "download", href: `/media/${item.id}`, download: `lens-${item.id.toLowerCase()}.${item.kind === "photo" ? "jpg" : "mov"}` }, "Download"),
        button("Delete…", "delete", "danger", () => this.deleteItem()),
      ),
    );
    if (focused) giveFocus($("sheet-facts").querySelector(`[data-role="${focused}"]`), $("sheet-close"));
  }

  /// The picture stays when only its badge changes.
  showMedia(item, video) {
    const old = $("sheet-body").querySelector(`[data-id="${item.id}"]`);
    if (old && old.dataset.film === String(Boolean(video))) return;
    this.film?.stop();
    this.film = undefined;
    let media;
    if (video && !isReplay) {
      this.film = new FilmPlayer(item.id, video, name(item));
      media = this.film.element;
    } else {
      media = make("img", { src: item.kind === "video" ? `/thumbnails/${item.id}` : `/media/${item.id}`, alt: name(item), draggable: "false" });
    }
    media.dataset.id = item.id;
    media.dataset.film = Boolean(video);
    this.image = media.matches("img") ? media : undefined;
    this.fingers.clear();
    this.zoom(1);
    $("sheet-body").replaceChildren(media);
  }

  async deleteItem() {
    if (await ask("Delete this item?", "Deleted here and at the storage. This cannot be undone.", "Delete")) {
      await this.act("preview", { delete: {} });
    }
  }
}
