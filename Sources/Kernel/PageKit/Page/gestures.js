// Drag and pinch, by fingers or a mouse.

export class Gestures {
  /// `takes(target)` says whether what is touched is moved; `begins()` is called with the first finger and with each further one, then
  /// `moves({ x, y, spread })` with the way since then in pixels and, with two fingers, how many times as far they are from each other; `ends({ x, y, isPinch })`
  /// when the last finger is lifted.
  constructor(element, { takes, begins, moves, ends = () => {} }) {
    Object.assign(this, { takes, begins, moves, ends, fingers: new Map() });
    element.addEventListener("pointerdown", (event) => this.touch(event));
    element.addEventListener("pointermove", (event) => this.move(event));
    for (const end of ["pointerup", "pointercancel"]) element.addEventListener(end, (event) => this.lift(event));
  }

  /// Forgets what was touched.
  clear() {
    this.fingers.clear();
  }

  touch(event) {
    if (!this.takes(event.target)) return;
    event.target.setPointerCapture(event.pointerId);
    this.fingers.set(event.pointerId, event);
    this.begun = { x: event.clientX, y: event.clientY, distance: this.distance };
    this.begins();
  }

  /// Between two fingers, in pixels; 0 for one.
  get distance() {
    const [one, other] = [...this.fingers.values()];
    return other ? Math.hypot(one.clientX - other.clientX, one.clientY - other.clientY) : 0;
  }

  way({ clientX, clientY }) {
    return { x: clientX - this.begun.x, y: clientY - this.begun.y };
  }

  move(event) {
    if (!this.fingers.has(event.pointerId)) return;
    this.fingers.set(event.pointerId, event);
    const isPinch = this.fingers.size === 2 && this.begun.distance;
    this.moves({ ...this.way(event), spread: isPinch ? this.distance / this.begun.distance : undefined });
  }

  lift(event) {
    if (!this.fingers.delete(event.pointerId) || event.type === "pointercancel" || this.fingers.size) return;
    this.ends({ ...this.way(event), isPinch: Boolean(this.begun.distance) });
  }
}
