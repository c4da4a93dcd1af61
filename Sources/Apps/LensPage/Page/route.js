// Addresses: where the user is stands behind the `#`, so that Back, Forward, a reload and a link lead there.

import { isReplay } from "./elements.js";

const names = ["camera", "gallery", "chat", "settings"];

/// The address of a tab with what lies over it.
function address(tab, sheet) {
  const over = sheet?.mediaPreview?._0 ?? analysed(sheet) ?? (sheet?.cameraDiscovery ? "cameras" : undefined);
  return `#/${names[tab]}${over ? `/${over.toLowerCase()}` : ""}`;
}

/// What stands for a sheet that asks about a video of the gallery.
function analysed(sheet) {
  const [, id] = /\/video_([0-9a-f-]{36})\.mov$/i.exec(sheet?.videoAnalysis?._0 ?? "") ?? [];
  return id && `ask-${id}`;
}

/// The sheet that stands for something in an address.
function sheetOf(over) {
  if (over === "cameras") return { cameraDiscovery: {} };
  if (over.startsWith("ask-")) return { videoAnalysis: { _0: `file:///video_${over.slice(4)}.mov` } };
  return { mediaPreview: { _0: over.toUpperCase() } };
}

/// The tab and the sheet of an address; nothing for one that names no place.
function place(hash) {
  const [, name, over] = /^#\/([a-z]+)(?:\/([0-9a-z-]+))?$/.exec(hash) ?? [];
  const tab = names.indexOf(name);
  if (tab < 0) return null;
  if (!over) return { tab };
  return { tab, sheet: sheetOf(over) };
}

export class Route {
  /// `go` gets the tab and the sheet that the user wants.
  constructor(go) {
    this.go = go;
    this.wanted = isReplay ? null : place(location.hash);
    if (!isReplay) addEventListener("popstate", () => this.follow(place(location.hash)));
  }

  follow(wanted) {
    if (!wanted) return;
    const target = address(wanted.tab, wanted.sheet);
    // What the server still says of before is no news meanwhile.
    this.target = target === this.shown ? undefined : target;
    if (!this.target) return;
    this.go(wanted).finally(() => {
      if (this.target !== target) return;
      // There is nothing at that address: the user stays where the app is.
      this.target = undefined;
      this.show(...this.here);
    });
  }

  /// Takes note of where the user is.
  show(tab, sheet) {
    if (isReplay) return;
    this.here = [tab, sheet];
    const here = address(tab, sheet);
    this.shown = here;
    if (this.wanted) {
      // The page was opened by an address.
      const wanted = this.wanted;
      this.wanted = null;
      this.follow(wanted);
    }
    if (this.target && this.target !== here) return;
    this.target = undefined;
    if (location.hash === here) return;
    const isOver = (hash) => hash.split("/").length > 2;
    const state = { from: location.hash };
    if (!location.hash) history.replaceState(null, "", here);
    // Closed, it is as it was before it was opened.
    else if (isOver(location.hash) && history.state?.from === here) history.back();
    // From one photo to the next is one place.
    else if (isOver(location.hash) && isOver(here)) history.replaceState(history.state, "", here);
    else history.pushState(state, "", here);
  }
}
