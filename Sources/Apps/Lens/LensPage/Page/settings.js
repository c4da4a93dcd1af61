// The settings' tab. A typed key goes to the server in a request of its own, and is not kept here.

import { renderSources } from "./camera.js";
import { $, announce, ask, isReplay, make, setDisabled, setText, show } from "./kit/elements.js";

const sizes = {
  vga: "640 × 480",
  hd720: "1280 × 720",
  hd1080: "1920 × 1080",
  uhd4K: "3840 × 2160",
};

const assistants = {
  device: "The assistant is simulated on this device: what you write and show stays here.",
  network: "What you say, and what the camera sees while you stream, goes to the assistant.",
};
const storages = {
  device: "Uploads stay on this device, in a simulated storage.",
  network: "Photos and videos that are uploaded go to the storage: anyone who has their address there can see them.",
};

const keyTests = { running: "The key is being tested.", passed: "The assistant accepts the key." };

export class SettingsTab {
  constructor(act, connection, speech) {
    this.speech = speech;
    $("rate").addEventListener("input", () => setText($("rate-value"), $("rate").value));
    $("rate").addEventListener("change", () => act("settings", { setFrameRate: { _0: Number($("rate").value) } }));
    $("resolution").addEventListener("change", () =>
      act("settings", { setResolution: { _0: $("resolution").value } }));
    $("settings-camera").addEventListener("change", () =>
      act("settings", { chooseCamera: { _0: $("settings-camera").value } }));
    $("auto-upload").addEventListener("change", (event) =>
      act("settings", { setAutoUpload: { _0: event.target.checked } }));
    $("speech").addEventListener("change", (event) => act("settings", { setSpeech: { _0: event.target.checked } }));
    $("key-form").addEventListener("submit", async (event) => {
      event.preventDefault();
      const key = $("key").value.trim();
      if (!key) return;
      setDisabled($("key-save"), true);
      try {
        const { alert } = await connection.sendSecret("settings", { saveKey: { _0: key } });
        // Why it could not be kept is an alert; another one may have stood there before.
        this.trouble = alert?.title === "The key was not kept" ? "The key was not saved." : "";
        if (!this.trouble) $("key").value = "";
        announce(this.trouble || "The key was saved.");
        if (!this.trouble && this.isTested) act("settings", { testKey: {} });
      } catch (error) {
        this.trouble = `The key was not saved. ${error.message}`;
        announce(this.trouble);
      }
      setDisabled($("key-save"), false);
      this.renderTrouble();
    });
    $("key-test").addEventListener("click", () => act("settings", { testKey: {} }));
    $("key-delete").addEventListener("click", async () => {
      if (await ask("Delete the key?", "The assistant cannot be used without one.", "Delete")) {
        await act("settings", { deleteKey: {} });
      }
    });
  }

  renderTrouble() {
    setText($("key-trouble"), this.trouble ?? "");
  }

  renderAbout(about) {
    setText($("about-program"), `${about.name} ${about.version}`.trim());
    setText($("about-assistant"), assistants[about.assistant]);
    setText($("about-storage"), storages[about.storage]);
    setText($("about-cameras"), about.cameraNote ?? "");
    if ($("about-libraries").children.length !== about.libraries.length) {
      $("about-libraries").replaceChildren(
        ...about.libraries.map(({ name, licence }) => make("li", {}, `${name} — ${licence}`)),
      );
    }
  }

  render(state) {
    const { settings, frameRates, resolutions, maskedKey, keyTest } = state;
    [$("rate").min, $("rate").max] = frameRates;
    if (document.activeElement !== $("rate") || !$("rate").matches(":active")) $("rate").value = settings.framesPerSecond;
    setText($("rate-value"), $("rate").value);
    if ($("resolution").length !== resolutions.length) {
      $("resolution").replaceChildren(...resolutions.map((size) => make("option", { value: size, dir: "ltr" }, sizes[size] ?? size)));
    }
    $("resolution").value = settings.videoResolution;
    renderSources($("settings-camera"), state.cameras, state.camera);
    show($("settings-source"), state.cameras.length > 1);
    $("auto-upload").checked = settings.autoUpload;
    $("speech").checked = settings.speechEnabled;
    setText($("key-state"), maskedKey ? `— saved: ${maskedKey}` : "— none saved");
    show($("key-delete"), Boolean(maskedKey), $("key"));
    // An assistant that is simulated here uses no key that is typed.
    this.isTested = state.about.assistant === "network";
    setText($("key-save"), this.isTested ? "Save and test" : maskedKey ? "Replace key" : "Save key");
    show($("key-test"), this.isTested && Boolean(maskedKey), $("key"));
    setDisabled($("key-test"), keyTest === "running");
    const result = keyTests[keyTest] ?? "";
    if (result && result !== $("key-test-result").textContent) announce(result);
    setText($("key-test-result"), result);
    this.renderAbout(state.about);
    setText($("speech-hint"), this.speech.speaks || isReplay ? "" : "This browser has no voice: replies are shown, not spoken.");
  }
}
