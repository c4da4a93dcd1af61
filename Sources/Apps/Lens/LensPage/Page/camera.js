// The camera's tab: preview, stream, shutter, and what the assistant says.

import { $, GrowingText, announce, make, setDisabled, setText, show } from "./kit/elements.js";
import { clock, integer, tenth } from "./kit/format.js";
import { Toast } from "./kit/toast.js";

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

const sourceNames = { local: "This device", veepaWiFi: "Wi-Fi camera" };

/// Shows the cameras that can be chosen, and which one is.
export function renderSources(select, sources, chosen) {
  if (select.length !== sources.length) {
    select.replaceChildren(...sources.map((source) => make("option", { value: source }, sourceNames[source] ?? source)));
  }
  select.value = chosen;
}

/// Where the picture of an image is on the page, which has bars where its shape is another one.
function pictureIn(image) {
  const box = image.getBoundingClientRect();
  const { naturalWidth, naturalHeight } = image;
  const fit = getComputedStyle(image).objectFit;
  if (!naturalWidth || (fit !== "contain" && fit !== "cover")) return box;
  const ratios = [box.width / naturalWidth, box.height / naturalHeight];
  const scale = fit === "contain" ? Math.min(...ratios) : Math.max(...ratios);
  const [width, height] = [naturalWidth * scale, naturalHeight * scale];
  return { left: box.left + (box.width - width) / 2, top: box.top + (box.height - height) / 2, width, height };
}

export class CameraTab {
  constructor(act, openPhoto) {
    this.reply = new GrowingText();
    $("camera-start").addEventListener("click", () => act("camera", { start: {} }));
    $("source").addEventListener("change", () => act("camera", { choose: { _0: $("source").value } }));
    $("set-up").addEventListener("click", () => act("navigation", { present: { _0: { cameraDiscovery: {} } } }));
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
    $("record").addEventListener("click", () =>
      act("camera", this.isRecording ? { stopRecording: {} } : { startRecording: {} }));
    this.toast = new Toast();
    this.openPhoto = openPhoto;
    this.act = act;
    $("zoom").addEventListener("input", () => {
      setText($("zoom-value"), `${tenth(Number($("zoom").value))}×`);
      this.sendZoom(act);
    });
    $("preview").addEventListener("click", (event) => {
      if (!this.canFocus) return;
      const place = pictureIn($("preview"));
      const x = (event.clientX - place.left) / place.width;
      const y = (event.clientY - place.top) / place.height;
      if (x >= 0 && x <= 1 && y >= 0 && y <= 1) act("camera", { focus: { x, y } });
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
    renderSources($("source"), state.sources, state.source);
    show($("source-control"), state.sources.length > 1, $("shutter"));
    $("viewfinder").dataset.source = state.source;
    this.renderRecording(state, isOn);
    this.renderControls(state, isOn);
    show($("last-photo"), Boolean(state.lastPhoto), $("shutter"));
    this.renderPreview();
    show($("camera-stop"), isOn, $("camera-start"), $("shutter"));
  }

  renderRecording(state, isOn) {
    if (state.isRecording !== this.isRecording && this.isRecording !== undefined) {
      announce(state.isRecording ? "Recording." : "The recording has ended.");
    }
    this.isRecording = state.isRecording;
    const name = state.isRecording ? "End the recording" : "Record a video";
    $("record").setAttribute("aria-label", name);
    $("record").title = name;
    $("record").setAttribute("aria-pressed", state.isRecording);
    setDisabled($("record"), state.isLoading || !(isOn || state.isRecording));
    setText($("recording"), clock(state.recordingSeconds));
    show($("recording"), state.isRecording);
    const showVideo = state.lastVideo && (() => this.openPhoto(state.lastVideo));
    this.toast.render(state.toast, showVideo, () => this.act("camera", { dismissToast: {} }));
  }

  renderControls(state, isOn) {
    const [least, most] = state.zoomRange;
    show($("zoom-control"), isOn && most > least, $("shutter"));
    $("zoom").min = least;
    $("zoom").max = most;
    // What the user moves stays where it is until the camera has it.
    if (this.wantedZoom === undefined) {
      $("zoom").value = state.zoomLevel;
      setText($("zoom-value"), `${tenth(state.zoomLevel)}×`);
    }
    this.canFocus = isOn && state.canFocus;
    $("preview").classList.toggle("aimed", this.canFocus);
    if (state.focus) {
      const place = pictureIn($("preview"));
      const frame = $("viewfinder").getBoundingClientRect();
      $("focus").style.left = `${place.left - frame.left + state.focus.x * place.width}px`;
      $("focus").style.top = `${place.top - frame.top + state.focus.y * place.height}px`;
    }
    show($("focus"), Boolean(state.focus) && Boolean(this.isPreviewing));
  }

  /// One change at a time, and of those that are wanted meanwhile the last.
  async sendZoom(act) {
    const isSending = this.wantedZoom !== undefined;
    this.wantedZoom = Number($("zoom").value);
    if (isSending) return;
    for (let sent; sent !== this.wantedZoom;) {
      sent = this.wantedZoom;
      await act("camera", { setZoom: { _0: sent } });
    }
    this.wantedZoom = undefined;
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
      ? `${integer(state.framesSent)} ${state.framesSent === 1 ? "picture" : "pictures"} sent, ${state.framesPerSecond} a second`
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
