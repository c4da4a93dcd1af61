// The camera's tab: preview, stream, shutter, and what the assistant says.

import { $, GrowingText, announce, setDisabled, setText, show } from "./elements.js";

/// How often the preview is looked at, how long its first picture may take, and how long a broken one is left alone at
/// most, in milliseconds.
const glance = 500;
const firstPicturePatience = 10_000;
const longestPause = 8_000;

const phases = {
  idle: "",
  connecting: "Connecting…",
  streaming: "Live",
  reconnecting: "Reconnecting…",
  stopping: "Stopping…",
};

export class CameraTab {
  constructor(act, openPhoto) {
    this.reply = new GrowingText();
    $("camera-start").addEventListener("click", () => act("camera", { start: {} }));
    $("camera-stop").addEventListener("click", () => act("camera", { stop: {} }));
    $("silence").addEventListener("click", () => act("stream", { stopSpeaking: {} }));
    $("stream").addEventListener("click", () => act("stream", this.isOn ? { stop: {} } : { start: {} }));
    $("last-photo").addEventListener("click", () => openPhoto(this.lastPhoto));
    $("shutter").addEventListener("click", () => {
      $("flash").classList.remove("lit");
      void $("flash").offsetWidth;
      $("flash").classList.add("lit");
      act("camera", { capturePhoto: {} });
    });
    this.breaks = 0;
    this.cameraText = "The camera is off.";
    $("preview").addEventListener("error", () => this.breakPreview());
    setInterval(() => this.watchPreview(), glance);
    document.addEventListener("visibilitychange", () => this.renderPreview());
  }

  /// Only what is seen is sent: a hidden tab or page has no preview.
  set isShown(value) {
    this.shown = value;
    this.renderPreview();
  }

  /// In a recording, the number of the picture that was sent last takes the place of the live preview; `null` for none.
  set still(number) {
    this.stillNumber = number;
    this.renderPreview();
  }

  set isConnected(value) {
    this.connected = value;
    if (!value) this.endPreview();
    this.renderPreview();
  }

  renderCamera(state) {
    const isOn = state.connection === "connected";
    this.hasPictures = isOn;
    const texts = {
      disconnected: "The camera is off.",
      connecting: "The camera is being connected…",
      failed: "The camera did not start.",
    };
    this.cameraText = texts[state.connection] ?? "";
    show($("camera-start"), state.connection === "disconnected" || state.connection === "failed", $("shutter"));
    setDisabled($("shutter"), !isOn || state.isLoading);
    if (state.lastPhoto !== this.lastPhoto) {
      if (state.lastPhoto) {
        $("last-photo").style.setProperty("--picture", `url(/thumbnails/${state.lastPhoto})`);
        if (this.knowsPhoto) announce("The photo was taken.");
      }
      this.lastPhoto = state.lastPhoto;
    }
    this.knowsPhoto = true;
    show($("last-photo"), Boolean(state.lastPhoto), $("shutter"));
    this.renderPreview();
    show($("camera-stop"), isOn, $("camera-start"), $("shutter"));
  }

  renderStream(state) {
    this.isOn = state.phase !== "idle";
    setText($("stream"), this.isOn ? "Stop streaming" : "Start streaming");
    $("stream").classList.toggle("on", this.isOn);
    setDisabled($("stream"), state.phase === "stopping");
    const attempt = state.phase === "reconnecting" && state.attempt > 1 ? ` try ${state.attempt}` : "";
    setText($("phase"), phases[state.phase] + attempt);
    $("phase").dataset.phase = state.phase;
    const reply = state.latestResponse;
    setText($("reply"), reply || (this.isOn
      ? "The assistant is looking…"
      : "Start streaming, and the assistant describes what the camera sees."));
    $("reply").classList.toggle("empty", !reply);
    if (this.shown) this.reply.show(reply);
    setText($("figures"), state.framesSent
      ? `${state.framesSent.toLocaleString("en")} pictures sent, ${state.framesPerSecond} a second`
      : "");
    show($("silence"), state.isSpeaking, $("stream"));
  }

  renderPreview() {
    const isLive = this.stillNumber === undefined;
    const wants = this.hasPictures && this.shown && this.connected && !document.hidden && this.stillNumber !== null;
    const source = isLive ? "live" : `/stills/${this.stillNumber}`;
    if (!wants) this.forgetBreaks();
    if (wants && !this.pause && (!this.isPreviewing || this.source !== source)) {
      this.isPreviewing = true;
      this.source = source;
      this.begun = Date.now();
      $("preview").src = isLive ? `/frames?${this.begun}` : source;
    } else if (!wants) this.endPreview();
    if (this.hasPictures && this.stillNumber === null) setText($("blank-text"), "The recording has no picture here.");
    else setText($("blank-text"), this.breaks && this.hasPictures ? "The preview was cut off. Trying again…" : this.cameraText);
    show($("preview"), Boolean(this.isPreviewing));
    show($("blank"), !this.isPreviewing, $("shutter"));
  }

  /// A browser says nothing when an endless picture ends: it shows a broken one, which has no size.
  watchPreview() {
    if (!this.isPreviewing || this.stillNumber !== undefined) return;
    const { complete, naturalWidth } = $("preview");
    const age = Date.now() - this.begun;
    if (naturalWidth > 0) {
      if (this.breaks && age > longestPause) this.forgetBreaks();
    } else if ((complete && age > glance) || age > firstPicturePatience) this.breakPreview();
  }

  /// Tries again later, and later each time.
  breakPreview() {
    this.endPreview();
    if (this.stillNumber !== undefined) return;
    if (!this.breaks) announce("The preview was cut off.");
    clearTimeout(this.pause);
    this.pause = setTimeout(() => {
      this.pause = undefined;
      this.renderPreview();
    }, Math.min(longestPause, 500 * 2 ** this.breaks));
    this.breaks += 1;
    this.renderPreview();
  }

  forgetBreaks() {
    clearTimeout(this.pause);
    this.pause = undefined;
    this.breaks = 0;
  }

  endPreview() {
    if (!this.isPreviewing) return;
    this.isPreviewing = false;
    // An image without a source ends its request.
    $("preview").removeAttribute("src");
    show($("preview"), false);
    show($("blank"), true);
  }
}
