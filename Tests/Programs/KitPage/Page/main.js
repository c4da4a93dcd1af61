// Every component of the kit in every state: the page makes the states up, and a test uses the components.

import { renderAlerts } from "./kit/alerts.js";
import "./kit/composer.js";
import "./kit/crop.js";
import { $, announce, ask, make, prepareDialogs, setText } from "./kit/elements.js";
import "./kit/feed.js";
import { clock, dateAndTime, integer, month, tenth, timeOfDay } from "./kit/format.js";
import { ScreenForm } from "./kit/forms.js";
import { jpeg } from "./kit/pictures.js";
import "./kit/lightbox.js";
import { unreachable } from "./kit/notices.js";
import { rich } from "./kit/rich.js";
import { Route } from "./kit/route.js";
import "./kit/steps.js";
import "./kit/tabs.js";
import "./kit/thumb.js";
import { Toast } from "./kit/toast.js";

const on = (id, action) => $(id).addEventListener("click", action);
const long = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft and more words after it, which go on and on until there is no room for them in one line";
const arabic = "مرحبا بالعالم، هذا نص طويل يقرأ من اليمين إلى اليسار";
/// In seconds since 1970.
const noon = 1_790_000_000;

/// Says whether a button is pressed, and turns that about with each click.
function toggle(id, changed) {
  on(id, () => {
    const isOn = $(id).getAttribute("aria-pressed") !== "true";
    $(id).setAttribute("aria-pressed", isOn);
    changed(isOn);
  });
}

toggle("turn", (isOn) => (document.documentElement.dir = isOn ? "rtl" : "ltr"));

// Tabs, with addresses

const names = ["forms", "media", "words", "feed"];
const places = {
  address: ({ tab }) => `#/${names[tab]}`,
  read: (hash) => {
    const tab = names.indexOf(hash.slice(2));
    return tab < 0 ? null : { tab };
  },
};
const route = new Route(places, ({ tab }) => select(tab));

/// The page changes at once, and what a server would say of it comes later.
async function select(tab) {
  $("tabs").selected = tab;
  renderProblems();
  await new Promise((done) => setTimeout(done, 100));
  route.show({ tab });
}

$("tabs").addEventListener("act", ({ detail }) => select(detail.select));

// What is said

const alerts = {};

function renderProblems() {
  const states = Object.fromEntries(Object.entries(alerts).map(([name, alert]) => [name, { alert }]));
  renderAlerts(states, $("tabs").selected, (name, action) => {
    setText($("answer"), action.retry ? "tried again" : "closed");
    delete alerts[name];
    renderProblems();
  }, { words: [2] });
}

on("fail", () => {
  alerts.one = { title: "The upload failed", text: "The storage answered 503.", advice: "It is tried again in a minute.", offersRetry: true };
  alerts.other = { title: "The backup failed", text: alerts.one.text, advice: alerts.one.advice, offersRetry: true };
  alerts.long = { title: long, text: arabic };
  renderProblems();
});
on("fail-other", () => {
  alerts.words = { title: "The message was not sent", text: "It is too long." };
  renderProblems();
});
on("lose", () => {
  setText($("connection"), "Reconnecting…");
  alerts.connection = unreachable("Its program does not answer.");
  renderProblems();
});

const toast = new Toast();
const dismiss = () => toast.render("");
on("say", () => toast.render("The photo was saved.", undefined, dismiss));
on("offer", () => toast.render("The video was saved.", () => setText($("answer"), "shown"), dismiss));
on("ask", async () => {
  const isSure = await ask("Delete the picture?", "It cannot be brought back.", "Delete");
  setText($("answer"), isSure ? "yes" : "no");
});
on("disabled", () => setText($("answer"), "a disabled button was used"));

// Forms

const person = { values: {}, errors: {} };
const needed = { email: "Enter an e-mail address.", password: "Enter a password.", terms: "Accept the terms." };
const form = new ScreenForm($("person"), {
  busy: "Continuing…",
  edit: async (values) => {
    Object.assign(person.values, values);
    return true;
  },
  secret: async (name, text) => {
    person.values[name] = Boolean(text);
    return true;
  },
  send: async () => {
    person.errors = Object.fromEntries(Object.entries(needed).filter(([name]) => !person.values[name]));
    form.render({}, person.errors, false);
    return true;
  },
});
for (const steps of document.querySelectorAll("k-steps")) steps.current = Number(steps.dataset.at);
const facts = { Time: timeOfDay(noon), "Date and time": dateAndTime(noon), Month: month(noon), Count: integer(12_345), Zoom: tenth(2.5), Length: clock(3_725) };
$("facts").append(...Object.entries(facts).flatMap(([name, text]) => [make("dt", {}, name), make("dd", {}, text)]));

// Pictures

const film = { duration: 3, address: (milliseconds) => `/picture.svg?at=${milliseconds}` };
const items = [
  { id: "wide", title: "A landscape", picture: "/picture.svg" },
  { id: "tall", title: `A portrait. ${long}`, picture: "/portrait.svg" },
  { id: "film", title: "A movie", picture: "/picture.svg", film, kind: "video" },
  { id: "broken", title: "One that is gone", picture: "/missing.svg" },
  { id: "loading", title: "One that does not come", picture: "/never.svg" },
  { id: "empty", title: "One that has none yet" },
];
let shown = -1;

function showItem(index) {
  shown = index;
  const item = items[index];
  $("lightbox").neighbours = { before: index > 0, next: index >= 0 && index < items.length - 1 };
  $("lightbox").item = item && { ...item, facts: [make("p", { class: "fine" }, `${index + 1} of ${items.length}`), make("div", { class: "actions" }, make("button", { class: "quiet small", "data-role": "like" }, "Like"))] };
}

$("thumbs").append(
  ...items.map(({ title, picture, kind }, index) =>
    make("li", {}, make("button", { class: "tile", "aria-label": title, onclick: () => showItem(index) }, make("k-thumb", { src: picture, kind }, kind ? make("span", { class: "mark" }, "0:03") : null)))),
);
$("lightbox").addEventListener("act", ({ detail }) => showItem(detail.step ? shown + detail.step : -1));

/// A picture of four colours, 800 × 400: red and green above, blue and white below.
async function colours() {
  const canvas = make("canvas", { width: 800, height: 400 });
  const context = canvas.getContext("2d");
  [["#c00000", 0, 0], ["#00a000", 400, 0], ["#0000c0", 0, 200], ["#ffffff", 400, 200]].forEach(([colour, x, y]) => {
    context.fillStyle = colour;
    context.fillRect(x, y, 400, 200);
  });
  return jpeg(canvas, 800);
}

for (const id of ["crop", "crop-wide"]) $(id).file = await colours();
$("crop-broken").file = new Blob(["no picture"]);
on("use", async () => {
  const picture = await createImageBitmap(await $("crop").result(256));
  const canvas = make("canvas", { width: picture.width, height: picture.height });
  const context = canvas.getContext("2d");
  context.drawImage(picture, 0, 0);
  const [red, green, blue] = context.getImageData(picture.width >> 2, picture.height >> 2, 1, 1).data;
  setText($("used"), `${picture.width} × ${picture.height}, ${red > 128 ? "red" : green > 128 ? "green" : blue > 128 ? "blue" : "dark"}`);
});

// Words

$("rich").append(
  ...rich(`# A heading\nWords that are **bold**, *stressed*, \`code\` and a [link](https://example.org/a), or https://example.org/b.\n\n- one\n- two\n\n3. three\n4. four\n\n\`\`\`\nlet answer = 42 // ${long}\n\`\`\`\n${arabic}\n\n<b>no HTML</b> ${long}`),
);

const talk = { draft: "", canSend: true, canStop: false, hint: "Enter sends, Shift+Enter starts a new line." };
const composer = $("composer");
composer.state = { ...talk };
composer.send = async (text) => {
  if (!text.trim()) return false;
  // The app has the text, and only then it is said or comes back.
  composer.state = Object.assign(talk, { draft: text });
  if ($("refuse").getAttribute("aria-pressed") === "false") {
    $("said").append(make("li", { class: "rich", dir: "auto" }, ...rich(text)));
    composer.state = { ...Object.assign(talk, { draft: "" }) };
  }
  return true;
};
toggle("refuse", () => {});
toggle("busy", (canStop) => (composer.state = { ...Object.assign(talk, { canStop, canSend: !canStop, hint: canStop ? "An answer is given." : "" }) }));
toggle("lost", (isLost) => (composer.state = { ...Object.assign(talk, { canSend: !isLost, hint: isLost ? "Reconnecting… What you have typed stays here." : "" }) }));
composer.addEventListener("act", () => $("busy").click());

// The feed: events with falling numbers, the newest first

const total = 5_000;
const feed = $("feed");
const event = (number) => ({ id: `event-${number}`, number });
const events = { items: [], older: "more", newer: "end" };
/// How many tries to load fail.
let failures = 0;

feed.shows = {
  key: ({ id }) => id,
  name: ({ number }) => `Event ${integer(number)}`,
  make: ({ number }) =>
    make(
      "article",
      { class: "event" },
      make("div", { class: "tile" }, make("k-thumb", { src: number % 7 ? "/picture.svg" : "/portrait.svg" })),
      make("div", {}, make("h3", {}, `Event ${integer(number)}`), make("p", { class: "fine" }, dateAndTime(noon + number * 60)), make("button", { class: "quiet small", "data-role": "like" }, "Like")),
    ),
};

function renderFeed(change) {
  feed.state = Object.assign(events, change);
}

feed.addEventListener("act", ({ detail }) => {
  if (!("older" in detail)) return;
  renderFeed({ older: "loading" });
  setTimeout(() => {
    if (failures > 0) {
      failures -= 1;
      return renderFeed({ older: "failed" });
    }
    const last = events.items.at(-1)?.number ?? total + 1;
    const more = Array.from({ length: Math.min(50, last - 1) }, (_, index) => event(last - 1 - index));
    renderFeed({ items: [...events.items, ...more], older: last - 1 > more.length ? "more" : "end" });
  }, 30);
});
on("arrive", () => {
  const first = events.items[0]?.number ?? total;
  renderFeed({ items: [3, 2, 1].map((more) => event(first + more)).concat(events.items) });
});
on("remove", () => renderFeed({ items: events.items.filter((_, index) => index !== 2) }));
on("nothing", () => renderFeed({ items: [], older: "end" }));
on("load", () => renderFeed({ items: [], older: "loading" }));
on("break", () => {
  failures = 1;
  renderFeed({ items: events.items.slice(0, 5), older: "more" });
});
on("many", () => renderFeed({ items: Array.from({ length: total }, (_, index) => event(total - index)), older: "end" }));
renderFeed({});

prepareDialogs("lightbox-dialog");
select(places.read(location.hash)?.tab ?? 0);
document.body.inert = false;
announce("Ready.");
