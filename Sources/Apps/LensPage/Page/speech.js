// Speaks sentences with the browser's own voice, one at a time, and says when each was heard.

export class Speech {
  constructor(connection) {
    this.connection = connection;
    this.isThere = "speechSynthesis" in window && "SpeechSynthesisUtterance" in window;
    if (!this.isThere) return;
    const look = () => connection.setPresence({ speaks: speechSynthesis.getVoices().length > 0 });
    speechSynthesis.addEventListener?.("voiceschanged", look);
    look();
    addEventListener("pagehide", () => speechSynthesis.cancel());
  }

  get speaks() {
    return this.connection.presence.speaks;
  }

  speak({ number, text }) {
    if (!this.isThere) return this.connection.spoken(number);
    // Held here: browsers forget utterances that nobody holds, and then their ends.
    const utterance = (this.utterance = new SpeechSynthesisUtterance(text));
    utterance.lang = document.documentElement.lang;
    utterance.onend = utterance.onerror = () => {
      if (this.utterance === utterance) this.connection.spoken(number);
    };
    speechSynthesis.speak(utterance);
  }

  hush() {
    if (!this.isThere) return;
    this.utterance = null;
    speechSynthesis.cancel();
  }
}
