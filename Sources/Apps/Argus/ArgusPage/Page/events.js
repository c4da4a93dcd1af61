// Events as rows, and one of them with all that is known of it.

import "./kit/feed.js";
import "./kit/thumb.js";
import { make, setText } from "./kit/elements.js";
import { dateAndTime } from "./kit/format.js";
import { drawing } from "./kit/icons.js";

/// What stands for the kinds of events, and what they are called.
const kinds = {
  person: ["Person", "M12 4a3.500 3.500 0 1 1 0 7 3.500 3.500 0 0 1 0-7zM5 20c0-4 3-6.500 7-6.500s7 2.500 7 6.500"],
  vehicle: ["Vehicle", "M3 16v-3l2-1 2-5h9l3 5 2 1v3zM6.500 16a1.800 1.800 0 1 0 .1 0zM17 16a1.800 1.800 0 1 0 .1 0z"],
  animal: ["Animal", "M12 12c3 0 5 3 5 5.500 0 2-2 2.500-5 2.500s-5-.5-5-2.500C7 15 9 12 12 12zM6 9.500v1M9.500 5v1.500M14.500 5v1.500M18 9.500v1"],
  package: ["Package", "m12 3 8 4v10l-8 4-8-4V7zM4 7l8 4 8-4M12 11v10"],
  motion: ["Motion", "M3 9c3-3 6 3 9 0s6 3 9 0M3 15c3-3 6 3 9 0s6 3 9 0"],
  ring: ["Ring", "M6 16.500c1-1.500 1.500-3 1.500-6a4.500 4.500 0 0 1 9 0c0 3 .5 4.500 1.500 6zM10 19.500a2.200 2.200 0 0 0 4 0"],
  generic: ["Event", "M12 4a8 8 0 1 1 0 16 8 8 0 0 1 0-16zM12 8v5M12 16v.1"],
};

export const kindOf = (icon) => kinds[icon]?.[0] ?? kinds.generic[0];
const sign = (icon) => drawing((kinds[icon] ?? kinds.generic)[1]);

/// The address of a picture that the server has; nothing for one that is not there yet.
const picture = ({ id, thumbnail }) => (thumbnail === "shown" ? `/thumbnails/${encodeURIComponent(id)}` : null);

/// What a row is called.
const name = (row) => `${kindOf(row.icon)}, ${row.cameraName}, ${dateAndTime(row.time)}`;

function showPicture(thumb, row) {
  const source = picture(row);
  if ((thumb.getAttribute("src") ?? null) !== source) {
    if (source) thumb.setAttribute("src", source);
    else thumb.removeAttribute("src");
  }
  thumb.parentElement.dataset.thumbnail = row.thumbnail;
}

/// How a feed shows events; `open(id)` is called for the one that is wanted.
export const rows = (open) => ({
  key: ({ id }) => id,
  name,
  make(row) {
    const thumb = make("k-thumb", {});
    const tile = make("div", { class: "tile" }, thumb, make("span", { class: "sign" }, sign(row.icon)));
    const button = make("button", { class: "open", "data-role": "open", "aria-label": name(row), onclick: () => open(row.id) }, kindOf(row.icon));
    const words = make(
      "div",
      { class: "words" },
      make("h3", {}, button),
      make("p", { class: "what", dir: "auto" }, row.description),
      make("p", { class: "fine where" }, make("span", { class: "camera", dir: "auto" }, row.cameraName), " · ", make("time", {}, dateAndTime(row.time))),
    );
    const element = make("article", { class: "card event" }, tile, words);
    showPicture(thumb, row);
    return element;
  },
  update(element, row) {
    showPicture(element.querySelector("k-thumb"), row);
    setText(element.querySelector(".open"), kindOf(row.icon));
    setText(element.querySelector(".what"), row.description);
    setText(element.querySelector(".camera"), row.cameraName);
    setText(element.querySelector("time"), dateAndTime(row.time));
    for (const named of [element, element.querySelector(".open")]) if (named.ariaLabel !== name(row)) named.ariaLabel = name(row);
  },
});

/// Shows one event: its picture, what was seen, and the facts.
export function showDetail(parts, row) {
  setText(parts.title, row ? kindOf(row.icon) : "Event");
  setText(parts.text, row?.description ?? "");
  const source = row && picture(row);
  parts.picture.alt = row ? `The picture of the camera: ${row.cameraName}` : "";
  parts.figure.dataset.thumbnail = row?.thumbnail ?? "loading";
  if (source && parts.picture.getAttribute("src") !== source) parts.picture.src = source;
  if (!source) parts.picture.removeAttribute("src");
  const facts = row ? [["Camera", row.cameraName], ["Time", dateAndTime(row.time)], ["Kind", kindOf(row.icon)]] : [];
  parts.facts.replaceChildren(...facts.flatMap(([title, text]) => [make("dt", {}, title), make("dd", { dir: "auto" }, text)]));
}
