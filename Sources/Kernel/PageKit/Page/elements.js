// Small helpers for elements, and what several tabs share: announcements, alerts, questions.

export const $ = (id) => document.getElementById(id);

/// Whether the page shows a recording, which nobody can change.
export const isReplay = "replay" in document.documentElement.dataset;

const meta = (name) => document.querySelector(`meta[name="${name}"]`)?.content ?? "";

/// What people call the app, and the program that serves this page.
export const appName = meta("application-name");
export const program = meta("program");

/// Makes an element with attributes and children; texts are never read as HTML.
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else if (value === true) element.setAttribute(key, "");
    else if (value !== false && value != null) element.setAttribute(key, value);
  }
  element.append(...children.filter((child) => child != null));
  return element;
}

/// Sets a text only when it differs, so that readers of the screen are not disturbed.
export function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/// Shows or hides; what is hidden gives the focus to the first of other elements that can be seen.
export function show(element, isShown, ...successors) {
  const hadFocus = element.contains(document.activeElement);
  element.hidden = !isShown;
  if (!isShown && hadFocus) giveFocus(...successors);
}

/// Gives the focus to the first element that can be seen. In a recording it stays in the player.
export function giveFocus(...candidates) {
  if (isReplay && document.activeElement?.closest(".player")) return;
  candidates.find((element) => element?.checkVisibility())?.focus();
}

/// Takes an element out of use or back into it. It keeps the focus, so that who works by keyboard keeps the place.
export function setDisabled(element, isDisabled) {
  element.setAttribute("aria-disabled", isDisabled);
  element.toggleAttribute("data-off", isDisabled);
}

document.addEventListener(
  "click",
  (event) => {
    if (!event.target.closest?.('[aria-disabled="true"]')) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  },
  true,
);

/// Has a screen reader say something, once what it is saying is done.
export function announce(text) {
  // What was news in a recording is none now.
  if (isReplay) return;
  const announcer = $("announcer");
  announcer.textContent = "";
  requestAnimationFrame(() => (announcer.textContent = text));
}

/// Announces a reply sentence by sentence while it grows, not word by word.
export class GrowingText {
  constructor() {
    this.announced = 0;
    this.text = "";
  }

  show(text) {
    if (text === this.text) return;
    if (!text.startsWith(this.text.slice(0, this.announced))) this.announced = 0;
    this.text = text;
    const end = text.slice(this.announced).search(/[.!?。！？…][^.!?。！？…]*$/);
    if (end >= 0) this.announceTo(this.announced + end + 1);
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.announceTo(this.text.length), 2_000);
  }

  announceTo(end) {
    const sentence = this.text.slice(this.announced, end).trim();
    this.announced = Math.max(end, this.announced);
    if (sentence) announce(sentence);
  }
}

/// Says what the user does with a component, as an event `act` that bubbles; its `detail` is the action.
export function say(element, action) {
  element.dispatchEvent(new CustomEvent("act", { bubbles: true, detail: action }));
}

/// Whether what comes next is on the left of an element.
export const isMirrored = (element) => getComputedStyle(element).direction === "rtl";

/// The tab that is shown, where the focus goes when nothing else is left.
export const selectedTab = () => document.querySelector("[role=tab][aria-selected=true]");

/// Opens a dialog, before which nothing behind it can be reached.
export function openDialog(dialog, focused) {
  dialog.showModal();
  placeAlerts();
  focused.focus();
}

/// Opens a sheet; in a recording the time stays within reach, and keeps the focus.
export function openSheet(sheet, first) {
  if (!isReplay) return openDialog(sheet, first);
  const focused = document.activeElement;
  sheet.show();
  focused?.focus();
}

/// Has a sheet closed by its button, by Escape, and by a click beside it.
export function closesBy(sheet, button, close) {
  button.addEventListener("click", close);
  sheet.addEventListener("cancel", (event) => {
    event.preventDefault();
    close();
  });
  sheet.addEventListener("click", (event) => event.target === sheet && close());
}

/// All dialogs, the topmost first.
let dialogs = [];

/// Alerts and announcements stand in the topmost dialog, since what is behind it can be neither clicked nor heard.
function placeAlerts() {
  const host = dialogs.find((dialog) => dialog.matches(":modal")) ?? document.body;
  const focused = document.activeElement;
  if ($("announcer").parentElement !== host) host.append($("announcer"));
  // Above everything that can be used there.
  const main = document.querySelector("main");
  if (host === document.body && $("alerts").parentElement !== main) main.prepend($("alerts"));
  if (host !== document.body && $("alerts").parentElement !== host) host.firstElementChild.after($("alerts"));
  // An element that is moved loses the focus.
  if (focused !== document.activeElement) giveFocus(focused);
}

/// Asks before something is done that cannot be undone; the browser gives the focus back to where it was.
export function ask(title, text, yes, look = "danger") {
  const dialog = $("question");
  $("question-title").textContent = title;
  $("question-text").textContent = text;
  $("question-yes").textContent = yes;
  $("question-yes").className = look;
  dialog.returnValue = "";
  openDialog(dialog, $("question-no"));
  return new Promise((resolve) =>
    dialog.addEventListener("close", () => resolve(dialog.returnValue === "yes"), { once: true }),
  );
}

/// Wires the dialogs of the page, which are given by their ids, the topmost first; the question before all of them.
export function prepareDialogs(...ids) {
  dialogs = ["question", ...ids].map($);
  for (const dialog of dialogs) dialog.addEventListener("close", placeAlerts);
  $("question-no").addEventListener("click", () => $("question").close(""));
  $("question-yes").addEventListener("click", () => $("question").close("yes"));
}
