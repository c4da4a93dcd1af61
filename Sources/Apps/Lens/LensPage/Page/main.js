// The page: shows the states of the screens, and sends what the user does.

import { renderAlerts } from "./kit/alerts.js";
import { AnalysisSheet } from "./analysis.js";
import { Attachment } from "./attachment.js";
import { CameraTab } from "./camera.js";
import { CameraSheet } from "./cameras.js";
import { ChatTab } from "./chat.js";
import { Connection } from "./kit/connection.js";
import { $, announce, isReplay, prepareDialogs, setText } from "./kit/elements.js";
import { GalleryTab } from "./gallery.js";
import { Hearing } from "./kit/hearing.js";
import { interruption, unreachable } from "./kit/notices.js";
import { Route } from "./kit/route.js";
import { places, tabsOfAlerts } from "./places.js";
import { SettingsTab } from "./settings.js";
import { Speech } from "./kit/speech.js";
import "./kit/tabs.js";

const tabs = $("tabs");
const names = ["Camera", "Gallery", "Chat", "Settings"];

const pill = $("connection");
const connection = new Connection({
  onState: render,
  onSpeak: (sentence) => speech.speak(sentence),
  onHush: () => speech.hush(),
  onListen: (number) => hearing.listen(number),
  onFinishListening: () => hearing.finish(),
  onStopListening: () => hearing.stop(),
  isForNow: (action) => action.startListening,
  onOpen: opened,
  onLost: lost,
  onTrouble: (reason) => notice("connection", unreachable(reason)),
});
const speech = new Speech(connection);
const hearing = new Hearing(connection);
const camera = new CameraTab(act, openPhoto);
const gallery = new GalleryTab(act, openPhoto, discuss);
const chat = new ChatTab(act, hearing, new Attachment(act, connection, notice));
const cameras = new CameraSheet(act, connection);
const analysis = new AnalysisSheet(act);
const settings = new SettingsTab(act, connection, speech);
const route = new Route(places, async ({ tab, sheet }) => {
  if (tab !== selected) await select(tab);
  if (sheet) await act("navigation", { present: { _0: sheet } });
  else if (connection.states.navigation?.presentedSheet) await act("navigation", { dismissSheet: {} });
});
$("gallery-camera").addEventListener("click", () => select(0));
if (isReplay) camera.still = null;
const replay = isReplay ? new (await import("./kit/replay.js")).Replay(connection, showPlace) : null;

/// What belongs to a moment of a recording besides the states; the tab is that of the user again.
function showPlace({ still }) {
  camera.still = still ?? null;
  if (connection.states.navigation) renderNavigation(connection.states.navigation);
}

/// Sends an action; false when it could not be sent or was not answered. What fails in the app is an alert of its screen.
async function act(screen, action, patience) {
  if (isReplay) return false;
  try {
    await connection.send(screen, action, patience);
    return true;
  } catch (error) {
    const alert = interruption(error);
    // Where the user went is no action that is missed.
    if (alert && !(error.message === "unknown" && screen === "navigation")) notice("interrupted", alert);
    return false;
  }
}

/// What the page itself has to say, beside the alerts of the screens.
const notices = { connection: null, interrupted: null, attachment: null };

function notice(name, alert) {
  notices[name] = alert;
  renderProblems();
}

function renderProblems() {
  const own = Object.fromEntries(Object.entries(notices).map(([name, alert]) => [name, { alert }]));
  renderAlerts({ ...connection.states, ...own }, Math.max(selected, 0), (screen, action) => {
    if (!(screen in notices)) return act(screen, action);
    if (action.retry) connection.connectNow();
    else notice(screen, null);
  }, tabsOfAlerts);
}

/// Goes to the chat with a photo or video attached.
async function discuss({ id, kind }) {
  await act("chat", kind === "photo" ? { attachPhoto: { _0: id } } : { attachVideo: { _0: id } });
  await act("navigation", { dismissSheet: {} });
  await select(2);
  $("chat-input").focus();
}

async function openPhoto(id) {
  await act("navigation", { present: { _0: { mediaPreview: { _0: id } } } });
}

function render(screen, state) {
  if (replay?.take(screen, state)) return;
  const states = connection.states;
  if (screen === "navigation") {
    followed.add(state.selectedTab);
    renderNavigation(state);
    route.show({ tab: state.selectedTab, sheet: state.presentedSheet });
  }
  if (screen === "camera") camera.renderCamera(state);
  if (screen === "stream") {
    camera.renderStream(state);
    chat.latest = state.latestResponse;
  }
  if (screen === "gallery") gallery.render(state);
  if (screen === "chat") chat.render(state);
  if (screen === "reply") chat.renderReply(state);
  if (screen === "settings") settings.render(state);
  if (screen === "navigation" || screen === "discovery" || screen === "setup") {
    cameras.render(states.navigation?.presentedSheet, states.discovery, states.setup);
  }
  if (screen === "navigation" || screen === "preview" || screen === "gallery") {
    gallery.renderSheet(states.navigation?.presentedSheet, states.preview);
  }
  if (screen === "navigation" || screen === "analysis") {
    analysis.render(states.navigation?.presentedSheet, states.analysis);
  }
  renderBusy();
  renderProblems();
  replay?.freeze();
}

let selected = -1;

/// The screens without whose states a tab has nothing true to show.
const needed = [["camera", "stream"], ["gallery"], ["chat"], ["settings"]];
/// The tabs of which the server knows that they are shown: their states are those of what is there.
const followed = new Set();

/// Shows shapes in place of sentences until the states of a tab are there.
function renderBusy() {
  tabs.panels.forEach((panel, index) => {
    const isBusy = !isReplay && !(followed.has(index) && needed[index].every((name) => connection.states[name]));
    if (isBusy) panel.setAttribute("aria-busy", "true");
    else panel.removeAttribute("aria-busy");
  });
}

function renderNavigation({ selectedTab, isLaunched = true }) {
  // A server that is starting has nothing to show yet.
  document.body.classList.toggle("starting", !isLaunched && !isReplay);
  if (selected === selectedTab) return;
  selected = selectedTab;
  chat.endTalking();
  tabs.selected = selectedTab;
  if (!isReplay) document.title = `${names[selectedTab]} – Lens`;
  camera.isShown = selectedTab === 0;
  chat.isShown = selectedTab === 2;
}

/// The page changes at once; the server follows.
function select(index) {
  renderNavigation({ selectedTab: index });
  renderProblems();
  return act("navigation", { selectTab: { _0: index } }).then((isDone) => {
    if (isDone) followed.add(index);
    renderBusy();
  });
}

tabs.addEventListener("act", ({ detail }) => select(detail.select));

/// A server that was started again knows nothing of this page, and one that was out of reach not where it went meanwhile.
function opened(before) {
  if (pill.textContent) announce("Connected again.");
  setText(pill, "");
  notice("connection", null);
  document.body.classList.remove("lost");
  camera.isConnected = chat.isConnected = true;
  const known = before ? 0 : connection.states.navigation?.selectedTab;
  if (known !== undefined && known !== selected) act("navigation", { selectTab: { _0: selected } });
}

function lost(failures) {
  camera.isConnected = false;
  speech.hush();
  hearing.stop();
  document.body.classList.add("lost");
  // A short gap, such as that of a reload, is not worth a word.
  const say = () => {
    setText(pill, "Reconnecting…");
    chat.isConnected = false;
  };
  if (failures > 1) say();
  else setTimeout(() => connection.isOpen || say(), 600);
}

prepareDialogs("cameras", "analysis", "lightbox-dialog", "picker");
renderNavigation({ selectedTab: 0, isLaunched: isReplay });
renderBusy();
document.body.inert = false;
replay?.slider.focus({ preventScroll: true });
connection.connectNow();
