// The setup of a new Wi-Fi camera, in the sheet of the cameras. The password of the network goes to the server in a request of its own; the
// codes that say it come as pictures that nobody keeps.

import { $, giveFocus, isReplay, make, setDisabled, setText, show } from "./kit/elements.js";

const titles = {
  scanning: "Show the camera's label",
  labelRead: "Choose its Wi-Fi network",
  showingCode: "Show the code to the camera",
  joined: "The camera is in the network",
  connecting: "The camera is in the network",
};
const texts = {
  scanning: "Hold the code that is printed on the new camera before the camera of this device.",
  showingCode: "Hold the new camera some 20 cm before this picture until it says that it has read the code. It may take two minutes to come.",
  joined: "Keeping its password…",
  connecting: "Connecting it…",
};

export class CameraSetup {
  constructor(act, connection) {
    this.connection = connection;
    this.step = "idle";
    $("setup-start").addEventListener("click", () => act("setup", { start: {} }));
    $("setup-cancel").addEventListener("click", () => act("setup", { cancel: {} }));
    $("setup-again").addEventListener("click", () => {
      this.isChanging = true;
      this.renderStep();
    });
    $("network-form").addEventListener("submit", async (event) => {
      event.preventDefault();
      if (isReplay || this.isSending) return;
      const [name, password] = [$("network-name").value, $("network-password").value];
      this.isSending = true;
      setDisabled($("network-show"), true);
      this.trouble = "";
      try {
        // What fails in the app is an alert of the screen; the password stays until the step or the sheet is over.
        await connection.sendSecret("setup", { showCode: { network: name, password } });
        this.isChanging = false;
      } catch (error) {
        this.trouble = error.message;
      }
      this.isSending = false;
      setDisabled($("network-show"), false);
      this.renderStep();
    });
  }

  /// Whether a step of the setup takes the place of the list of cameras.
  get isUnderWay() {
    return this.step !== "idle" && this.step !== "finished";
  }

  render(state, note) {
    this.state = state;
    show($("setup-start"), state.isAvailable, $("cameras-search"));
    setText($("setup-note"), note ?? "");
    this.renderStep();
  }

  renderStep() {
    const state = this.state;
    if (!state) return;
    if (state.step !== "showingCode" || isReplay) this.isChanging = false;
    const former = this.shown;
    this.step = state.step;
    this.shown = this.isChanging ? "labelRead" : state.step;
    $("setup").hidden = !this.isUnderWay;
    setText($("setup-title"), titles[this.shown] ?? "");
    const otherwise = state.joinsOtherwise ? " Its label says that it comes to a network in another way: the code may not work." : "";
    setText($("setup-text"), this.shown === "labelRead" ? `The label of ${state.device} was read.${otherwise}` : texts[this.shown] ?? "");
    if (this.shown !== former) this.trouble = "";
    setText($("setup-trouble"), this.trouble || (state.trouble ?? ""));
    this.renderPreview(this.shown === "scanning");
    $("network-form").hidden = this.shown !== "labelRead";
    $("setup-again").hidden = this.shown !== "showingCode";
    this.renderCodes(this.shown === "showingCode" ? state : null);
    if (this.shown === former) return;
    if (this.shown === "labelRead" && !$("network-name").value) $("network-name").value = state.networkName ?? "";
    // What was typed stays while it may be of use again.
    if (!["labelRead", "showingCode"].includes(this.step)) $("network-password").value = "";
    if (!this.isUnderWay) $("network-name").value = "";
    if (!$("cameras").open || isReplay || former === undefined) return;
    if (this.shown === "labelRead") giveFocus($("network-name").value ? $("network-password") : $("network-name"));
    else if (this.isUnderWay) giveFocus($("setup-title"));
    // It can be seen again once the list is.
    else queueMicrotask(() => giveFocus($("setup-start")));
  }

  /// The same live picture as in the camera's tab, which is behind the sheet.
  renderPreview(isWanted) {
    const image = $("setup-preview");
    if (isWanted === !image.hidden) return;
    image.hidden = !isWanted || isReplay;
    if (isWanted && !isReplay) image.src = `/frames?setup=${Date.now()}`;
    // An image without a source ends its request.
    else image.removeAttribute("src");
  }

  /// All codes are loaded once, and shown in turn.
  renderCodes(state) {
    const key = state ? state.codesNumber : undefined;
    if (key === this.codesKey) return;
    this.codesKey = key;
    clearInterval(this.turning);
    const place = $("setup-code");
    place.hidden = !state;
    place.replaceChildren();
    if (!state) return;
    if (isReplay) {
      place.append("A recording has no code: it says a password.");
      return;
    }
    const page = encodeURIComponent(this.connection.page);
    const codes = Array.from({ length: state.codes }, (_, number) =>
      make("img", { alt: "", src: `/codes/${key}/${number}?page=${page}`, hidden: number > 0 }));
    place.append(...codes);
    let shown = 0;
    this.turning = setInterval(() => {
      codes[shown].hidden = true;
      shown = (shown + 1) % codes.length;
      codes[shown].hidden = false;
    }, state.codeMilliseconds);
  }

  /// The sheet is closed: nothing of what was typed stays.
  close() {
    this.step = "idle";
    this.shown = undefined;
    this.isChanging = false;
    this.trouble = "";
    $("setup").hidden = true;
    $("network-password").value = "";
    $("network-name").value = "";
    this.renderPreview(false);
    this.renderCodes(null);
  }
}
