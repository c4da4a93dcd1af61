// Chooses the part of a picture that is used: it is moved by drag and arrows, and brought closer by wheel, fingers, plus, minus and a slider.
//
//   <k-crop label="Your picture" ratio="1" round></k-crop>
//
// `ratio` is the width of the part by its height. `file` is the picture, nothing for none; `await crop.result(512)` is the part as a JPEG file with at most
// so many pixels on a side, or nothing without a picture. Where a file cannot be read, the element says so.

import { make, setText } from "./elements.js";
import { Gestures } from "./gestures.js";
import { bitmap, jpeg } from "./pictures.js";

/// How much closer than the whole picture, how far an arrow moves, as a part of the side, and how much plus brings it closer.
const closest = 8;
const stride = 0.05;
const closer = 1.2;

export class Crop extends HTMLElement {
  connectedCallback() {
    if (this.canvas) return;
    const label = this.getAttribute("label");
    this.ratio = Number(this.getAttribute("ratio")) || 1;
    this.canvas = make("canvas", { tabindex: 0, role: "img", "aria-label": `${label}. Arrows move it, plus and minus bring it closer or take it away.` });
    this.slider = make("input", { type: "range", min: 1, max: closest, step: 0.01, value: 1, "aria-label": "Closer", oninput: () => this.zoom(Number(this.slider.value)) });
    this.problem = make("p", { class: "trouble", role: "status" });
    this.append(this.canvas, this.slider, this.problem);
    this.canvas.addEventListener("keydown", (event) => this.press(event));
    this.canvas.addEventListener("wheel", (event) => this.turn(event), { passive: false });
    new Gestures(this.canvas, {
      takes: () => this.hasPicture,
      begins: () => (this.begun = { ...this.part(), scale: this.scale }),
      moves: (way) => this.move(way),
    });
    new ResizeObserver(() => this.draw()).observe(this.canvas);
    this.clear();
  }

  /// Whether there is something to move.
  get hasPicture() {
    return Boolean(this.picture);
  }

  set file(file) {
    this.clear();
    const wanted = (this.wanted = {});
    if (!file) return;
    this.dataset.state = "loading";
    bitmap(file).then(
      (picture) => {
        if (this.wanted !== wanted) return picture.close();
        this.picture = picture;
        this.dataset.state = "shown";
        this.center = { x: picture.width / 2, y: picture.height / 2 };
        this.zoom(1);
      },
      (error) => {
        if (this.wanted !== wanted) return;
        this.dataset.state = "broken";
        setText(this.problem, error.message);
      },
    );
  }

  clear() {
    this.picture?.close();
    this.picture = undefined;
    this.scale = 1;
    this.dataset.state = "empty";
    setText(this.problem, "");
    this.draw();
  }

  // The part, in pixels of the picture

  part() {
    const { width, height } = this.picture;
    const whole = Math.min(width, height * this.ratio);
    const size = { width: whole / this.scale, height: whole / this.ratio / this.scale };
    const within = (middle, side, length) => Math.min(Math.max(middle - side / 2, 0), length - side);
    return { x: within(this.center.x, size.width, width), y: within(this.center.y, size.height, height), ...size };
  }

  /// Moves the part by pixels of the picture, and not beyond its edges.
  shift(x, y, from = this.part()) {
    this.center = { x: from.x + from.width / 2 + x, y: from.y + from.height / 2 + y };
    const { x: left, y: top, width, height } = this.part();
    this.center = { x: left + width / 2, y: top + height / 2 };
    this.draw();
  }

  zoom(scale) {
    if (!this.picture) return;
    this.scale = Math.min(closest, Math.max(1, scale));
    this.slider.value = this.scale;
    this.shift(0, 0);
  }

  move({ x, y, spread }) {
    if (spread) return this.zoom(this.begun.scale * spread);
    const pixels = this.part().width / this.canvas.clientWidth;
    this.shift(-x * pixels, -y * pixels, this.begun);
  }

  turn(event) {
    if (!this.picture) return;
    event.preventDefault();
    this.zoom(this.scale * Math.exp(-event.deltaY / 400));
  }

  press(event) {
    if (!this.picture || event.altKey || event.ctrlKey || event.metaKey) return;
    const { width, height } = this.part();
    const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
    const scales = { "+": closer, "=": closer, "-": 1 / closer };
    if (event.key in ways) this.shift(ways[event.key][0] * stride * width, ways[event.key][1] * stride * height);
    else if (event.key in scales) this.zoom(this.scale * scales[event.key]);
    else return;
    event.preventDefault();
  }

  draw() {
    const { canvas, picture } = this;
    this.slider.disabled = !picture;
    canvas.width = Math.max(1, Math.round(canvas.clientWidth * devicePixelRatio));
    canvas.height = Math.max(1, Math.round(canvas.width / this.ratio));
    if (!picture) return;
    const { x, y, width, height } = this.part();
    canvas.getContext("2d").drawImage(picture, x, y, width, height, 0, 0, canvas.width, canvas.height);
  }

  /// The part as a JPEG file; nothing without a picture.
  async result(limit) {
    return this.picture && jpeg(this.picture, limit, this.part());
  }
}

customElements.define("k-crop", Crop);
