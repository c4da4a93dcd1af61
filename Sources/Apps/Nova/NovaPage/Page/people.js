// People: their faces, their names, and what a page of a person shows.

import "./kit/thumb.js";
import { make, setText } from "./kit/elements.js";
import { dateAndTime, integer } from "./kit/format.js";
import { list } from "./kit/list.js";

/// The address of a picture that is elsewhere; nothing for none.
export const pictureAt = (url) => (url ? `/pictures?at=${encodeURIComponent(url)}` : null);

/// Has an element show the picture of an address, or none.
export function showPicture(thumb, url) {
  const source = pictureAt(url);
  if ((thumb.getAttribute("src") ?? null) === source) return;
  if (source) thumb.setAttribute("src", source);
  else thumb.removeAttribute("src");
}

/// What a person is called.
export const nameOf = (user) => user?.display_name || user?.username || "Somebody";

/// A time as Nova has it, in the browser's form.
export const when = (time) => dateAndTime(Date.parse(time) / 1000);

/// The round picture of a person; the first letter of the name where there is none.
export function face(user, look = "") {
  const element = make("span", { class: `face ${look}`, "aria-hidden": "true" }, make("span", {}), make("k-thumb", {}));
  showFace(element, user);
  return element;
}

export function showFace(element, user) {
  setText(element.firstElementChild, [...nameOf(user)][0].toUpperCase());
  showPicture(element.querySelector("k-thumb"), user?.avatar_url);
}

/// The people that a search has found, as items of a list.
export const peopleRows = (open) => ({
  key: ({ id }) => id,
  make(user) {
    const button = make("button", { class: "link", "data-role": "open", dir: "auto", onclick: () => open(user.id) }, nameOf(user));
    return make("li", { class: "card who" }, face(user), make("div", { class: "names" }, button, make("span", { class: "fine", dir: "ltr" }, `@${user.username}`)));
  },
  update(element, user) {
    showFace(element.querySelector(".face"), user);
    setText(element.querySelector(".link"), nameOf(user));
    setText(element.querySelector(".fine"), `@${user.username}`);
  },
});

/// Shows the head of a person's page.
export function showPerson(parts, user) {
  setText(parts.title, user ? nameOf(user) : "Profile");
  showFace(parts.face, user);
  setText(parts.name, user?.username ? `@${user.username}` : "");
  setText(parts.bio, user?.bio ?? "");
  const counts = [["posts", user?.posts_count], ["followers", user?.followers_count], ["following", user?.following_count]].filter(([, count]) => count != null);
  const key = JSON.stringify(counts);
  if (key === parts.counts.dataset.key) return;
  parts.counts.dataset.key = key;
  parts.counts.replaceChildren(...counts.map(([name, count]) => make("span", {}, make("b", {}, integer(count)), ` ${name}`)));
}

/// The posts of a person, as a grid of pictures.
export const gridTiles = (open) => ({
  key: ({ id }) => id,
  make({ post }) {
    const button = make("button", { class: "tile", "aria-label": tileName(post), onclick: () => open(post.id) }, make("k-thumb", {}, make("span", { class: "words", dir: "auto" }, post.caption ?? "")));
    showPicture(button.firstElementChild, post.image_url);
    return make("li", {}, button);
  },
  update(element, { post }) {
    const button = element.firstElementChild;
    if (button.ariaLabel !== tileName(post)) button.ariaLabel = tileName(post);
    showPicture(button.firstElementChild, post.image_url);
  },
});

const tileName = (post) => `Post from ${when(post.created_at)}${post.caption ? `, ${post.caption}` : ""}`;

/// The page of a person, whose parts have names that begin with a prefix.
///
/// `acts` has `open` and `reload`, and for one's own page `edit` and `signOut`.
export class PersonPage {
  constructor(prefix, acts) {
    this.title = make("h2", { id: `${prefix}-title`, tabindex: -1, dir: "auto" }, "Profile");
    this.face = face(null, "large");
    this.name = make("p", { class: "fine", dir: "ltr" });
    this.bio = make("p", { class: "bio", dir: "auto" });
    this.counts = make("p", { class: "counts" });
    this.grid = make("ul", { class: "grid", "aria-label": "Posts" });
    this.status = make("p", { class: "fine", role: "status" });
    this.again = make("button", { class: "quiet small", hidden: true, onclick: acts.reload }, "Try again");
    this.tiles = gridTiles(acts.open);
    const button = (text, look, action) => make("button", { class: `${look} small`, onclick: action }, text);
    const own = acts.edit ? make("div", { class: "actions" }, button("Edit profile", "quiet", acts.edit), button("Sign out", "danger", acts.signOut)) : null;
    document.getElementById(prefix).append(
      make("div", { class: "card profile" }, make("div", { class: "who" }, this.face, make("div", { class: "names" }, this.title, this.name)), this.bio, this.counts, own),
      this.grid,
      make("div", { class: "actions" }, this.status, this.again),
    );
  }

  render({ user, posts, list: state }) {
    showPerson(this, user);
    list(this.grid, posts, this.tiles, this.title);
    this.grid.hidden = posts.length === 0;
    const { isLoading, errorMessage } = state;
    setText(this.status, errorMessage ?? (posts.length ? "" : isLoading ? "Loading…" : "No posts yet."));
    this.again.hidden = !errorMessage;
  }
}

/// What notifications say.
const deeds = { like: "likes your post", comment: "commented on your post", follow: "follows you" };

/// How a feed shows notifications; `open(id)` is called for the one that is tapped.
export const notices = (open) => ({
  key: ({ id }) => id,
  name: ({ actor, type }) => `${nameOf(actor)} ${deeds[type] ?? "has done something"}`,
  make(notice) {
    const { actor, type } = notice;
    const text = `${nameOf(actor)} ${deeds[type] ?? "has done something"}`;
    const button = make("button", { class: "link", "data-role": "open", dir: "auto", onclick: () => open(notice.id) }, text);
    return make("article", { class: "card notice who", "data-unread": !notice.is_read }, face(actor), make("div", { class: "names" }, button, make("time", { class: "fine" }, when(notice.created_at))));
  },
  update(element, notice) {
    element.toggleAttribute("data-unread", !notice.is_read);
    showFace(element.querySelector(".face"), notice.actor);
  },
});
