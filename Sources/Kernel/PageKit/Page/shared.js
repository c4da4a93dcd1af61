// A recording in one file: answers the page as the server of a recording does, from what stands in the file.

(() => {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const shared = read("shared-contents");
  const values = read("shared-values");
  const { facts, events, actions, entries, lanes, stills, pictures, files } = shared;
  /// How many actions are in a part of their list, and how many entries on each side of a time; as the server has it.
  const { part, side } = shared;

  /// The last of a list, in its order, for which something holds that holds for none behind one for which it does not; -1 for none.
  function last(list, holds) {
    let [low, high] = [0, list.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (holds(list[middle])) low = middle + 1;
      else high = middle;
    }
    return low - 1;
  }

  function stateOf(event) {
    return Object.fromEntries(Object.entries(events[event - 1].state).map(([name, at]) => [name, values[at]]));
  }

  /// The event of each screen's newest state, and before a screen's first one that of the first.
  function statesAt(event) {
    const found = {};
    for (let at = event; at >= 1; at--) {
      const { screen, state } = events[at - 1];
      if (state && found[screen] === undefined) found[screen] = at;
      if (Object.keys(found).length === shared.screens.length) break;
    }
    for (const { screen, first } of shared.screens) found[screen] ??= first;
    return shared.screens.map(({ screen }) => [screen, found[screen]]);
  }

  function actionsOf(number) {
    const first = Math.max(0, (number - 2) * part);
    return { first, items: actions.slice(first, (number + 1) * part) };
  }

  /// Whether an entry has a text, letter by letter; captures have none.
  function says(entry, text) {
    if (entry.kind === "captures") return false;
    if (entry.detail.text !== undefined) return entry.item.text.includes(text) || entry.detail.text.includes(text);
    entry.json ??= JSON.stringify(stateOf(entry.detail.event));
    return entry.json.includes(text);
  }

  function around({ seconds, kinds, text, failures }) {
    const isWanted = (entry) =>
      (!kinds?.length || kinds.includes(entry.kind)) && (!failures || entry.item.isFailure) && (!text || says(entry, text));
    const found = entries.filter(isWanted);
    const middle = last(found, (entry) => entry.item.seconds <= seconds) + 1;
    const [start, end] = [Math.max(0, middle - side), Math.min(found.length, middle + side)];
    return { seconds, items: found.slice(start, end).map(({ item }) => item), hasEarlier: start > 0, hasLater: end < found.length };
  }

  /// All that an entry says; what a state says is in the file once, with the states.
  function detailOf({ detail }) {
    if (detail.text !== undefined) return detail;
    return { ...detail, text: JSON.stringify(stateOf(detail.event), null, 2) };
  }

  /// A socket that the page opens to the server, and that is answered here.
  class Socket {
    static OPEN = 1;

    constructor() {
      this.readyState = 0;
      this.sent = {};
      setTimeout(() => {
        this.readyState = Socket.OPEN;
        this.onopen?.();
      });
    }

    close() {
      this.readyState = 3;
    }

    send(text) {
      const message = JSON.parse(text);
      setTimeout(() => this.answer(message));
    }

    put(message) {
      this.onmessage?.({ data: JSON.stringify(message) });
    }

    show(screen, state, version = 1) {
      this.put({ screen, version, state });
    }

    answer({ hello, id, screen, action }) {
      if (hello) {
        this.put({ welcome: { page: "recording", resumed: false } });
        this.show("recording", facts);
        this.show("marks", shared.marks);
        return;
      }
      if (!id) return;
      const refuse = (text) => this.put({ id, error: { code: text, text } });
      if (screen !== "recording") return refuse("readOnly");
      const [name, { _0: value }] = Object.entries(action)[0];
      if (name === "seek") this.showMoment(Math.max(1, last(events, ({ seconds }) => seconds <= value) + 1));
      else if (name === "step") this.showMoment(Math.min(Math.max(value, 1), events.length));
      else if (name === "lanes") this.show("lanes", lanes);
      else if (name === "entries") this.show("entries", around(value));
      else if (name === "entry") {
        const entry = entries.find(({ item }) => item.id === value);
        if (!entry) return refuse("unreadable");
        this.show("entry", detailOf(entry));
      } else return refuse("readOnly");
      this.put({ id, ok: {} });
    }

    showMoment(event) {
      for (const [screen, at] of statesAt(event)) {
        if (this.sent[screen] === at) continue;
        this.show(screen, stateOf(at), at);
        this.sent[screen] = at;
      }
      const done = last(actions, (item) => item.event <= event) + 1;
      const number = 1 + Math.floor(Math.max(0, done - 1) / part);
      if (this.sent.actions !== number) this.show("actions", actionsOf(number), number);
      this.sent.actions = number;
      const { seconds } = events[event - 1];
      const still = stills[last(stills, (still) => still.seconds <= seconds)]?.message;
      this.show("place", { event, seconds, next: events[event]?.seconds, action: actions[done - 1]?.event, still }, event);
    }
  }

  window.WebSocket = Socket;

  // Pictures, by the paths at which the server has them.

  function source(address) {
    if (!address.startsWith("/")) return address;
    const at = pictures[address.split("?")[0]];
    return at === undefined ? shared.missing : files[at];
  }

  const { get, set } = Object.getOwnPropertyDescriptor(HTMLImageElement.prototype, "src");
  Object.defineProperty(HTMLImageElement.prototype, "src", {
    get,
    set(address) {
      set.call(this, source(String(address)));
    },
  });
  const setAttribute = Element.prototype.setAttribute;
  HTMLImageElement.prototype.setAttribute = function (name, value) {
    setAttribute.call(this, name, name === "src" ? source(String(value)) : value);
  };
  const { setProperty } = CSSStyleDeclaration.prototype;
  CSSStyleDeclaration.prototype.setProperty = function (name, value, ...rest) {
    const path = /^url\((\/[^)]*)\)$/.exec(value)?.[1];
    setProperty.call(this, name, path ? `url(${source(path)})` : value, ...rest);
  };
})();
