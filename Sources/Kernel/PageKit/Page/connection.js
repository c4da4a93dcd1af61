// The socket to the server: states come whole with a version, actions go with an id. It reconnects by itself, and sends
// again what was not answered; the server does nothing twice.

import { program } from "./elements.js";

const actionPatience = 30_000;
const gapPatience = 5_000;
/// Some actions last as long as the user speaks.
export const speechPatience = 600_000;
/// The most actions without an answer, fewer than the server remembers.
const waitingLimit = 200;
/// So many failures in a row are no short gap.
const patientFailures = 3;

/// A number that no other load of the page in this tab begins with.
function firstID() {
  const [high, low] = crypto.getRandomValues(new Uint32Array(2));
  return (high % 2 ** 19) * 2 ** 32 + low + 1;
}

export class Connection {
  constructor(handlers) {
    this.handlers = handlers;
    this.states = {};
    this.versions = {};
    this.page = sessionStorage.getItem("page");
    this.presence = { speaks: false, hears: false, visible: !document.hidden };
    this.waiting = new Map();
    this.openers = [];
    this.nextID = firstID();
    this.failures = 0;
    this.isOpen = false;
    document.addEventListener("visibilitychange", () => {
      this.setPresence({ visible: !document.hidden });
      if (!document.hidden && !this.isOpen) this.connectNow();
    });
    addEventListener("online", () => this.connectNow());
  }

  connectNow() {
    clearTimeout(this.timer);
    if (this.socket && this.socket.readyState <= WebSocket.OPEN) return;
    const socket = new WebSocket(`ws://${location.host}/socket`);
    this.socket = socket;
    socket.onopen = () =>
      this.put({ hello: { page: this.page, versions: this.versions, presence: this.presence, changes: true } });
    socket.onmessage = (event) => {
      let message;
      try {
        message = JSON.parse(event.data);
      } catch {
        // What cannot be read may be a state: all of them are asked for again.
        this.versions = {};
        socket.close();
        return;
      }
      this.take(message);
    };
    socket.onclose = (event) => {
      if (this.socket === socket) this.lost(event);
    };
  }

  /// Waits longer after each failure, and differently in each tab, so that a server that comes back is not rushed.
  lost(event) {
    this.socket = null;
    this.isOpen = false;
    // Another tab has taken over this one's session: go on with a new one.
    if (event.code === 4001) this.forgetPage();
    const longest = Math.min(5_000, 250 * 2 ** this.failures);
    this.failures += 1;
    this.handlers.onLost(this.failures);
    if (this.failures >= patientFailures) this.findReason();
    this.timer = setTimeout(() => this.connectNow(), longest * (0.5 + Math.random() / 2));
  }

  /// A socket that is refused does not tell why; a plain request for it does.
  async findReason() {
    let reason;
    try {
      const answer = await fetch("/socket");
      if (answer.status !== 426) reason = (await answer.text()).trim();
    } catch {
      reason = `Its program does not answer. Start ${program} again, if it has ended.`;
    }
    if (this.isOpen || !reason || reason === this.reason) return;
    this.reason = reason;
    this.handlers.onTrouble(reason);
  }

  forgetPage() {
    this.page = null;
    sessionStorage.removeItem("page");
  }

  put(message) {
    this.socket.send(JSON.stringify(message));
  }

  take(message) {
    if (message.change) {
      this.change(message);
    } else if (message.screen) {
      this.versions[message.screen] = message.version;
      this.states[message.screen] = message.state;
      this.handlers.onState(message.screen, message.state);
    } else if (message.welcome) {
      this.welcome(message.welcome);
    } else if (message.speak) {
      this.handlers.onSpeak?.(message.speak);
    } else if (message.hush) {
      this.handlers.onHush?.(message.hush);
    } else if (message.listen) {
      this.handlers.onListen?.(message.listen);
    } else if (message.finishListening) {
      this.handlers.onFinishListening?.();
    } else if (message.stopListening) {
      this.handlers.onStopListening?.();
    } else if (message.id) {
      const waiting = this.waiting.get(message.id);
      this.waiting.delete(message.id);
      if (message.ok) waiting?.resolve();
      else waiting?.reject(new Error(message.error?.text));
    }
  }

  /// Makes the new state of the one that is shown; where that is another one than the server thinks, all is asked for again.
  change({ screen, change, since, version }) {
    if (this.versions[screen] !== since) {
      delete this.versions[screen];
      this.socket.close();
      return;
    }
    const state = { ...this.states[screen], ...change.set };
    for (const name of change.unset) delete state[name];
    for (const [name, { remove, set }] of Object.entries(change.lists)) {
      const list = state[name].filter(({ id }) => !remove.includes(id));
      for (const { at, item } of set) list.splice(at, 0, item);
      state[name] = list;
    }
    this.take({ screen, state, version });
  }

  welcome({ page, resumed }) {
    const before = resumed ? null : { ...this.states };
    if (!resumed) this.versions = {};
    this.page = page;
    sessionStorage.setItem("page", page);
    this.failures = 0;
    this.reason = undefined;
    this.isOpen = true;
    // What was sent to an earlier connection; the handler may send more.
    const earlier = [...this.waiting];
    this.handlers.onOpen(before);
    if (resumed) {
      for (const [id, { message, reject }] of earlier) {
        if (this.handlers.isForNow?.(message.action)) {
          // The click may be minutes old, and the user does not expect it to be obeyed any more.
          this.waiting.delete(id);
          reject(new Error("unknown"));
        } else {
          this.put(message);
        }
      }
    } else {
      // A server that does not know the page cannot tell what became of them.
      for (const [id, { reject }] of earlier) {
        this.waiting.delete(id);
        reject(new Error("unknown"));
      }
    }
    for (const open of this.openers.splice(0)) open();
  }

  /// Resolves when the action is done. What went wrong in it is part of the screen's state.
  async send(screen, action, patience = actionPatience) {
    if (!this.isOpen) await this.untilOpen();
    if (this.waiting.size >= waitingLimit) throw new Error("slow");
    const id = this.nextID++;
    const message = { id, screen, action };
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.waiting.delete(id);
        reject(new Error("slow"));
      }, patience);
      const settled = (settle) => (value) => {
        clearTimeout(timer);
        settle(value);
      };
      this.waiting.set(id, { message, resolve: settled(resolve), reject: settled(reject) });
      this.put(message);
    });
  }

  /// What is done in a short gap is done after it; not what somebody did long ago.
  untilOpen() {
    return new Promise((resolve, reject) => {
      const opener = () => {
        clearTimeout(timer);
        resolve();
      };
      const timer = setTimeout(() => {
        this.openers = this.openers.filter((other) => other !== opener);
        reject(new Error("lost"));
      }, gapPatience);
      this.openers.push(opener);
    });
  }

  setPresence(change) {
    const presence = { ...this.presence, ...change };
    const isSame = Object.entries(presence).every(([name, value]) => value === this.presence[name]);
    this.presence = presence;
    if (this.isOpen && !isSame) this.put({ presence });
  }

  spoken(number) {
    if (this.isOpen) this.put({ spoken: number });
  }

  /// What does not go through the socket: a request for this page, and its answer.
  async post(path, body) {
    try {
      // The server has to know the page first.
      if (!this.isOpen) await this.untilOpen();
      return await fetch(`${path}?page=${encodeURIComponent(this.page)}`, { method: "POST", body });
    } catch {
      throw new Error("The server cannot be reached.");
    }
  }

  /// An action with a secret goes in a request of its own, never through the socket. Returns the state of the screen then; fails with the
  /// server's words.
  async sendSecret(screen, action) {
    const answer = await this.post("/secret", JSON.stringify({ screen, action }));
    if (!answer.ok) throw new Error((await answer.text()).trim());
    return (await answer.json()).state;
  }
}
