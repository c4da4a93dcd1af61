// A picture or video for the next message: one of the gallery, or a file. Of a picture the browser makes a JPEG file; a movie goes as it is.

import { $, announce, make, openSheet, show } from "./kit/elements.js";
import { dateAndTime } from "./kit/format.js";
import { bitmap, jpeg, takeFiles } from "./kit/pictures.js";
import "./kit/thumb.js";

/// The most pixels on a side of the JPEG file that is made of a picture.
const sideLimit = 3_072;
/// The most bytes of a movie, as the server has it.
const movieLimit = 64 * 1024 * 1024;
/// What a movie's type is by the end of its name: not every system knows it.
const movieTypes = { mov: "video/quicktime", qt: "video/quicktime", mp4: "video/mp4", m4v: "video/mp4" };

export class Attachment {
  constructor(act, connection, notice) {
    this.act = act;
    this.connection = connection;
    this.notice = notice;
    $("attach").addEventListener("click", () => act("chat", { openAttachmentMenu: {} }));
    const close = () => act("chat", { closeAttachmentMenu: {} });
    $("picker-close").addEventListener("click", close);
    $("picker").addEventListener("cancel", (event) => {
      // Not that of the choice of a file.
      if (event.target !== $("picker")) return;
      event.preventDefault();
      close();
    });
    $("picker-file").addEventListener("click", () => $("file").click());
    $("file").addEventListener("change", () => {
      const [file] = $("file").files;
      // The same file can be chosen again.
      $("file").value = "";
      close();
      if (file) this.send(file);
    });
    takeFiles({ pasted: $("chat-input"), dropped: $("panel-2"), take: (file) => this.send(file) });
    $("attachment-remove").addEventListener("click", () => act("chat", { removeAttachment: {} }));
  }

  /// Shows photos and videos of the gallery, and a way to files.
  renderMenu(menu) {
    const picker = $("picker");
    if (!menu) {
      this.menuKey = undefined;
      // The browser gives the focus back to where it was.
      if (picker.open) picker.close();
      return;
    }
    const key = JSON.stringify(menu);
    if (key !== this.menuKey) {
      this.menuKey = key;
      this.fill("photos", menu.photos, "Photo", "attachPhoto");
      this.fill("videos", menu.videos, "Video", "attachVideo");
    }
    if (picker.open) return;
    openSheet(picker, $("picker-file"));
  }

  fill(name, choices, kind, action) {
    $(`picker-${name}`).replaceChildren(...choices.map((choice) => this.tile(choice, kind, action)));
    for (const part of [$(`picker-${name}`), $(`picker-${name}-title`)]) show(part, choices.length > 0);
  }

  tile({ id, createdAt }, kind, action) {
    const at = dateAndTime(createdAt);
    return make(
      "li",
      {},
      make(
        "button",
        { class: "tile", "aria-label": `${kind}, ${at}`, onclick: () => this.act("chat", { [action]: { _0: id } }) },
        make("k-thumb", { src: `/thumbnails/${id}`, kind: kind.toLowerCase() }),
      ),
    );
  }

  /// One after the other, so that the one that was chosen last stays. `sending` never fails: a failed upload is a notice.
  send(file) {
    this.sending = (this.sending ?? Promise.resolve()).then(() => this.upload(file));
  }

  async upload(file) {
    this.notice("attachment", null);
    const type = movieType(file);
    const title = `The ${type ? "video" : "picture"} was not attached`;
    try {
      if (type && file.size > movieLimit) throw new Error("The video is larger than 64 MB.");
      // The server tells a movie by its type.
      const body = type ? new Blob([file], { type }) : await small(file);
      const answer = await this.connection.post("/attachments", body);
      // What the app cannot use is an alert of the chat.
      if (!answer.ok && answer.status !== 422) this.refuse(title, (await answer.text()).trim());
    } catch (error) {
      // The connection may also break in the middle of the answer.
      this.refuse(title, error.message);
    }
  }

  refuse(title, text) {
    this.notice("attachment", { title, text, advice: "Choose another one.", offersRetry: false });
  }

  /// Where the picture of what is attached is.
  address({ id, kind, isFile }) {
    if (!isFile) return `/thumbnails/${id}`;
    return kind === "video" ? `/videos/${id}?at=0` : `/attachments/${id}`;
  }

  render(attachment) {
    const hadFocus = $("attachment").contains(document.activeElement);
    show($("attachment"), Boolean(attachment), $("chat-input"));
    if (attachment?.id === this.id) return;
    if (attachment) {
      const { kind } = attachment;
      const what = kind === "video" ? "video" : "picture";
      $("attachment-picture").src = this.address(attachment);
      $("attachment-picture").alt = `The ${what} that goes with the next message`;
      $("attachment").setAttribute("aria-label", `Attached ${what}`);
      for (const name of ["aria-label", "title"]) $("attachment-remove").setAttribute(name, `Remove the ${what}`);
      show($("attachment-film"), kind === "video");
      announce(`A ${what} is attached.`);
      if (!hadFocus && $("chat-input").checkVisibility()) $("chat-input").focus({ preventScroll: true });
    } else {
      $("attachment-picture").removeAttribute("src");
    }
    this.id = attachment?.id;
  }
}

/// The type of a movie; nothing for another file.
function movieType({ name, type }) {
  if (type) return type.startsWith("video/") ? type : undefined;
  return movieTypes[name.split(".").at(-1).toLowerCase()];
}

/// A picture of any type as a JPEG file.
async function small(file) {
  const picture = await bitmap(file);
  try {
    return await jpeg(picture, sideLimit);
  } finally {
    picture.close();
  }
}
