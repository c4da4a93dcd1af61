// A picture for the next message: one of the gallery, or a file, which the browser makes a JPEG file of.

import { $, announce, make, openDialog, show } from "./elements.js";

/// The most pixels on a side of the JPEG file that is made of a picture.
const sideLimit = 3_072;

export class Attachment {
  constructor(act, connection, notice) {
    this.act = act;
    this.connection = connection;
    this.notice = notice;
    $("attach").addEventListener("click", () => this.choose());
    $("picker-close").addEventListener("click", () => $("picker").close());
    $("picker-file").addEventListener("click", () => $("file").click());
    $("file").addEventListener("change", () => {
      const [file] = $("file").files;
      // The same file can be chosen again.
      $("file").value = "";
      $("picker").close();
      if (file) this.send(file);
    });
    $("input").addEventListener("paste", (event) => {
      const file = [...event.clipboardData.files].find(({ type }) => type.startsWith("image/"));
      if (!file) return;
      event.preventDefault();
      this.send(file);
    });
    $("attachment-remove").addEventListener("click", () => act("chat", { removeAttachment: {} }));
  }

  /// Shows the photos that the gallery shows, and a way to files.
  choose() {
    const photos = (this.connection.states.gallery?.items ?? []).filter(({ kind }) => kind === "photo");
    $("picker-photos").replaceChildren(...photos.map((photo) => this.tile(photo)));
    show($("picker-photos"), photos.length > 0);
    openDialog($("picker"), $("picker-file"));
  }

  tile({ id, createdAt }) {
    const at = new Date(createdAt * 1000).toLocaleString("en", { dateStyle: "medium", timeStyle: "short" });
    const attach = () => {
      $("picker").close();
      this.act("chat", { attachPhoto: { _0: id } });
    };
    return make(
      "li",
      {},
      make(
        "button",
        { class: "tile", "aria-label": `Photo, ${at}`, onclick: attach },
        make("img", { src: `/thumbnails/${id}`, alt: "", loading: "lazy" }),
      ),
    );
  }

  /// One after the other, so that the one that was chosen last stays.
  send(file) {
    this.sending = (this.sending ?? Promise.resolve()).then(() => this.upload(file));
  }

  async upload(file) {
    this.notice("attachment", null);
    let answer;
    try {
      const body = await jpeg(file);
      answer = await this.connection.post("/attachments", body);
    } catch (error) {
      return this.refuse(error.message);
    }
    // What the app cannot use is an alert of the chat.
    if (!answer.ok && answer.status !== 422) this.refuse((await answer.text()).trim());
  }

  refuse(text) {
    this.notice("attachment", { title: "The picture was not attached", text, advice: "Choose another one.", offersRetry: false });
  }

  render(attachment) {
    const hadFocus = $("attachment").contains(document.activeElement);
    show($("attachment"), Boolean(attachment), $("input"));
    if (attachment?.id === this.id) return;
    if (attachment) {
      $("attachment-picture").src = `${attachment.isFile ? "/attachments" : "/thumbnails"}/${attachment.id}`;
      announce("A picture is attached.");
      if (!hadFocus) $("input").focus({ preventScroll: true });
    } else {
      $("attachment-picture").removeAttribute("src");
    }
    this.id = attachment?.id;
  }
}

/// A file as a new JPEG file: turned by its Exif orientation, and without what Exif says of place and camera.
async function jpeg(file) {
  let picture;
  try {
    picture = await createImageBitmap(file);
  } catch {
    throw new Error("The browser cannot read this file as a picture.");
  }
  const scale = Math.min(1, sideLimit / Math.max(picture.width, picture.height));
  const canvas = make("canvas");
  canvas.width = Math.max(1, Math.round(picture.width * scale));
  canvas.height = Math.max(1, Math.round(picture.height * scale));
  const context = canvas.getContext("2d");
  // JPEG knows no transparency.
  context.fillStyle = "#ffffff";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(picture, 0, 0, canvas.width, canvas.height);
  picture.close();
  const made = await new Promise((done) => canvas.toBlob(done, "image/jpeg", 0.9));
  if (!made) throw new Error("The browser cannot make a JPEG file of this picture.");
  return made;
}
