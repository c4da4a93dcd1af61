// The sheet with the cameras of the network: what was found, and the set-up of one. A typed password goes to the server in a
// request of its own, and is not kept here.

import { CameraSetup } from "./setup.js";
import { $, ask, closesBy, giveFocus, isReplay, make, openSheet, setDisabled, setText, show } from "./kit/elements.js";

export class CameraSheet {
  constructor(act, connection) {
    this.act = act;
    this.setup = new CameraSetup(act, connection);
    const sheet = $("cameras");
    closesBy(sheet, $("cameras-close"), () => act("navigation", { dismissSheet: {} }));
    $("cameras-search").addEventListener("click", () => act("discovery", { search: {} }));
    $("camera-back").addEventListener("click", () => act("discovery", { unpick: {} }));
    $("cameras-forget").addEventListener("click", async () => {
      if (await ask("Remove the camera?", "Its password is deleted here. To use the camera again, enter it again.", "Remove")) {
        await act("discovery", { forget: {} });
      }
    });
    $("camera-form").addEventListener("submit", async (event) => {
      event.preventDefault();
      if (isReplay || this.isSending || this.isConnecting) return;
      const [user, password] = [$("camera-user").value.trim(), $("camera-password").value];
      this.isSending = true;
      this.renderButton();
      setText($("camera-trouble"), "");
      try {
        // What fails in the app is an alert of the screen; the password stays until the sheet or the form closes.
        await connection.sendSecret("discovery", { setUp: { user, password } });
      } catch (error) {
        setText($("camera-trouble"), error.message);
      }
      this.isSending = false;
      this.renderButton();
    });
  }

  renderButton() {
    const isBusy = Boolean(this.isSending || this.isConnecting);
    setDisabled($("camera-connect"), isBusy);
    setText($("camera-connect"), isBusy ? "Connecting…" : "Connect");
  }

  render(presented, state, setup) {
    const sheet = $("cameras");
    if (!presented?.cameraDiscovery || !state) {
      if (sheet.open) {
        sheet.close();
        this.setup.close();
        $("camera-password").value = "";
        if (!isReplay) giveFocus($("set-up"), $("shutter"));
      }
      return;
    }
    if (setup) this.setup.render(setup, state.note);
    this.renderCameras(state);
    if (!sheet.open) openSheet(sheet, $("cameras-close"));
  }

  renderCameras(state) {
    const count = state.cameras.length;
    const found = count === 1 ? "One camera was found." : `${count} cameras were found.`;
    const none = state.isSearching ? "Looking for cameras…" : "No camera was found. See that it has power and is in the same network.";
    setText($("cameras-status"), count ? found : none);
    const key = JSON.stringify(state.cameras);
    if (key !== this.key) {
      this.key = key;
      const focused = document.activeElement?.dataset?.device;
      $("cameras-list").replaceChildren(...state.cameras.map((camera) =>
        make("li", {}, make("button", { class: "quiet", "data-device": camera.device, onclick: () => this.act("discovery", { pick: { _0: camera.device } }) },
          make("strong", {}, camera.device), make("span", { class: "fine" }, camera.address)))));
      // The list is made again while it grows.
      if (focused) giveFocus([...$("cameras-list").querySelectorAll("button")].find((button) => button.dataset.device === focused));
    }
    setDisabled($("cameras-search"), state.isSearching);
    show($("cameras-forget"), state.isSetUp, $("cameras-search"));
    const isPicked = Boolean(state.picked);
    const changes = isPicked !== this.isPicked;
    this.isPicked = isPicked;
    this.isConnecting = state.isConnecting;
    this.renderButton();
    setText($("camera-name"), state.picked ?? "");
    setText($("cameras-note"), state.note ?? "");
    $("cameras-found").hidden = isPicked || this.setup.isUnderWay;
    $("camera-form").hidden = !isPicked || this.setup.isUnderWay;
    if (changes && $("cameras").open && !isReplay) giveFocus(isPicked ? $("camera-password") : $("cameras-search"));
    if (!isPicked) $("camera-password").value = "";
  }
}
