// One photo or video, as large as the window, and what can be done with it.

import { $, ask, isReplay, make } from "./kit/elements.js";
import "./kit/lightbox.js";
import { badge, badgeText, name } from "./tiles.js";

const shared = "Public: anyone who has its address at the storage can see it.";

export class ItemLightbox {
  /// `step` shows the item that is so many places further; `discuss` takes an item to the chat.
  constructor(act, { step, discuss, closed }) {
    Object.assign(this, { act, discuss, closed });
    this.box = $("lightbox");
    this.box.addEventListener("act", ({ detail }) => (detail.step ? step(detail.step) : act("navigation", { dismissSheet: {} })));
  }

  render(sheetState, preview, neighbours) {
    const item = sheetState?.mediaPreview && preview?.item;
    if (!item) {
      const wasOpen = this.box.isOpen;
      this.box.item = null;
      if (wasOpen) this.closed(this.id);
      if (sheetState?.mediaPreview && preview && this.id && sheetState.mediaPreview._0 === this.id) this.act("navigation", { dismissSheet: {} });
      this.id = undefined;
      this.key = "";
      return;
    }
    const key = JSON.stringify([item, preview.video]);
    this.id = item.id;
    this.box.neighbours = neighbours;
    if (key !== this.key) this.box.item = this.shown(item, preview.video);
    this.key = key;
  }

  shown(item, video) {
    const address = (milliseconds) => `/videos/${item.id}?at=${milliseconds}`;
    return {
      id: item.id,
      title: name(item),
      picture: item.kind === "video" ? `/thumbnails/${item.id}` : `/media/${item.id}`,
      film: video && !isReplay ? { duration: video.duration, address } : undefined,
      facts: this.facts(item),
    };
  }

  facts(item) {
    const button = (text, role, style, action) => make("button", { class: `${style} small`, "data-role": role, onclick: action }, text);
    return [
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
    ];
  }

  async deleteItem() {
    if (await ask("Delete this item?", "Deleted here and at the storage. This cannot be undone.", "Delete")) {
      await this.act("preview", { delete: {} });
    }
  }
}
