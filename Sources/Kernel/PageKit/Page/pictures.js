// Pictures of the user's own: files that are pasted or dropped, and a JPEG file of what a browser can show.

import { make } from "./elements.js";

/// Takes pictures that are pasted into a field, and files that are dropped on a part of the page, which has the class `dropping` meanwhile.
export function takeFiles({ pasted, dropped, take }) {
  pasted.addEventListener("paste", (event) => {
    const file = [...event.clipboardData.files].find(({ type }) => type.startsWith("image/"));
    if (!file) return;
    event.preventDefault();
    take(file);
  });
  dropped.addEventListener("dragover", (event) => {
    if (![...event.dataTransfer.types].includes("Files")) return;
    event.preventDefault();
    dropped.classList.add("dropping");
  });
  for (const name of ["dragleave", "drop"]) dropped.addEventListener(name, () => dropped.classList.remove("dropping"));
  dropped.addEventListener("drop", (event) => {
    const [file] = event.dataTransfer.files;
    event.preventDefault();
    if (file) take(file);
  });
}

/// A file as a bitmap, turned by its Exif orientation.
export async function bitmap(file) {
  try {
    return await createImageBitmap(file);
  } catch {
    throw new Error("The browser cannot read this file as a picture.");
  }
}

/// A part of a bitmap as a JPEG file with at most so many pixels on a side, and without what Exif says of place and camera. Without a part the whole
/// of it.
export async function jpeg(picture, limit, part = { x: 0, y: 0, width: picture.width, height: picture.height }) {
  const scale = Math.min(1, limit / Math.max(part.width, part.height));
  const canvas = make("canvas");
  canvas.width = Math.max(1, Math.round(part.width * scale));
  canvas.height = Math.max(1, Math.round(part.height * scale));
  const context = canvas.getContext("2d");
  // JPEG knows no transparency.
  context.fillStyle = "#ffffff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, part.x, part.y, part.width, part.height, 0, 0, canvas.width, canvas.height);
  const made = await new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.9));
  if (!made) throw new Error("The browser cannot make a JPEG file of this picture.");
  return made;
}
