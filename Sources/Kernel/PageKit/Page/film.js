// Plays a movie whose pictures are asked for one after the other: browsers do not play Motion-JPEG.

import { make, setText } from "./elements.js";
import { clock } from "./format.js";

/// The most pictures a second that are asked for.
const rate = 15;

export class FilmPlayer {
  /// `address(milliseconds)` is where the picture of that time is, and `duration` is in seconds. What is shown is `element`.
  constructor({ name, duration, address }) {
    Object.assign(this, { duration, address });
    this.image = make("img", { src: this.address(0), alt: name });
    this.button = make("button", { class: "quiet small", onclick: () => this.toggle() }, "Play");
    this.slider = make("input", {
      type: "range",
      min: 0,
      max: Math.max(1, Math.round(duration * 1000)),
      step: 1,
      value: 0,
      "aria-label": "Place in the video",
      oninput: () => this.seek(Number(this.slider.value) / 1000),
    });
    this.slider.value = 0;
    this.output = make("output", {}, "");
    this.element = make(
      "div",
      { class: "film-player" },
      this.image,
      make("div", { class: "film-controls" }, this.button, this.slider, this.output),
    );
    this.place = 0;
    this.showPlace();
  }

  showPlace() {
    this.slider.value = Math.round(this.place * 1000);
    const text = `${clock(this.place)} of ${clock(this.duration)}`;
    setText(this.output, text);
    this.slider.setAttribute("aria-valuetext", text);
    setText(this.button, this.isPlaying ? "Pause" : "Play");
  }

  /// Shows one picture, and says when it is there; of those that are wanted meanwhile the last is asked for.
  async showPicture() {
    this.wanted = this.address(Math.round(this.place * 1000));
    if (this.isLoading) return;
    this.isLoading = true;
    while (this.wanted) {
      const picture = new Image();
      picture.src = this.wanted;
      this.wanted = undefined;
      await picture.decode().then(() => (this.image.src = picture.src), () => {});
    }
    this.isLoading = false;
  }

  seek(seconds) {
    this.place = Math.min(this.duration, Math.max(0, seconds));
    this.begun = performance.now() - this.place * 1000;
    this.showPlace();
    this.showPicture();
  }

  toggle() {
    if (this.isPlaying) return this.stop();
    if (this.place >= this.duration) this.place = 0;
    this.isPlaying = true;
    this.begun = performance.now() - this.place * 1000;
    this.showPlace();
    this.play();
  }

  /// One that was stopped while it waited for its next picture ends, also where another one has begun since.
  async play() {
    const turn = (this.turn = {});
    while (this.isPlaying && this.turn === turn) {
      this.place = (performance.now() - this.begun) / 1000;
      if (this.place >= this.duration) {
        this.place = this.duration;
        this.isPlaying = false;
      }
      this.showPlace();
      await this.showPicture();
      await new Promise((done) => setTimeout(done, 1000 / rate));
    }
    this.showPlace();
  }

  stop() {
    this.isPlaying = false;
    this.showPlace();
  }
}
