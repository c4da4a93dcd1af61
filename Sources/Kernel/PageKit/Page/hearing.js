// Listens with the browser's own recognizer, one stretch of speech at a time, and says what it has understood.

import { appName, ask } from "./elements.js";

const Recognition = window.SpeechRecognition ?? window.webkitSpeechRecognition;

/// What the browser's errors are to the app (https://webaudio.github.io/web-speech-api, section 4.1.6); others are failures of the
/// recognizer.
const troubles = {
  "not-allowed": "permissionDenied",
  "audio-capture": "microphoneFailed",
  "service-not-allowed": "unavailable",
  network: "unavailable",
  "language-not-supported": "unavailable",
};

export class Hearing {
  constructor(connection) {
    this.connection = connection;
    this.language = navigator.language || "en";
    connection.setPresence({ hears: Boolean(Recognition) });
    addEventListener("pagehide", () => this.stop());
  }

  /// Whether to listen: where the browser has what it hears understood elsewhere, its user is asked once.
  async mayListen() {
    // Without a recognizer the app says so.
    if (!Recognition) return true;
    if ((await this.canBeLocal()) || localStorage.getItem("mayListen") === "yes") return true;
    const agrees = await ask(
      "Use the browser's speech recognition?",
      `Your browser may send your voice to its maker's servers for that. ${appName} itself gets the words alone.`,
      "Listen",
      "primary",
    );
    if (agrees) localStorage.setItem("mayListen", "yes");
    return agrees;
  }

  async canBeLocal() {
    try {
      return (await Recognition.available({ langs: [this.language], processLocally: true })) === "available";
    } catch {
      // An older browser.
      return false;
    }
  }

  async listen(number) {
    this.stop();
    if (!Recognition) return this.put({ number, trouble: "unavailable" });
    const turn = (this.turn = {});
    // Also what is tried again after the page was loaded again needs the user's consent.
    const [mayListen, isLocal] = [await this.mayListen(), await this.canBeLocal()];
    if (this.turn !== turn) return;
    if (!mayListen) return this.put({ number, trouble: "permissionDenied" });
    const recognition = new Recognition();
    this.recognition = recognition;
    recognition.lang = this.language;
    recognition.continuous = true;
    recognition.interimResults = true;
    if (isLocal) recognition.processLocally = true;
    let text = "";
    const put = (heard) => {
      if (this.recognition === recognition) this.put({ number, ...heard });
    };
    recognition.onstart = () => put({});
    recognition.onresult = (event) => {
      text = Array.from(event.results, (result) => result[0].transcript).join("").trim();
      put({ text });
    };
    recognition.onerror = (event) => {
      // Silence is no failure: the end that follows has what was understood.
      if (event.error === "no-speech") return;
      put({ trouble: troubles[event.error] ?? "recognitionFailed" });
      this.recognition = null;
    };
    recognition.onend = () => {
      put({ text, isFinal: true });
      if (this.recognition === recognition) this.recognition = null;
    };
    try {
      recognition.start();
    } catch {
      put({ trouble: "recognitionFailed" });
      this.recognition = null;
    }
  }

  /// Asks for the last words.
  finish() {
    this.recognition?.stop();
  }

  stop() {
    const recognition = this.recognition;
    this.recognition = this.turn = null;
    recognition?.abort();
  }

  put(heard) {
    if (this.connection.isOpen) this.connection.put({ heard });
  }
}
