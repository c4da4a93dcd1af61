// The page of Notes: shows the list, and sends what is written.

import { renderAlerts } from "./kit/alerts.js";
import { Connection } from "./kit/connection.js";
import { $, make, setText, show } from "./kit/elements.js";
import { interruption, unreachable } from "./kit/notices.js";

const words = { waiting: "waiting", sent: "sent", failed: "not sent" };
/// What the page itself has to say, beside the alert of the screen.
const notices = { connection: null, interrupted: null };

const connection = new Connection({
  onState: render,
  onOpen: () => {
    setText($("connection"), "");
    notice("connection", null);
  },
  onLost: () => setText($("connection"), "Reconnecting…"),
  onTrouble: (reason) => notice("connection", unreachable(reason)),
});

/// Sends an action; false when it was not answered. What fails in the app is in the state.
async function act(action) {
  try {
    await connection.send("notes", action);
    return true;
  } catch (error) {
    notice("interrupted", interruption(error));
    return false;
  }
}

function notice(name, alert) {
  notices[name] = alert;
  renderProblems();
}

function renderProblems() {
  const alerts = { notes: connection.states.notes };
  for (const [name, alert] of Object.entries(notices)) alerts[name] = { alert };
  renderAlerts(alerts, 0, (screen, action) => {
    if (screen === "notes") return act(action);
    if (screen === "connection" && action.retry) return connection.connectNow();
    notice(screen, null);
  });
}

function render() {
  const { notes } = connection.states.notes;
  $("notes").replaceChildren(
    ...notes.map(({ text, status }) => make("li", { class: "field" }, make("span", { dir: "auto" }, text), make("span", { class: "pill" }, words[status]))),
  );
  show($("retry"), notes.some(({ status }) => status === "failed"), $("text"));
  renderProblems();
}

$("writer").addEventListener("submit", async (event) => {
  event.preventDefault();
  const text = $("text").value;
  // The next note can be typed at once; what was not kept comes back.
  $("text").value = "";
  if (!(await act({ write: { _0: text } }))) $("text").value ||= text;
});
$("retry").addEventListener("click", () => act({ retry: {} }));
document.body.inert = false;
connection.connectNow();
