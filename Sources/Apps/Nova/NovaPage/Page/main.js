// The page of Nova: shows the place that this tab is at, and sends what the user does.

import { renderAlerts } from "./kit/alerts.js";
import "./kit/composer.js";
import { Connection } from "./kit/connection.js";
import { $, announce, appName, ask, giveFocus, isReplay, make, prepareDialogs, setDisabled, setText } from "./kit/elements.js";
import { ScreenForm } from "./kit/forms.js";
import { list } from "./kit/list.js";
import { interruption, unreachable } from "./kit/notices.js";
import { Route } from "./kit/route.js";
import "./kit/tabs.js";
import { comments } from "./comments.js";
import { Create, readable } from "./create.js";
import { PersonPage, face, nameOf, notices as noticeRows, peopleRows, showFace } from "./people.js";
import { places, tabs as tabNames } from "./places.js";
import { makePost, posts, showPost } from "./posts.js";
import { endOf, problems } from "./problems.js";

const pill = $("connection");
const connection = new Connection({
  onState: render,
  onOpen: opened,
  onLost: lost,
  onTrouble: (reason) => notice("connection", unreachable(reason)),
});
const { states } = connection;
const replay = isReplay ? new (await import("./kit/replay.js")).Replay(connection, toRecorded) : null;
/// The tab that is looked at in a recording, whichever was shown then.
let looked = null;
// The simulated world stands beside the app, and is in no recording.
if (isReplay) states.surroundings = { world: null };
/// A call of Nova goes on for a minute and a half at most, and a photo is uploaded for ten minutes.
const patience = 700_000;

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

/// What the page itself has to say, beside the alerts of the screens, and the errors of lists that were read.
const notices = { connection: null, interrupted: null, photo: null };
const read = {};

function notice(name, alert) {
  notices[name] = alert;
  renderProblems();
}

const refuse = (text) => notice("photo", text && { title: "The photo was not taken", text, advice: "Choose another one." });

function renderProblems() {
  if (!states.editProfile) return renderAlerts({ connection: { alert: notices.connection } }, 0, answer);
  renderAlerts(problems(states, part(), notices, read), 0, answer);
}

/// What was clicked on an alert.
function answer(screen, action) {
  if (screen === "connection" && action.retry) return connection.connectNow();
  if (screen in notices) return notice(screen, null);
  giveFocus(heading());
  if (screen.startsWith("notice ")) return act("root", { dismissNotice: { id: Number(screen.slice(7)) } });
  if (screen === "create" && action.retry) return act("create", { publish: {} });
  if (["signIn", "create", "editProfile"].includes(screen)) return act(screen, { dismissAlert: {} });
  if (action.retry) return act(screen, { load: {} });
  read[screen] = states[screen]?.list?.errorMessage;
  return renderProblems();
}

// Places

/// What lies over the tab, the topmost.
const top = () => states.root?.path.at(-1);
const parts = { postDetail: "post", comments: "comments", profile: "person", editProfile: "edit" };

/// The part of the page that is shown.
function part() {
  const { root } = states;
  if (!root || root.root === "launching") return "launching";
  if (root.root === "signIn") return "signin";
  if (looked) return looked;
  return top() ? parts[Object.keys(top())[0]] : root.tab;
}

function look(tab) {
  looked = tab;
  render();
}

/// A moment of a recording shows what was shown then.
function toRecorded() {
  if (looked) look(null);
}

const heading = () => $(`${part() === "profile" ? "own" : part()}-title`);

const route = new Route(places, async ({ tab, route: wanted }) => {
  const { root } = states;
  if (root?.root !== "main") return;
  const isThere = (route) => route && JSON.stringify(route) === JSON.stringify(wanted);
  if (wanted && isThere(root.path.at(-2))) return act("root", { back: {} });
  if (root.tab !== tab || (!wanted && root.path.length)) await act("root", { select: { _0: tab } });
  if (wanted && !isThere(states.root.path.at(-1))) await act("root", { navigate: { _0: wanted } });
});

function renderPart(isFirst) {
  const { root } = states;
  const shown = part();
  const key = JSON.stringify([shown, top()]);
  $("parts").hidden = shown === "signin";
  if (key !== renderPart.key) {
    const before = renderPart.part;
    if (before === "feed") renderPart.scroll = scrollY;
    Object.assign(renderPart, { key, part: shown });
    const isOver = shown in { post: 1, comments: 1, person: 1, edit: 1 };
    $("signin").hidden = shown !== "signin";
    if (shown === "signin") {
      for (const panel of document.querySelectorAll("[role=tabpanel]")) panel.hidden = true;
      renderPart.scroll = 0;
    } else {
      signIn.clear();
      $("tabs").selected = tabNames.indexOf(looked ?? root.tab);
      const panel = $(`panel-${$("tabs").selected}`);
      if ($("over").parentElement !== panel) panel.append($("over"));
      for (const here of document.querySelectorAll("[role=tabpanel] > .here")) here.hidden = isOver;
    }
    $("over").hidden = !isOver;
    for (const section of $("over").querySelectorAll(":scope > .here")) section.hidden = section.id !== shown;
    // Somebody who loads the page again has not gone anywhere; who goes to a tab by its button stays there.
    const isByTab = $("tabs").contains(document.activeElement) && !isOver;
    if (!isFirst && !isByTab) giveFocus(heading());
    scrollTo({ top: shown === "feed" ? (renderPart.scroll ?? 0) : 0, behavior: "instant" });
  }
  if (!isReplay) document.title = shown === "feed" || shown === "signin" ? appName : `${heading().textContent} – ${appName}`;
  route.show(shown === "signin" ? { tab: "signin" } : { tab: root.tab, route: top() });
}

// Signing in

const signIn = new ScreenForm($("signin-form"), {
  busy: "Signing in…",
  send: () => act("signIn", { submit: {} }),
  edit: async ({ username, email }) => (await act("signIn", { setUsername: { _0: username } })) && act("signIn", { setEmail: { _0: email } }),
  async secret(name, text) {
    try {
      await connection.sendSecret("signIn", { setPassword: { _0: text } });
      return true;
    } catch {
      notice("interrupted", interruption(new Error("unknown")));
      return false;
    }
  },
});

function renderSignIn({ mode, username, email, progress }) {
  const isNew = mode === "signUp";
  signIn.fields[0].hidden = !isNew;
  signIn.idle = isNew ? "Sign up" : "Sign in";
  signIn.busy = isNew ? "Signing up…" : "Signing in…";
  setText($("mode"), isNew ? "I have an account" : "Create an account");
  signIn.render({ username, email }, progress.validationErrors, progress.isLoading);
  $("apple").hidden = !states.surroundings.world;
}

$("mode").addEventListener("click", () => act("signIn", { setMode: { _0: states.signIn.mode === "signUp" ? "signIn" : "signUp" } }));
$("apple").addEventListener("click", async () => {
  const isSure = await ask("Sign in with Apple?", "The simulated issuer says to Nova who you are. You have an account of your own there.", "Go on", "primary");
  if (isSure) await act("signIn", { signInWithApple: {} });
});

// Lists of posts, people, comments and notifications

const toPerson = (screen) => (userID) => act(screen, screen === "feed" || screen === "comments" ? { openProfile: { userID } } : { open: { userID } });
const feed = $("feed");
feed.shows = posts(
  {
    like: (postID) => act("feed", { toggleLike: { postID } }),
    open: (postID) => act("feed", { open: { postID } }),
    comments: (postID) => act("feed", { openComments: { postID } }),
    person: toPerson("feed"),
  },
  (postID) => act("feed", { appeared: { postID } }),
);
$("comment-list").shows = comments({
  person: toPerson("comments"),
  retry: (id) => act("comments", { retry: { id } }),
  discard: (id) => act("comments", { discard: { id } }),
});
$("notifications").shows = noticeRows((id) => act("notifications", { tap: { id } }));
for (const [id, screen] of [["feed", "feed"], ["comment-list", "comments"], ["notifications", "notifications"]]) {
  $(id).addEventListener("act", ({ detail }) => {
    if (!("older" in detail)) return;
    const { list: shown } = states[screen];
    const isFirst = shown.errorMessage && !shown.hasMore;
    act(screen, isFirst ? { load: {} } : { loadMore: {} });
  });
}

function renderList(element, items, state) {
  if (element.shown === state) return;
  element.shown = state;
  element.state = { items, older: endOf(items, state.list), newer: "end" };
  const full = "This is as far back as it goes here. Load it again to see the newest.";
  element.querySelector("[data-end=older] .last").textContent = state.list.isFull ? full : element.getAttribute("end");
}

function renderSearch({ query, users, list: found }) {
  if (document.activeElement !== $("query") && $("query").value !== query) $("query").value = query;
  list($("results"), users, peopleRows(toPerson("search")), $("query"));
  const isNobody = query.trim() && !found.isLoading && !users.length;
  setText($("search-status"), found.errorMessage ?? (found.isLoading ? "Searching…" : isNobody && renderSearch.asked === query ? "No people found." : ""));
  if (found.isLoading) renderSearch.asked = query;
  $("results-more").hidden = !found.hasMore;
  $("search-retry").hidden = !found.errorMessage;
}

const postActs = {
  like: () => act("post", { toggleLike: {} }),
  comments: () => act("post", { openComments: {} }),
  person: () => act("post", { openAuthor: {} }),
};

function renderPost({ post, isLoading, errorMessage }) {
  const [shown] = $("post-card").children;
  if (!post || shown?.dataset.key !== post.id) {
    const made = post && makePost(post, postActs);
    if (made) made.dataset.key = post.id;
    $("post-card").replaceChildren(...(made ? [made] : []));
  } else {
    showPost(shown, post);
  }
  setText($("post-status"), isLoading && !post ? "Loading…" : "");
  setText($("post-failed").firstElementChild, errorMessage ?? "");
  $("post-failed").hidden = !errorMessage;
}

const composer = $("composer");
composer.send = async (text) => (await act("comments", { setText: { _0: text } })) && act("comments", { send: {} });

function renderComments(state) {
  composer.state = { draft: state.text, canSend: true, canStop: false, hint: "" };
  setText($("comment-problem"), state.errorMessage ?? "");
  renderList($("comment-list"), state.comments, state);
}

// A new post, and people

const create = new Create({ act, post: (path, file) => connection.post(path, file), refuse, page: () => connection.page });

const person = (prefix, own) => new PersonPage(prefix, { open: (postID) => act("profile", { open: { postID } }), reload: () => act("profile", { load: {} }), ...own });
const people = {
  own: person("own", { edit: () => act("profile", { edit: {} }), signOut }),
  person: person("person", {}),
};

async function signOut() {
  const { pendingCount } = states.root;
  const lost = pendingCount ? ` What waits for Nova (${pendingCount}) is lost.` : "";
  if (await ask("Sign out?", `This device forgets all that it has of you.${lost}`, "Sign out")) await act("root", { signOut: {} });
}

const edit = new ScreenForm($("edit-form"), {
  busy: "Saving…",
  send: () => act("editProfile", { save: {} }),
  secret: async () => true,
  edit: async ({ displayName, bio }) => (await act("editProfile", { setDisplayName: { _0: displayName } })) && act("editProfile", { setBio: { _0: bio } }),
});
const portrait = $("edit-face").appendChild(face(null, "large"));

function renderEdit({ isOpen, displayName, bio, avatarVersion, progress }) {
  if (!isOpen) return edit.clear();
  edit.render({ displayName, bio }, progress.validationErrors, progress.isLoading);
  if (avatarVersion === 0) return showFace(portrait, states.root.user);
  const thumb = portrait.querySelector("k-thumb");
  const source = `/avatar?page=${encodeURIComponent(connection.page)}&v=${avatarVersion}`;
  if (thumb.getAttribute("src") !== source) thumb.setAttribute("src", source);
}

async function sendAvatar() {
  const [file] = $("avatar-file").files;
  $("avatar-file").value = "";
  if (!file) return;
  refuse(null);
  try {
    const answer = await connection.post("/avatar", await readable(file));
    if (!answer.ok) refuse((await answer.text()).trim());
  } catch (error) {
    refuse(error.message);
  }
}

// The simulated world, and what waits

function renderAround({ world }) {
  const { root } = states;
  const waiting = root.pendingCount ? `${root.pendingCount} waiting` : "";
  setText($("network"), root.root === "main" ? [root.connection, waiting].filter(Boolean).join(" · ") : "");
  $("around").hidden = !world;
  if (!world) return;
  if (!$("aeroplane").isBusy) $("aeroplane").checked = world.isAeroplaneModeOn;
  setText($("pending"), root.pendingCount ? `${root.pendingCount} of your actions wait to be sent.` : "Everything is sent.");
  $("pending").toggleAttribute("data-none", root.pendingCount === 0);
  $("pending").hidden = $("act").hidden = root.root !== "main";
  const facts = [["E-mail", world.email], ["Password", world.password]];
  const key = JSON.stringify(facts);
  $("account").hidden = root.root === "main";
  if (key === renderAround.key) return;
  renderAround.key = key;
  $("account").replaceChildren(...facts.flatMap(([title, text]) => [make("dt", {}, title), make("dd", { dir: "ltr" }, text)]));
}

// All of it

const screens = ["root", "signIn", "feed", "search", "create", "notifications", "profile", "post", "comments", "editProfile", "surroundings"];

function render(screen, state) {
  if (screen && replay?.take(screen, state)) return;
  if (isReplay && states.root?.root === "launching") return document.body.classList.add("starting");
  if (screens.some((screen) => !states[screen]) || states.root.root === "launching") return;
  const isFirst = document.body.classList.contains("starting");
  document.body.classList.remove("starting");
  const { root, profile } = states;
  renderSignIn(states.signIn);
  renderAround(states.surroundings);
  renderSearch(states.search);
  create.render(states.create, states.surroundings.world);
  renderPost(states.post);
  renderEdit(states.editProfile);
  const shown = part();
  if (shown === "profile") people.own.render(profile);
  if (shown === "person") people.person.render(profile);
  renderPart(isFirst);
  // What is not seen has no places yet.
  if (shown === "comments") renderComments(states.comments);
  if (shown === "feed" || root.root !== "main") renderList(feed, states.feed.posts, states.feed);
  if (shown === "notifications" || root.root !== "main") renderList($("notifications"), states.notifications.notifications, states.notifications);
  setDisabled($("feed-refresh"), states.feed.list.isLoading);
  setDisabled($("notifications-refresh"), states.notifications.list.isLoading);
  renderProblems();
  replay?.freeze();
}

// Buttons

$("tabs").addEventListener("act", ({ detail }) => (isReplay ? look(tabNames[detail.select]) : act("root", { select: { _0: tabNames[detail.select] } })));
$("back").addEventListener("click", () => act("root", { back: {} }));
$("feed-refresh").addEventListener("click", () => act("feed", { refresh: {} }));
$("notifications-refresh").addEventListener("click", () => act("notifications", { load: {} }));
$("post-failed").lastElementChild.addEventListener("click", () => act("post", { load: {} }));
$("query").addEventListener("input", () => act("search", { setQuery: { _0: $("query").value } }));
$("results-more").addEventListener("click", () => act("search", { loadMore: {} }));
$("search-retry").addEventListener("click", () => act("search", { retry: {} }));
$("avatar-choose").addEventListener("click", () => $("avatar-file").click());
$("avatar-file").addEventListener("change", sendAvatar);
$("act").addEventListener("click", () => act("surroundings", { act: {} }));
$("aeroplane").addEventListener("change", async () => {
  const control = $("aeroplane");
  control.isBusy = true;
  await act("surroundings", { setAeroplaneMode: { isOn: control.checked } });
  control.isBusy = false;
  render();
});

// The connection

function opened() {
  if (pill.textContent) announce("Connected again.");
  setText(pill, "");
  notice("connection", null);
  sayVisible();
}

/// The app is in the foreground while a tab of it is seen.
const sayVisible = () => connection.isOpen && act("presence", { setVisible: { isVisible: !document.hidden } });
document.addEventListener("visibilitychange", sayVisible);

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
