// The places of the app: their addresses, and the tabs on which alerts are shown.

const names = ["camera", "gallery", "chat", "settings"];

/// The address of a tab with what lies over it.
function address({ tab, sheet }) {
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
function read(hash) {
  const [, name, over] = /^#\/([a-z]+)(?:\/([0-9a-z-]+))?$/.exec(hash) ?? [];
  const tab = names.indexOf(name);
  if (tab < 0) return null;
  if (!over) return { tab };
  return { tab, sheet: sheetOf(over) };
}

export const places = { address, read };

/// The tabs on which a screen's alert is shown, its own first.
export const tabsOfAlerts = { camera: [0], stream: [0, 2], gallery: [1], chat: [2, 0], settings: [3] };
