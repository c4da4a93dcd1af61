// What a photo or video looks like wherever it is shown small: its name, its badge.

import { make } from "./kit/elements.js";
import { dateAndTime } from "./kit/format.js";
import { drawing } from "./kit/icons.js";

const badges = {
  none: ["", ""],
  pending: ["◌", "Waits for its upload"],
  uploading: ["↑", "Is being uploaded"],
  greenCheck: ["✓", "Uploaded"],
  redCross: ["!", "The upload failed"],
};

/// What an item is called.
export const name = (item) => `${item.kind === "photo" ? "Photo" : "Video"}, ${dateAndTime(item.createdAt)}`;

/// Where its upload stands, in words; nothing where none was asked for.
export const badgeText = (item) => badges[item.badge][1];

/// Where its upload stands, as a sign.
export function badge(item) {
  const [sign, text] = badges[item.badge];
  return sign ? make("span", { class: `badge ${item.badge}`, title: text, "aria-hidden": "true" }, sign) : null;
}

/// An open lock: what anyone can see who has its address.
export function lock() {
  const svg = drawing("M6 11h12a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1H6a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1zM8.500 11V7.500a3.500 3.500 0 0 1 6.800-1.200");
  return make("span", { class: "badge shared", title: "Public", "aria-hidden": "true" }, svg);
}
