// The gallery's tab: months of small pictures, a selection, and one item as large as the window.

import { $, announce, ask, giveFocus, make, selectedTab, setDisabled, setText, show } from "./kit/elements.js";
import { integer, month } from "./kit/format.js";
import { ItemLightbox } from "./lightbox.js";
import "./kit/thumb.js";
import { badge, badgeText, lock, name } from "./tiles.js";

const counted = (count, one, many) => (count ? `${integer(count)} ${count === 1 ? one : many}` : "");

export class GalleryTab {
  constructor(act, openPhoto, discuss) {
    this.act = act;
    this.openPhoto = openPhoto;
    this.items = [];
    this.selected = new Set();
    this.lightbox = new ItemLightbox(act, {
      step: (by) => this.step(by),
      discuss,
      // What has opened it may be gone: it was deleted.
      closed: (id) => {
        const focused = document.activeElement;
        if (focused === document.body || $("lightbox").contains(focused)) giveFocus(this.tile(id), this.tileAt(this.place), selectedTab());
      },
    });
    $("grid").addEventListener("keydown", (event) => this.press(event));
    // Space selects, and does not open as well.
    $("grid").addEventListener("keyup", (event) => event.key === " " && event.target.matches(".tile") && event.preventDefault());
    $("grid").addEventListener("focusin", (event) => {
      this.current = event.target.closest("li")?.dataset.id;
      this.rove();
    });
  }

  // Showing it

  render(state) {
    this.items = state.items;
    this.selected = new Set(state.selection);
    if (this.selected.size) this.isSelecting = true;
    if (!state.items.length) this.isSelecting = false;
    show($("gallery-empty"), state.items.length === 0);
    const [photos, videos] = ["photo", "video"].map((kind) => state.items.filter((item) => item.kind === kind).length);
    setText($("gallery-count"), [counted(photos, "photo", "photos"), counted(videos, "video", "videos")].filter(Boolean).join(", "));
    const damaged = state.damagedItems;
    setText($("gallery-damage"), damaged
      ? `${damaged === 1 ? "1 item" : `${damaged} items`} cannot be shown: what the app knows of ${damaged === 1 ? "it" : "them"} is damaged.`
      : "");
    const left = state.leftAtStore ?? 0;
    setText($("gallery-left"), left
      ? `${left === 1 ? "1 deleted item is" : `${integer(left)} deleted items are`} still being removed from the storage.`
      : "");
    show($("gallery-left"), left > 0);
    this.state = state;
    this.renderActions();
    this.renderTiles();
  }

  renderTiles() {
    const old = new Map([...$("grid").querySelectorAll("li")].map((child) => [child.dataset.id, child]));
    const focused = document.activeElement?.closest?.("#grid li")?.dataset.id;
    const role = document.activeElement?.dataset?.role;
    const place = [...old.keys()].indexOf(focused);
    const list = this.items.map((item) => {
      const key = JSON.stringify([item.badge, item.isShared, this.selected.has(item.id)]);
      const known = old.get(item.id);
      return known?.dataset.key === key ? known : this.makeTile(item, key);
    });
    $("grid").classList.toggle("selecting", Boolean(this.isSelecting));
    const shown = [...old.values()];
    if (list.length !== shown.length || list.some((tile, index) => tile !== shown[index])) {
      $("grid").replaceChildren(...this.months(list));
      if (focused) giveFocus($("grid").querySelector(`[data-id="${focused}"] [data-role="${role}"]`), this.tileAt(place), selectedTab());
    }
    this.rove();
  }

  /// The tiles by their months, each under its name.
  months(list) {
    const parts = [];
    let last;
    list.forEach((tile, index) => {
      const text = month(this.items[index].createdAt);
      if (text !== last) parts.push(make("h3", {}, text), make("ul", { class: "grid", "aria-label": text }));
      last = text;
      parts.at(-1).append(tile);
    });
    return parts;
  }

  makeTile(item, key) {
    const isSelected = this.selected.has(item.id);
    const text = [badgeText(item), item.isShared ? "Public" : "", isSelected ? "Selected" : ""].filter(Boolean).join(". ");
    return make(
      "li",
      { "data-id": item.id, "data-key": key, class: isSelected ? "selected" : "" },
      make(
        "button",
        {
          class: "tile",
          "data-role": "open",
          tabindex: -1,
          "aria-label": name(item) + (text ? `. ${text}` : ""),
          onclick: (event) => (this.isSelecting || event.shiftKey ? this.toggle(item.id, event.shiftKey) : this.openPhoto(item.id)),
        },
        make("k-thumb", { src: `/thumbnails/${item.id}`, kind: item.kind }),
      ),
      // What is well needs no sign.
      item.badge === "greenCheck" ? null : badge(item),
      item.isShared ? lock() : null,
      make("input", {
        type: "checkbox",
        "data-role": "select",
        tabindex: -1,
        "aria-label": `Select ${name(item)}`,
        checked: isSelected,
        onclick: (event) => this.toggle(item.id, event.shiftKey),
      }),
    );
  }

  // Focus: one stop for Tab, and arrows from tile to tile

  tile(id) {
    return $("grid").querySelector(`[data-id="${id}"] .tile`);
  }

  /// The item that stands at a place now, or the last one.
  tileAt(place) {
    const tiles = $("grid").querySelectorAll(".tile");
    return tiles[Math.min(Math.max(place ?? 0, 0), tiles.length - 1)];
  }

  /// Tab leads to the tile that had the focus last, or to the first.
  rove() {
    const tiles = [...$("grid").querySelectorAll(".tile")];
    const current = tiles.find((tile) => tile.parentElement.dataset.id === this.current) ?? tiles[0];
    for (const tile of tiles) tile.tabIndex = tile === current ? 0 : -1;
  }

  press(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const id = event.target.closest("li")?.dataset.id;
    if (event.key === " " && event.target.matches(".tile")) {
      event.preventDefault();
      return this.toggle(id, event.shiftKey);
    }
    const tiles = [...$("grid").querySelectorAll(".tile")];
    const index = tiles.findIndex((tile) => tile.parentElement.dataset.id === id);
    const back = getComputedStyle($("grid")).direction === "rtl" ? 1 : -1;
    const steps = { ArrowLeft: back, ArrowRight: -back, Home: -index, End: tiles.length - 1 - index };
    let next = tiles[index + (steps[event.key] ?? 0)];
    if (event.key === "ArrowUp" || event.key === "ArrowDown") next = this.beside(tiles, tiles[index], event.key === "ArrowDown");
    if (!(event.key in steps) && !event.key.startsWith("Arrow")) return;
    event.preventDefault();
    next?.focus();
  }

  /// The tile of the next row, or of the row before, that is nearest.
  beside(tiles, tile, isBelow) {
    const here = tile.getBoundingClientRect();
    const boxes = tiles.map((other) => [other, other.getBoundingClientRect()]);
    const rows = boxes.map(([, { top }]) => Math.round(top)).filter((top) => (isBelow ? top > here.top + 1 : top < here.top - 1));
    const row = isBelow ? Math.min(...rows) : Math.max(...rows);
    const inRow = boxes.filter(([, { top }]) => Math.round(top) === row);
    return inRow.sort(([, one], [, other]) => Math.abs(one.left - here.left) - Math.abs(other.left - here.left))[0]?.[0];
  }

  // Selecting

  /// Selects an item or not; with Shift all from the one that was chosen before.
  async toggle(id, isRange) {
    const wants = !this.selected.has(id);
    const places = [id, isRange ? this.last : id].map((each) => this.items.findIndex((item) => item.id === each));
    const [from, to] = [Math.min(...places), Math.max(...places)];
    const ids = from < 0 ? [id] : this.items.slice(from, to + 1).map((item) => item.id);
    this.last = id;
    const name = wants ? "select" : "deselect";
    for (const each of ids) {
      if (this.selected.has(each) === wants) continue;
      this.selected[wants ? "add" : "delete"](each);
      this.act("gallery", { [name]: { _0: each } });
    }
  }

  startSelecting(isOn) {
    this.isSelecting = isOn;
    this.renderActions();
    this.renderTiles();
    if (isOn) announce("Choose photos and videos; Space selects.");
  }

  renderActions() {
    const state = this.state;
    const count = state.selection.length;
    const key = JSON.stringify([count, state.items.length > 0, state.isLoading, state.hasEarlier, state.hasLater, this.isSelecting]);
    if (this.actionsKey === key) return;
    this.actionsKey = key;
    const button = (text, action, style = "quiet") => {
      const made = make("button", { class: `${style} small`, onclick: action }, text);
      setDisabled(made, state.isLoading);
      return made;
    };
    const send = (action) => () => this.act("gallery", action);
    const done = () => {
      if (count) this.act("gallery", { clearSelection: {} });
      this.startSelecting(false);
    };
    const focused = document.activeElement;
    const hadFocus = $("gallery-actions").contains(focused);
    $("gallery-actions").replaceChildren(
      ...(count
        ? [
            make("span", { class: "fine", role: "status" }, `${integer(count)} selected`),
            button("Upload", send({ uploadSelection: {} })),
            button("Delete…", () => this.deleteSelection(count), "danger"),
          ]
        : []),
      ...(this.isSelecting
        ? [button("Select all", send({ selectAll: {} })), button(count ? "Deselect" : "Done", done)]
        : state.items.length ? [button("Select", () => this.startSelecting(true))] : []),
      ...(state.hasLater ? [button("Newest", send({ showNewest: {} }))] : []),
      ...(state.hasEarlier ? [button("Earlier", send({ showEarlier: {} }))] : []),
    );
    if (hadFocus) {
      const buttons = [...$("gallery-actions").querySelectorAll("button")];
      giveFocus(buttons.find((made) => made.textContent === focused.textContent), ...buttons, selectedTab());
    }
  }

  async deleteSelection(count) {
    const what = count === 1 ? "1 item" : `${integer(count)} items`;
    if (await ask(`Delete ${what}?`, "Deleted here and at the storage. This cannot be undone.", "Delete")) {
      await this.act("gallery", { deleteSelection: {} });
    }
  }

  // One item

  renderSheet(sheetState, preview) {
    const place = this.items.findIndex((item) => item.id === sheetState?.mediaPreview?._0);
    if (place >= 0) this.place = place;
    this.lightbox.render(sheetState, preview, { before: place > 0, next: place >= 0 && place + 1 < this.items.length });
  }

  step(by) {
    const place = this.items.findIndex((item) => item.id === this.lightbox.id);
    const next = place < 0 ? undefined : this.items[place + by];
    if (next) this.openPhoto(next.id);
  }
}
