// A new post: a photo is picked, edited, and published; and what Nova does not have yet.

import "./kit/crop.js";
import "./kit/steps.js";
import "./kit/thumb.js";
import { $, make, setDisabled, setText, show } from "./kit/elements.js";
import { list } from "./kit/list.js";
import { bitmap, jpeg, takeFiles } from "./kit/pictures.js";

/// What the server decodes; whatever else the browser can show is made a JPEG file of.
const decodable = ["image/jpeg", "image/png"];
/// The side of such a file at most, in pixels.
const side = 4_096;

const shapes = { Original: () => null, Square: () => 1, Portrait: () => 4 / 5, Landscape: () => 3 / 2 };
const filters = { original: "Original", mono: "Mono", sepia: "Sepia", vivid: "Vivid", warm: "Warm", cool: "Cool" };

/// A file that the server can decode.
export async function readable(file) {
  return decodable.includes(file.type) ? file : jpeg(await bitmap(file), side);
}

export class Create {
  /// `act` sends an action to a screen, `post` a file to the server; `refuse` says why a file was not taken.
  constructor({ act, post, refuse, page }) {
    Object.assign(this, { act, post, refuse, page });
    this.crop = $("crop");
    $("choose").addEventListener("click", () => $("file").click());
    $("file").addEventListener("change", () => {
      const [file] = $("file").files;
      $("file").value = "";
      if (file) this.send(file);
    });
    takeFiles({ pasted: $("create-pick"), dropped: $("create-pick"), take: (file) => this.send(file) });
    $("edit-cancel").addEventListener("click", () => act("create", { back: {} }));
    $("edit-use").addEventListener("click", () => this.use());
    $("publish-cancel").addEventListener("click", () => act("create", { back: {} }));
    $("caption").addEventListener("change", () => this.keepCaption());
    $("create-publish").addEventListener("submit", async (event) => {
      event.preventDefault();
      if (await this.keepCaption()) await act("create", { publish: {} });
    });
    $("shapes").append(...Object.keys(shapes).map((name) => this.choice(name, "shape", () => this.shape(name))));
    $("filters").append(...Object.entries(filters).map(([filter, name]) => this.choice(name, filter, () => act("create", { setFilter: { _0: filter } }))));
  }

  choice(name, value, action) {
    return make("button", { type: "button", class: "quiet small choice", "data-value": value === "shape" ? name : value, "aria-pressed": "false", onclick: action }, name);
  }

  async send(file) {
    this.refuse(null);
    try {
      const answer = await this.post("/photos", await readable(file));
      if (!answer.ok) this.refuse((await answer.text()).trim());
    } catch (error) {
      this.refuse(error.message);
    }
  }

  keepCaption() {
    return this.act("create", { setCaption: { _0: $("caption").value } });
  }

  // Editing

  async open(version) {
    this.take(version);
    this.chosen = "Original";
    const answer = await fetch(this.draft());
    const file = answer.ok ? await answer.blob() : undefined;
    if (this.version !== version) return;
    this.crop.file = file;
    this.shape("Original");
    for (const button of $("filters").children) {
      button.querySelector("k-thumb")?.remove();
      button.prepend(make("k-thumb", { src: this.draft(button.dataset.value) }));
    }
  }

  /// The numbers of pictures begin again with each post, and the browser keeps what it has had at an address.
  take(version) {
    this.version = version;
    this.taken = (this.taken ?? 0) + 1;
  }

  draft(filter) {
    return `/drafts?page=${encodeURIComponent(this.page())}&v=${this.taken}${filter ? `&filter=${filter}` : ""}`;
  }

  /// Gives the part that is used another shape, which begins as large as it can be.
  async shape(name) {
    this.chosen = name;
    for (const button of $("shapes").children) button.setAttribute("aria-pressed", String(button.dataset.value === name));
    // The picture is there a moment after its file.
    for (let tries = 0; !this.crop.hasPicture && tries < 200; tries += 1) await new Promise((done) => setTimeout(done, 25));
    if (!this.crop.hasPicture || this.chosen !== name) return;
    const { width, height } = this.crop.picture;
    this.crop.ratio = shapes[name]() ?? width / height;
    this.crop.zoom(1);
  }

  async use() {
    if (!this.crop.hasPicture) return;
    const { width, height } = this.crop.picture;
    const part = this.crop.part();
    const crop = { left: part.x / width, top: part.y / height, width: part.width / width, height: part.height / height };
    if (await this.act("create", { setCrop: { _0: crop } })) await this.act("create", { applyEdit: {} });
  }

  // What is shown

  render({ step, pictureVersion, edit, caption, progress, uploads }, world) {
    const steps = { entry: 0, edit: 1, form: 2 };
    $("create-steps").current = steps[step];
    const title = $("create-title");
    show($("create-pick"), step === "entry", title);
    show($("create-edit"), step === "edit", title);
    show($("create-publish"), step === "form", title);
    this.renderLibrary(step === "entry" ? (world?.photos ?? 0) : 0);
    setText($("choose"), progress.isLoading && step === "entry" ? "Reading…" : "Choose a photo");
    if (step === "entry") this.version = undefined;
    if (step === "edit" && this.version !== pictureVersion) this.open(pictureVersion);
    if (step === "edit") for (const button of $("filters").children) button.setAttribute("aria-pressed", String(button.dataset.value === edit.filter));
    setDisabled($("edit-use"), progress.isLoading);
    setText($("edit-use"), progress.isLoading ? "Editing…" : "Continue");
    if (step === "form" && this.version !== pictureVersion) {
      this.take(pictureVersion);
      $("publish-picture").src = this.draft();
      $("caption").value = caption;
    }
    if (step !== "form") $("publish-picture").removeAttribute("src");
    setDisabled($("publish"), progress.isLoading);
    setDisabled($("publish-cancel"), progress.isLoading);
    setText($("publish"), progress.isLoading ? "Publishing…" : "Publish");
    setText($("publish-status"), progress.isLoading && step === "form" ? "Uploading…" : "");
    this.renderQueue(uploads);
  }

  renderLibrary(count) {
    $("library-part").hidden = count === 0;
    const tile = (number) =>
      make("li", {}, make("button", { class: "tile", "aria-label": `Photo ${number + 1}`, onclick: () => this.act("surroundings", { pick: { photo: number } }) }, make("k-thumb", { src: `/library/${number}` })));
    list($("library"), [...Array(count).keys()], { key: (number) => number, make: tile });
  }

  renderQueue(uploads) {
    show($("queue"), uploads.length > 0, $("create-title"));
    const button = (text, role, action) => make("button", { type: "button", class: "quiet small", "data-role": role, onclick: action }, text);
    list($("queue-list"), uploads, {
      key: ({ id }) => id,
      make: ({ id, caption, text, isFailed }) =>
        make(
          "li",
          {},
          make("div", { class: "names" }, make("span", { dir: "auto" }, caption || "A photo without a caption"), make("span", { class: "fine state" }, text)),
          make(
            "div",
            { class: "actions" },
            make("span", { class: "again", hidden: !isFailed }, button("Try again", "retry", () => this.act("create", { retryUpload: { id } }))),
            button("Discard", "discard", () => this.act("create", { discardUpload: { id } })),
          ),
        ),
      update(element, { text, isFailed }) {
        setText(element.querySelector(".state"), text);
        element.querySelector(".again").hidden = !isFailed;
      },
    });
  }
}
