// Reads the little Markdown that assistants write, and makes elements of it; texts are never read as HTML.

import { make } from "./elements.js";

/// What is marked inside a line: code, bold, emphasis, a link with a name, and a bare address.
const marks = new RegExp(
  [
    "`([^`\\n]+)`",
    "\\*\\*(\\S(?:[^\\n]*?\\S)?)\\*\\*",
    "\\*([^\\s*](?:[^*\\n]*[^\\s*])?)\\*",
    "\\[([^\\]\\n]+)\\]\\((https?://[^\\s()]+)\\)",
    "(https?://[^\\s<>\"`]*[^\\s<>\"`.,;:!?)\\]…])",
  ].join("|"),
  "g",
);

function link(address, name) {
  // The place that is linked learns nothing of this page.
  return make("a", { href: address, target: "_blank", rel: "noopener noreferrer" }, name);
}

/// The parts of a line.
function inline(text) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(marks)) {
    const [whole, code, bold, emphasis, name, named, bare] = match;
    if (match.index > end) parts.push(text.slice(end, match.index));
    end = match.index + whole.length;
    if (code) parts.push(make("code", {}, code));
    else if (bold) parts.push(make("strong", {}, ...inline(bold)));
    else if (emphasis) parts.push(make("em", {}, ...inline(emphasis)));
    else if (name) parts.push(link(named, name));
    else parts.push(link(bare, bare));
  }
  if (end < text.length) parts.push(text.slice(end));
  return parts;
}

const fence = /^\s*```/;
const bullet = /^\s*[-*•]\s+(.*)$/;
const number = /^\s*(\d{1,9})[.)]\s+(.*)$/;
const heading = /^#{1,6}\s+(.*?)\s*#*$/;

/// A text as blocks: paragraphs, lists and code.
export function rich(text) {
  const blocks = [];
  const lines = text.split("\n");
  for (let at = 0; at < lines.length;) {
    const line = lines[at];
    if (fence.test(line)) {
      const begun = ++at;
      while (at < lines.length && !fence.test(lines[at])) at += 1;
      blocks.push(make("pre", { tabindex: 0, role: "group", "aria-label": "Code" }, make("code", {}, lines.slice(begun, at).join("\n"))));
      at += 1;
    } else if (bullet.test(line) || number.test(line)) {
      const kind = bullet.test(line) ? bullet : number;
      const start = kind === number ? Number(line.match(number)[1]) : undefined;
      const list = make(kind === number ? "ol" : "ul", { dir: "auto", class: "points", start: start > 1 ? start : undefined });
      for (; at < lines.length && kind.test(lines[at]); at += 1) list.append(make("li", {}, ...inline(lines[at].match(kind).at(-1))));
      blocks.push(list);
    } else if (heading.test(line)) {
      blocks.push(make("p", { dir: "auto" }, make("strong", {}, ...inline(line.match(heading)[1]))));
      at += 1;
    } else if (!line.trim()) {
      at += 1;
    } else {
      const begun = at;
      const isPlain = (other) => other.trim() && ![fence, bullet, number, heading].some((kind) => kind.test(other));
      do at += 1; while (at < lines.length && isPlain(lines[at]));
      blocks.push(make("p", { dir: "auto" }, ...inline(lines.slice(begun, at).join("\n"))));
    }
  }
  return blocks;
}
