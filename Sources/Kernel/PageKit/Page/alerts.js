// What went wrong, as banners that push the rest of the page down and cover no control: one for each cause.

import { $, isReplay, make, selectedTab } from "./elements.js";
import { list } from "./list.js";

/// In a recording nobody can go to another tab: all are shown.
const belongsTo = (screen, tab, places) => isReplay || (places[screen]?.includes(tab) ?? true);

/// The alerts by their causes: what two screens report with the same words has one banner.
function causes(states, tab, places) {
  const found = new Map();
  for (const [screen, state] of Object.entries(states)) {
    const alert = state?.alert;
    if (!alert || !belongsTo(screen, tab, places)) continue;
    const name = JSON.stringify([alert.text, alert.advice]);
    const cause = found.get(name) ?? { screens: [], titles: [], retried: [], text: alert.text, advice: alert.advice };
    cause.screens.push(screen);
    if (!cause.titles.includes(alert.title)) cause.titles.push(alert.title);
    if (alert.offersRetry) cause.retried.push(screen);
    found.set(name, cause);
  }
  return [...found.values()];
}

function banner(cause, act) {
  const toAll = (screens, action) => () => screens.forEach((screen) => act(screen, action));
  const button = (text, action) => make("button", { class: "quiet small", onclick: action }, text);
  return make(
    "section",
    { class: "alert", role: "alert", "data-screen": cause.screens[0] },
    make("div", {}, make("h2", { dir: "auto" }, cause.titles.join(". ")), make("p", { dir: "auto" }, cause.text), cause.advice ? make("p", { class: "advice", dir: "auto" }, cause.advice) : null),
    make(
      "div",
      { class: "actions" },
      cause.retried.length ? button("Try again", toAll(cause.retried, { retry: {} })) : null,
      button("Close", toAll(cause.screens, { dismissAlert: {} })),
    ),
  );
}

/// Shows the alerts that belong to a tab, each until it is closed; the other tabs that have one are marked.
///
/// `places` has the tabs on which a screen's alert is shown, by their numbers, its own first; those of other screens are shown on every tab.
export function renderAlerts(states, tab, act, places = {}) {
  const alerts = $("alerts");
  let isNews = false;
  const makeNew = (cause) => {
    isNews = true;
    return banner(cause, act);
  };
  // What stays is not put in again: a screen reader would read it once more.
  list(alerts, causes(states, tab, places), { key: JSON.stringify, make: makeNew }, ...document.querySelectorAll("dialog:modal button"), selectedTab(), ...document.querySelectorAll("main h2[tabindex]"));
  if (isNews) alerts.scrollIntoView({ block: "nearest" });
  markTabs(states, tab, places);
}

function markTabs(states, tab, places) {
  document.querySelectorAll("[role=tab]").forEach((button, index) => {
    const hasProblem = index !== tab && Object.entries(places).some(([screen, tabs]) => tabs[0] === index && states[screen]?.alert && !tabs.includes(tab));
    if (hasProblem) button.setAttribute("aria-describedby", "tab-problem");
    else button.removeAttribute("aria-describedby");
  });
}
