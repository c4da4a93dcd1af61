// Items as children of an element, one for each: what is there stays, and only what is new is made.

/// Shows items in their order.
///
/// `key(item)` names one among the others, `make(item)` makes its element, and `update(element, item)` shows what has changed of one that is there.
/// The focus goes with its item; where that is gone, to the part with the same `data-role` of the item that has its place now, or to `successors`.
export function list(parent, items, { key, make, update }, ...successors) {
  const focused = parent.contains(document.activeElement) ? document.activeElement : undefined;
  const holder = focused && [...parent.children].findIndex((child) => child.contains(focused));
  const wanted = new Set(items.map((item) => String(key(item))));
  const known = new Map();
  for (const child of [...parent.children]) {
    if (wanted.has(child.dataset.key)) known.set(child.dataset.key, child);
    else child.remove();
  }
  let place = parent.firstElementChild;
  for (const item of items) {
    const name = String(key(item));
    let child = known.get(name);
    if (child) update?.(child, item);
    else {
      child = make(item);
      child.dataset.key = name;
    }
    if (child === place) place = place.nextElementSibling;
    else parent.insertBefore(child, place);
  }
  if (!focused || focused === document.activeElement) return;
  const successor = parent.children[Math.min(holder, parent.children.length - 1)];
  const { role } = focused.dataset;
  const inside = role ? successor?.querySelector(`[data-role="${role}"]`) : successor?.querySelector("button, a[href], [tabindex]");
  const next = [focused.isConnected ? focused : undefined, focused.dataset.key ? successor : inside, ...successors];
  // Nobody has asked for another place.
  next.find((element) => element?.checkVisibility())?.focus({ preventScroll: true });
}
