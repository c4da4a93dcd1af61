// The page of Argus: shows the place that the app is at, and sends what the user does.

import { renderAlerts } from "./kit/alerts.js";
import { Connection } from "./kit/connection.js";
import { $, announce, appName, ask, giveFocus, isReplay, make, prepareDialogs, setDisabled, setText } from "./kit/elements.js";
import { ScreenForm } from "./kit/forms.js";
import { interruption, unreachable } from "./kit/notices.js";
import { Route } from "./kit/route.js";
import { Toast } from "./kit/toast.js";
import { rows, showDetail } from "./events.js";
import { places } from "./places.js";
import { pulls } from "./pull.js";

const pill = $("connection");
const connection = new Connection({
  onState: render,
  onOpen: opened,
  onLost: lost,
  onTrouble: (reason) => notice("connection", unreachable(reason)),
});
const { states } = connection;
const replay = isReplay ? new (await import("./kit/replay.js")).Replay(connection, toRecorded) : null;
// The simulated home stands beside the app, and is in no recording.
if (isReplay) states.home = { home: null };
/// A call goes on for half a minute at most; two of them may follow each other.
const patience = 90_000;

/// Sends an action; false when it could not be sent or was not answered. What fails in the app is in the state of its screen.
async function act(screen, action) {
  if (isReplay) return false;
  try {
    await connection.send(screen, action, patience);
    return true;
  } catch (error) {
    const alert = interruption(error);
    if (alert) notice("interrupted", alert);
    return false;
  }
}

// What went wrong

/// What the page itself has to say, beside the alerts of the screens.
const notices = { connection: null, interrupted: null };
/// Whether it was read that the session is not kept, and that the events were not loaded.
let isUnkeptRead = false;
let isErrorRead = false;

function notice(name, alert) {
  notices[name] = alert;
  renderProblems();
}

function renderProblems() {
  const alerts = {};
  for (const [name, alert] of Object.entries(notices)) alerts[name] = { alert };
  const { pairing, settings, events } = states;
  if (part() === "pairing" && pairing?.progress.showErrorAlert) {
    alerts.pairing = { alert: { title: "This device was not paired", text: pairing.progress.errorMessage } };
  }
  if (settings?.isPaired && !settings.isSessionKept && !isUnkeptRead) {
    alerts.settings = {
      alert: {
        title: "The pairing is not kept",
        text: "This device could not store its session: when Argus is started again, it has to be paired again.",
        advice: "Make room on the disk, then sign out and pair again.",
      },
    };
  }
  if (!events?.errorMessage) isErrorRead = false;
  if (part() === "events" && events?.errorMessage && events.rows.length && !isErrorRead) {
    alerts.events = { alert: { title: "The events were not loaded", text: events.errorMessage, offersRetry: true } };
  }
  renderAlerts(alerts, 0, answer);
}

/// What was clicked on an alert.
function answer(screen, action) {
  if (screen === "connection" && action.retry) return connection.connectNow();
  if (screen in notices) return notice(screen, null);
  if (screen === "settings") {
    isUnkeptRead = true;
    return renderProblems();
  }
  if (screen === "pairing") {
    giveFocus(form.fields[0].control);
    return act("pairing", { dismissAlert: {} });
  }
  giveFocus($("events-title"));
  if (action.retry) return act("events", { retry: {} });
  isErrorRead = true;
  return renderProblems();
}

// Places

/// Whether this tab shows the settings in place of the events.
let showsSettings = false;
/// The event that was open when the tab was drawn last.
let openID;

function part() {
  const { root } = states;
  if (!root || root.root === "launching") return "launching";
  if (root.root === "pairing") return "pairing";
  if (root.eventID && !(isReplay && showsSettings)) return "detail";
  return showsSettings ? "settings" : "events";
}

const route = new Route(places, async ({ part: wanted, eventID }) => {
  if (states.root?.root !== "events") return;
  showsSettings = wanted === "settings";
  await act("root", eventID ? { open: { eventID } } : { close: {} });
  render();
});

const open = (eventID) => act("root", { open: { eventID } });

/// A moment of a recording shows what was shown then, and not what was looked at besides.
function toRecorded() {
  if (!showsSettings) return;
  showsSettings = false;
  render();
}

function toEvents() {
  showsSettings = false;
  render();
}

function renderPart(isFirst) {
  const { root } = states;
  if (!isReplay && root.eventID && root.eventID !== openID) showsSettings = false;
  openID = root.eventID;
  const shown = part();
  if (shown === "launching") return;
  const key = shown === "detail" ? `detail ${root.eventID}` : shown;
  if (key !== renderPart.key) {
    const before = renderPart.key;
    if (before === "events") renderPart.scroll = scrollY;
    if (before === "pairing") form.clear();
    renderPart.key = key;
    for (const section of document.querySelectorAll(".part")) section.hidden = section.id !== shown;
    $("to-settings").hidden = shown === "pairing" || shown === "settings";
    const heading = $(`${shown}-title`);
    // Somebody who loads the page again has not gone anywhere; who closes a detail is where it was opened.
    const row = shown === "events" && before?.startsWith("detail ") ? rowOf(before.slice(7)) : null;
    if (!isFirst) giveFocus(row?.querySelector("button"), heading);
    scrollTo({ top: shown === "events" ? (renderPart.scroll ?? 0) : 0, behavior: "instant" });
    if (shown !== "events" && shown !== "detail") renderPart.scroll = 0;
  }
  if (!isReplay) document.title = shown === "events" ? appName : `${$(`${shown}-title`).textContent} – ${appName}`;
  route.show({ part: shown === "detail" ? "events" : shown, eventID: root.eventID });
}

const rowOf = (id) => document.querySelector(`#feed [data-key="${CSS.escape(id)}"]`);

// Screens

/// Whether something was sent that is no code.
let isNoCode = false;

const form = new ScreenForm($("pairing-form"), {
  busy: "Pairing…",
  send: async () => {
    isNoCode = !/^[0-9]{6}$/.test(form.fields[0].value);
    render();
    return isNoCode || act("pairing", { submit: {} });
  },
  secret: async () => true,
  edit: ({ code }) => {
    isNoCode = false;
    return act("pairing", { setCode: { _0: code } });
  },
});

const leads = {
  seed: "Your hub shows a code of six digits. Type it here, and this device gets to see what its cameras see.",
  hub: "Have a code shown here. Type it into the page of your hub, and this device gets to see what its cameras see.",
};

/// A code is typed here, or shown here for the page of the hub.
function renderPairing({ dialect, code, shown, progress }) {
  const isShownHere = dialect === "hub";
  setText($("pairing-lead"), leads[dialect]);
  $("pairing-form").hidden = isShownHere;
  $("pairing-shown").hidden = !isShownHere;
  form.render({ code }, isNoCode ? { code: "A code has six digits." } : {}, progress.isLoading);
  for (const id of ["shown-line", "shown-hint", "cancel-code"]) $(id).hidden = !shown;
  setText($("shown-code"), shown?.code ?? "");
  setText($("shown-hint"), shown ? `From ${shown.hubName ?? "your hub"}. It can be used for ${shown.secondsLeft} seconds.` : "");
  setText($("request-code"), shown ? "Another code" : progress.isLoading ? "Asking…" : "Show a code");
  setDisabled($("request-code"), !shown && progress.isLoading);
}

const feed = $("feed");
feed.shows = rows(open);
feed.addEventListener("act", ({ detail }) => {
  if ("older" in detail) act("events", states.events.errorMessage ? { retry: {} } : { loadMore: {} });
});

function renderEvents(state) {
  if (state === renderEvents.shown) return;
  renderEvents.shown = state;
  const { rows: items, isLoaded, isLoading, isLoadingMore, hasMore, errorMessage } = state;
  const hasFailed = Boolean(errorMessage) && items.length === 0;
  setText($("events-error-text"), hasFailed ? errorMessage : "");
  const hadFocus = $("events-error").contains(document.activeElement);
  $("events-error").hidden = !hasFailed;
  if (!hasFailed && hadFocus) giveFocus($("events-title"));
  feed.hidden = hasFailed;
  // What has failed is not tried again by itself.
  const rest = isLoadingMore ? "loading" : !hasMore ? "end" : errorMessage ? "failed" : isLoading ? "end" : "more";
  const isWaiting = items.length === 0 && (isLoading || !isLoaded);
  feed.state = { items, older: isWaiting ? "loading" : rest, newer: "end" };
  setDisabled($("refresh"), isLoading);
  setText($("refresh"), isLoading && items.length ? "Refreshing…" : "Refresh");
}

function renderDetail({ detail }) {
  const { event, isLoading, errorMessage } = detail;
  showDetail(
    { title: $("detail-title"), text: $("detail-text"), picture: $("detail-picture"), figure: $("detail-figure"), facts: $("detail-facts") },
    event,
  );
  $("detail-content").hidden = !event;
  setText($("detail-loading"), isLoading && !event ? "Loading…" : "");
  const hasFailed = Boolean(errorMessage);
  setText($("detail-error-text"), errorMessage ?? "");
  const hadFocus = $("detail-error").contains(document.activeElement);
  $("detail-error").hidden = !hasFailed;
  if (!hasFailed && hadFocus) giveFocus($("detail-title"));
}

const ways = { local: "At home", relay: "Through the relay", none: "No way to the hub" };
const registrations = {
  unknown: "You were not asked yet.",
  denied: "Off: this device does not show notifications of Argus.",
  waiting: "They begin as soon as the hub knows this device.",
  registered: "On: your hub tells this device what its cameras see.",
  failed: "Your hub did not take this device’s registration. It is tried again at the next start.",
};

function renderSettings(state) {
  const isPaired = state.isPaired && states.root?.root === "events";
  setText($("way"), isPaired ? ways[state.way] : "");
  $("way").dataset.way = state.way;
  setText($("notifications"), registrations[state.notifications]);
  const facts = [["Name", state.hubID ?? "It does not say"], ["Reached", ways[state.way]], ["Address", state.address ?? "–"]];
  const key = JSON.stringify(facts);
  if (key === renderSettings.key) return;
  renderSettings.key = key;
  $("hub-facts").replaceChildren(...facts.flatMap(([title, text]) => [make("dt", {}, title), make("dd", { dir: "auto" }, text)]));
}

function renderHome({ home }) {
  $("home").hidden = !home;
  if (!home) return;
  setText($("code"), home.code);
  $("home-code").hidden = $("new-code").hidden = states.root?.root === "events";
  if (!$("hub-switch").isBusy) $("hub-switch").checked = home.isHubAtHome;
  if (!$("internet-switch").isBusy) $("internet-switch").checked = home.isInternetOn;
}

// Notices

const toast = new Toast();
/// The notices that were there before, which are no news.
let known;

function renderNotices({ notices: arrived }) {
  const news = known ? arrived.filter(({ id }) => !known.has(id)) : [];
  known = new Set(arrived.map(({ id }) => id));
  if (toast.id && !known.has(toast.id)) hideToast();
  const newest = news.at(-1);
  if (!newest) return;
  toast.id = newest.id;
  toast.render(`${newest.title} – ${newest.body}`, () => act("root", { tap: { noticeID: newest.id } }), hideToast);
}

function hideToast() {
  toast.id = undefined;
  toast.render();
}

// All of it

function render(screen, state) {
  if (screen && replay?.take(screen, state)) return;
  const { root, pairing, events, detail, settings, home } = states;
  if (isReplay && root?.root === "launching") return document.body.classList.add("starting");
  if (!root || !pairing || !events || !detail || !settings || !home || root.root === "launching") return;
  const isFirst = document.body.classList.contains("starting");
  document.body.classList.remove("starting");
  renderPairing(pairing);
  renderSettings(settings);
  renderHome(home);
  renderDetail(detail);
  renderPart(isFirst);
  renderEvents(events);
  renderNotices(root);
  renderProblems();
  replay?.freeze();
}

// Buttons

$("request-code").addEventListener("click", () => act("pairing", { requestCode: {} }));
$("cancel-code").addEventListener("click", () => act("pairing", { cancelCode: {} }));
$("refresh").addEventListener("click", () => act("events", { refresh: {} }));
$("events-retry").addEventListener("click", () => act("events", { retry: {} }));
$("detail-retry").addEventListener("click", () => act("detail", { load: {} }));
$("detail-back").addEventListener("click", () => act("root", { close: {} }));
$("settings-back").addEventListener("click", toEvents);
$("to-settings").addEventListener("click", async () => {
  if (!isReplay && states.root.eventID && !(await act("root", { close: {} }))) return;
  showsSettings = true;
  render();
});
$("sign-out").addEventListener("click", async () => {
  const isSure = await ask("Sign out?", "This device forgets its hub. To see its events again, pair it with a new code.", "Sign out");
  if (isSure && (await act("settings", { signOut: {} }))) showsSettings = false;
});
$("ring").addEventListener("click", () => act("home", { ring: {} }));
$("new-code").addEventListener("click", () => act("home", { showCode: {} }));
for (const [id, action] of [["hub-switch", (isAtHome) => ({ setHub: { isAtHome } })], ["internet-switch", (isOn) => ({ setInternet: { isOn } })]]) {
  const control = $(id);
  control.addEventListener("change", async () => {
    control.isBusy = true;
    await act("home", action(control.checked));
    control.isBusy = false;
    render();
  });
}
pulls($("events"), $("pull"), {
  canPull: () => part() === "events" && !states.events?.isLoading,
  refresh: () => act("events", { refresh: {} }),
});

// The connection

function opened() {
  if (pill.textContent) announce("Connected again.");
  setText(pill, "");
  notice("connection", null);
}

function lost(failures) {
  // A short gap, such as that of a reload, is not worth a word.
  const say = () => setText(pill, "Reconnecting…");
  if (failures > 1) say();
  else setTimeout(() => connection.isOpen || say(), 600);
}

prepareDialogs();
document.body.inert = false;
replay?.slider.focus({ preventScroll: true });
connection.connectNow();
