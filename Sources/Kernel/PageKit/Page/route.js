// Addresses: where the user is stands behind the `#`, so that Back, Forward, a reload and a link lead there.

import { isReplay } from "./elements.js";

/// `places` knows how a place is written: `address(place)` is its address, `#/…`, and `read(address)` the place again, or nothing for an address that
/// names none. What lies over a place is a part more in its address.
export class Route {
  /// `go` gets the place that the user wants.
  constructor(places, go) {
    this.places = places;
    this.go = go;
    this.wanted = isReplay ? null : places.read(location.hash);
    if (!isReplay) addEventListener("popstate", () => this.arrive());
  }

  /// The browser is somewhere else: the user has gone there, or this has gone back.
  arrive() {
    if (!this.isGoingBack) return this.follow(this.places.read(location.hash));
    this.isGoingBack = false;
    // The user may have gone on meanwhile.
    this.show(this.here);
  }

  follow(wanted) {
    if (!wanted) return;
    const target = this.places.address(wanted);
    // Who is on the way somewhere else is not there yet, whatever is shown.
    if (target === (this.target ?? this.shown)) return;
    // What the server still says of before is no news meanwhile.
    this.target = target;
    this.go(wanted).finally(() => {
      if (this.target !== target) return;
      // There is nothing at that address: the user stays where the app is.
      this.target = undefined;
      this.show(this.here);
    });
  }

  /// Takes note of where the user is.
  show(place) {
    if (isReplay) return;
    this.here = place;
    const here = this.places.address(place);
    this.shown = here;
    if (this.wanted) {
      // The page was opened by an address.
      const wanted = this.wanted;
      this.wanted = null;
      this.follow(wanted);
    }
    if (this.target && this.target !== here) return;
    this.target = undefined;
    // A browser that goes back takes its time, and would go back twice.
    if (location.hash === here || this.isGoingBack) return;
    const isOver = (hash) => hash.split("/").length > 2;
    const state = { from: location.hash };
    if (!location.hash) history.replaceState(null, "", here);
    // Closed, it is as it was before it was opened.
    else if (isOver(location.hash) && history.state?.from === here) {
      this.isGoingBack = true;
      history.back();
    }
    // From one photo to the next is one place.
    else if (isOver(location.hash) && isOver(here)) history.replaceState(history.state, "", here);
    else history.pushState(state, "", here);
  }
}
