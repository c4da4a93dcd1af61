// Pull to refresh: a finger that goes down from the top of the page.

/// How far a finger goes until it is a pull, and the most that the page shows of that, in pixels.
const enough = 70;
const most = 90;

/// Calls `refresh` after a pull; `mark` is an element that says how far it has come, by `data-pulled` and its height.
export function pulls(surface, mark, { canPull, refresh }) {
  let start;
  let way = 0;
  const show = (pixels) => {
    way = pixels;
    mark.style.height = pixels > 0 ? `${Math.min(most, pixels)}px` : "";
    mark.toggleAttribute("data-pulled", pixels >= enough);
  };
  surface.addEventListener(
    "touchstart",
    (event) => {
      start = event.touches.length === 1 && scrollY <= 0 && canPull() ? event.touches[0].clientY : undefined;
    },
    { passive: true },
  );
  surface.addEventListener(
    "touchmove",
    (event) => {
      if (start === undefined) return;
      // Who scrolls up again pulls no more.
      show(Math.max(0, event.touches[0].clientY - start - 10));
      if (scrollY > 0) start = undefined;
    },
    { passive: true },
  );
  for (const name of ["touchend", "touchcancel"]) {
    surface.addEventListener(name, () => {
      const isPull = name === "touchend" && start !== undefined && way >= enough;
      start = undefined;
      show(0);
      if (isPull) refresh();
    });
  }
}
