// The page of Flow: shows the part that the server is at, and sends what the user does.

import { renderAlerts } from "./kit/alerts.js";
import { Connection } from "./kit/connection.js";
import { $, announce, appName, ask, giveFocus, isReplay, prepareDialogs, setDisabled, setText, show } from "./kit/elements.js";
import { interruption, unreachable } from "./kit/notices.js";
import "./kit/steps.js";
import { facts, makeForms, stepTitles, steps, titles, valuesOf } from "./parts.js";

const pill = $("connection");
const connection = new Connection({
  onState: render,
  onOpen: opened,
  onLost: lost,
  onTrouble: (reason) => notice("connection", unreachable(reason)),
});
const { states } = connection;
const replay = isReplay ? new (await import("./kit/replay.js")).Replay(connection) : null;
const forms = makeForms(act, sendSecret);
// A recording of a scenario has no page around its flow.
if (isReplay) states.overview = { isShown: true, email: "", fullName: "", dateOfBirth: "", address: "", city: "" };

/// Sends an action; false when it could not be sent or was not answered. What fails in the app is in the state of its screen.
async function act(screen, action) {
  if (isReplay) return false;
  try {
    await connection.send(screen, action, 120_000);
    return true;
  } catch (error) {
    const alert = interruption(error);
    if (alert) notice("interrupted", alert);
    return false;
  }
}

/// Sends an action with a secret, likewise.
async function sendSecret(screen, action) {
  if (isReplay) return false;
  try {
    await connection.sendSecret(screen, action);
    return true;
  } catch (error) {
    notice("interrupted", { title: "Nothing was sent", text: error.message, advice: "Try again." });
    return false;
  }
}

// What went wrong

/// What the page itself has to say, beside the alerts of the screens.
const notices = { connection: null, interrupted: null };

function notice(name, alert) {
  notices[name] = alert;
  renderProblems();
}

/// The failures of the screens that are shown, as alerts.
function renderProblems() {
  const alerts = {};
  for (const [name, alert] of Object.entries(notices)) alerts[name] = { alert };
  for (const screen of shownScreens()) {
    if (screen === "splash" && isSplashClosed) continue;
    const progress = states[screen]?.progress ?? states[screen];
    if (!progress?.showErrorAlert) continue;
    alerts[screen] = { alert: { title: titles[screen], text: progress.errorMessage, offersRetry: true } };
  }
  renderAlerts(alerts, 0, answer);
}

/// Whether the alert of the welcome was closed: the way to try again stays.
let isSplashClosed = false;

/// What was clicked on an alert; the focus goes to what it is about.
function answer(screen, action) {
  if (screen === "connection" && action.retry) return connection.connectNow();
  if (screen in notices) return notice(screen, null);
  if (screen === "splash") {
    if (action.retry) return act("splash", { retry: {} });
    isSplashClosed = true;
    render();
    return giveFocus($("welcome-retry"));
  }
  const form = forms[screen];
  giveFocus(action.retry ? form.button : (form.fields.find((field) => form.isSecret(field))?.control ?? form.button));
  return action.retry ? form.submit() : act(screen, { dismissAlert: {} });
}

// Parts

/// The part of the page that the server is at.
function part() {
  const { overview, flow } = states;
  if (!overview.isShown) return "ended";
  return { splash: "welcome", feature1: "authentication", feature2: "verification", feature3: "steps" }[flow.navigationState];
}

/// The screens whose failures belong to what is shown.
function shownScreens() {
  if (!states.overview || !states.flow) return [];
  const shown = part();
  if (shown === "welcome") return ["splash"];
  return shown === "steps" ? [states.flow.currentStep] : [shown];
}

function render(changed, newest) {
  if (changed && replay?.take(changed, newest)) return;
  if (!states.overview || !states.flow) return;
  const isFirst = document.body.classList.contains("starting");
  document.body.classList.remove("starting");
  for (const [screen, form] of Object.entries(forms)) {
    const state = states[screen];
    if (state) showEntered(screen, form, state);
    if (state) form.render(valuesOf(screen, state), state.progress.validationErrors, state.progress.isLoading);
  }
  renderFacts();
  renderWelcome();
  renderPart(isFirst);
  renderProblems();
  replay?.freeze();
}

/// A secret that the server has is in no state: its field says that there is one.
function showEntered(screen, form, state) {
  const dots = { authentication: state.hasPassword ? "••••••••" : "", verification: state.code }[screen];
  for (const field of form.fields.filter((field) => form.isSecret(field))) field.control.placeholder = dots;
}

function renderFacts() {
  const key = JSON.stringify(states.overview);
  if (key === renderFacts.key) return;
  renderFacts.key = key;
  for (const id of ["step3-facts", "completion-facts"]) $(id).replaceChildren(...facts(states.overview));
  setText($("verification-email"), states.overview.email);
}

function renderWelcome() {
  const hasFailed = Boolean(states.splash?.showErrorAlert);
  if (!hasFailed) isSplashClosed = false;
  setText($("welcome-status"), hasFailed ? "" : "Starting your session…");
  $("welcome-status").classList.toggle("waiting", !hasFailed);
  show($("welcome-retry"), isSplashClosed, $("welcome-title"));
}

function renderPart(isFirst) {
  const shown = part();
  const step = states.flow.currentStep;
  const key = shown === "steps" ? step : shown;
  if (key === renderPart.key) return;
  renderPart.key = key;
  for (const section of document.querySelectorAll(".part")) section.hidden = section.id !== shown;
  $("cancel").hidden = shown === "ended" || step === "completion";
  const heading = shown === "steps" ? renderStep(step) : $(`${shown}-title`);
  if (shown === "ended") renderEnd();
  // What was typed in another part is none of this one's business, a password least of all.
  for (const [screen, form] of Object.entries(forms)) if (screen !== key && form.fields.some((field) => form.isSecret(field))) form.clear();
  if (!isReplay) document.title = shown === "welcome" ? appName : `${heading.textContent} – ${appName}`;
  // Somebody who loads the page again has not gone anywhere.
  if (!isFirst) giveFocus(heading);
  scrollTo({ top: 0 });
}

function renderStep(step) {
  const number = steps.indexOf(step);
  $("progress").current = number;
  setText($("steps-count"), number < 3 ? `Step ${number + 1} of 3` : "");
  setText($("steps-title"), stepTitles[step]);
  for (const name of steps) $(name === "completion" ? name : `${name}-form`).hidden = name !== step;
  return $("steps-title");
}

function renderEnd() {
  const isDone = states.overview.result === "completed";
  $("ended-done").toggleAttribute("hidden", !isDone);
  setText($("ended-title"), isDone ? "Thank you. You are all set." : "You have left the sign-up");
  setText($("ended-text"), isDone ? `Your account is ready for ${states.overview.email}.` : "Nothing more is sent. You can begin again at any time.");
}

// Buttons

$("welcome-retry").addEventListener("click", () => act("splash", { retry: {} }));
$("cancel").addEventListener("click", async () => {
  const isSure = await ask("Leave the sign-up?", "What you have entered is not kept on this page.", "Leave");
  if (isSure) await act("flow", { cancel: {} });
});
for (const [id, screen, action] of [["finish", "flow", { finish: {} }], ["restart", "overview", { start: {} }]]) {
  $(id).addEventListener("click", async () => {
    setDisabled($(id), true);
    await act(screen, action);
    setDisabled($(id), false);
  });
}

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

$("step1-form").querySelector("input[type=date]").max = new Date().toISOString().slice(0, 10);
prepareDialogs();
document.body.inert = false;
replay?.slider.focus({ preventScroll: true });
connection.connectNow();
