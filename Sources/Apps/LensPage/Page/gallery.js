// The gallery's tab: a grid with badges and a selection, and one photo in a sheet.

import { FilmPlayer } from "./film.js";
import { $, ask, giveFocus, isReplay, make, openDialog, selectedTab, setDisabled, setText, show } from "./elements.js";
import { dateAndTime, integer } from "./format.js";

const badges = {
  none: ["", ""],
  pending: ["◌", "Waits for its upload"],
  uploading: ["↑", "Is being uploaded"],
  greenCheck: ["✓", "Uploaded"],
  redCross: ["!", "The upload failed"],
};
const shared = "Shared: anyone who has its address at the storage can see it.";

function name(item) {
  return `${item.kind === "photo" ? "Photo" : "Video"}, ${dateAndTime(item.createdAt)}`;
}

function badge(item) {
  const [sign, text] = badges[item.badge];
  return sign ? make("span", { class: `badge ${item.badge}`, title: text, "aria-hidden": "true" }, sign) : null;
}

export class GalleryTab {
  constructor(act, openPhoto) {
    this.act = act;
    this.openPhoto = openPhoto;
    const sheet = $("sheet");
    $("sheet-close").addEventListener("click", () => act("navigation", { dismissSheet: {} }));
    sheet.addEventListener("cancel", (event) => {
      event.preventDefault();
      act("navigation", { dismissSheet: {} });
    });
    sheet.addEventListener("click", (event) => {
      if (event.target === sheet) act("navigation", { dismissSheet: {} });
    });
  }

  render(state) {
    show($("gallery-empty"), state.items.length === 0);
    const damaged = state.damagedItems;
    setText($("gallery-damage"), damaged
      ? `${damaged === 1 ? "1 item" : `${damaged} items`} cannot be shown: what the app knows of ${damaged === 1 ? "it" : "them"} is damaged.`
      : "");
    const left = state.leftAtStore;
    setText($("gallery-left"), left
      ? `${left === 1 ? "1 deleted item is" : `${integer(left)} deleted items are`} still being removed from the storage.`
      : "");
    show($("gallery-left"), left > 0);
    this.renderActions(state);
    const selected = new Set(state.selection);
    const old = new Map([...$("grid").children].map((child) => [child.dataset.id, child]));
    const focused = document.activeElement?.closest?.("#grid li")?.dataset.id;
    const role = document.activeElement?.dataset?.role;
    const place = [...old.keys()].indexOf(focused);
    const list = state.items.map((item) => {
      const key = JSON.stringify([item.badge, item.isShared, selected.has(item.id)]);
      const known = old.get(item.id);
      return known?.dataset.key === key ? known : this.tile(item, selected.has(item.id), key);
    });
    if (list.length !== $("grid").children.length || list.some((tile, index) => tile !== $("grid").children[index])) {
      $("grid").replaceChildren(...list);
      if (focused) {
        const again = $("grid").querySelector(`[data-id="${focused}"] [data-role="${role}"]`);
        giveFocus(again, this.tileAt(place), selectedTab());
      }
    }
  }

  /// The item that stands at a place now, or the last one.
  tileAt(place) {
    const tiles = $("grid").querySelectorAll(".tile");
    return tiles[Math.min(Math.max(place, 0), tiles.length - 1)];
  }

  tile(item, isSelected, key) {
    const text = [badges[item.badge][1], item.isShared ? "Shared" : ""].filter(Boolean).join(". ");
    const image = make("img", { src: `/thumbnails/${item.id}`, alt: "", loading: "lazy", decoding: "async" });
    return make(
      "li",
      { "data-id": item.id, "data-key": key, class: isSelected ? "selected" : "" },
      make(
        "button",
        {
          class: "tile",
          "data-role": "open",
          "aria-label": name(item) + (text ? `. ${text}` : ""),
          onclick: () => this.openPhoto(item.id),
        },
        image,
      ),
      item.kind === "video" ? make("span", { class: "film", "aria-hidden": "true" }, "▶") : null,
      badge(item),
      item.isShared ? make("span", { class: "badge shared", title: shared, "aria-hidden": "true" }, "↗") : null,
      make("input", {
        type: "checkbox",
        "data-role": "select",
        "aria-label": `Select ${name(item)}`,
        checked: isSelected,
        onchange: (event) =>
          this.act("gallery", event.target.checked ? { select: { _0: item.id } } : { deselect: { _0: item.id } }),
      }),
    );
  }

  renderActions(state) {
    const count = state.selection.length;
    const key = JSON.stringify([count, state.items.length > 0, state.isLoading, state.hasEarlier, state.hasLater]);
    if (this.actionsKey === key) return;
    this.actionsKey = key;
    const button = (text, action, style = "quiet") => {
      const made = make("button", { class: `${style} small`, onclick: action }, text);
      setDisabled(made, state.isLoading);
      return made;
    };
    const send = (action) => () => this.act("gallery", action);
    const focused = document.activeElement;
    const hadFocus = $("gallery-actions").contains(focused);
    $("gallery-actions").replaceChildren(
      ...(count
        ? [
            make("span", { class: "fine", role: "status" }, `${count} selected`),
            button("Deselect", send({ clearSelection: {} })),
            button("Upload", send({ uploadSelection: {} })),
            button("Delete…", () => this.deleteSelection(count), "danger"),
          ]
        : state.items.length ? [button("Select all", send({ selectAll: {} }))] : []),
      ...(state.hasLater ? [button("Newest", send({ showNewest: {} }))] : []),
      ...(state.hasEarlier ? [button("Earlier", send({ showEarlier: {} }))] : []),
    );
    if (hadFocus) {
      const buttons = [...$("gallery-actions").querySelectorAll("button")];
      giveFocus(buttons.find((made) => made.textContent === focused.textContent), ...buttons, selectedTab());
    }
  }

  async deleteSelection(count) {
    const what = count === 1 ? "1 item" : `${count} items`;
    if (await ask(`Delete ${what}?`, "Deleted here and at the storage. This cannot be undone.", "Delete")) {
      await this.act("gallery", { deleteSelection: {} });
    }
  }

  renderSheet(sheetState, preview) {
    const sheet = $("sheet");
    const item = sheetState?.mediaPreview && preview?.item;
    if (!item) {
      this.film?.stop();
      this.film = undefined;
      if (sheet.open) {
        $("sheet-body").replaceChildren();
        sheet.close();
        // What has opened it may be gone: it was deleted.
        const focused = document.activeElement;
        if (focused === document.body || sheet.contains(focused)) giveFocus(this.tileAt(this.place), selectedTab());
      }
      if (sheetState?.mediaPreview && preview && this.hadItem) this.act("navigation", { dismissSheet: {} });
      this.hadItem = false;
      this.sheetKey = "";
      return;
    }
    this.hadItem = true;
    const key = JSON.stringify([item, preview.video]);
    if (key !== this.sheetKey) this.fillSheet(item, preview.video);
    this.sheetKey = key;
    const tile = $("grid").querySelector(`[data-id="${item.id}"]`);
    if (tile) this.place = [...$("grid").children].indexOf(tile);
    if (!sheet.open) {
      this.open(sheet);
    }
  }

  /// In a recording the time stays within reach, and keeps the focus.
  open(sheet) {
    const focused = document.activeElement;
    if (isReplay) {
      sheet.show();
      focused?.focus();
    } else {
      openDialog(sheet, $("sheet-close"));
    }
  }

  fillSheet(item, video) {
    $("sheet-title").textContent = name(item);
    const text = badges[item.badge][1] || "Not uploaded";
    const hadFocus = $("sheet-body").contains(document.activeElement);
    const media = this.media(item, video);
    $("sheet-body").replaceChildren(
      media,
      make(
        "div",
        { class: "row" },
        make("p", { class: "state", role: "status" }, badge(item), text),
        item.isShared ? make("p", { class: "fine" }, shared) : null,
        make(
          "div",
          { class: "actions" },
          item.offersUpload
            ? make(
                "button",
                { class: "primary small", onclick: () => this.act("preview", { upload: {} }) },
                item.badge === "redCross" ? "Try again" : "Upload",
              )
            : null,
          make("button", { class: "danger small", onclick: () => this.deleteItem() }, "Delete…"),
        ),
      ),
      ...(item.failure
        ? [make("p", { class: "fine" }, [item.failure.text, item.failure.advice].filter(Boolean).join(" "))]
        : []),
    );
    if (hadFocus) $("sheet-close").focus();
  }

  /// The picture stays when only its badge changes.
  media(item, video) {
    const old = $("sheet-body").querySelector(`[data-id="${item.id}"]`);
    if (old && old.dataset.film === String(Boolean(video))) return old;
    this.film?.stop();
    this.film = undefined;
    if (video && !isReplay) {
      this.film = new FilmPlayer(item.id, video, name(item));
      this.film.element.dataset.id = item.id;
      this.film.element.dataset.film = true;
      return this.film.element;
    }
    const source = item.kind === "video" ? `/thumbnails/${item.id}` : `/media/${item.id}`;
    return make("img", { src: source, alt: name(item), "data-id": item.id, "data-film": "false" });
  }

  async deleteItem() {
    if (await ask("Delete this item?", "Deleted here and at the storage. This cannot be undone.", "Delete")) {
      await this.act("preview", { delete: {} });
    }
  }
}
