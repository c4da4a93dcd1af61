// Speaks sentences with the browser's own voice, one at a time, and says when each was heard.

/// Scripts that only few languages are written in, each with one of them.
const scripts = [
  [/\p{Script=Hiragana}|\p{Script=Katakana}/u, "ja"],
  [/\p{Script=Hangul}/u, "ko"],
  [/\p{Script=Han}/u, "zh"],
  [/\p{Script=Arabic}/u, "ar"],
  [/\p{Script=Hebrew}/u, "he"],
  [/\p{Script=Cyrillic}/u, "ru"],
  [/\p{Script=Greek}/u, "el"],
  [/\p{Script=Devanagari}/u, "hi"],
  [/\p{Script=Thai}/u, "th"],
];

/// The language in whose voice a text is spoken: that of its script, or that of the browser's user.
export function languageOf(text) {
  return scripts.find(([letters]) => letters.test(text))?.[1] ?? (navigator.language || "en");
}

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
    utterance.lang = languageOf(text);
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
