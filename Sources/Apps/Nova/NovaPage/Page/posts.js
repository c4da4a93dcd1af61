// A post: its author, its picture, and what one can do about it.

import "./kit/feed.js";
import { make, setText } from "./kit/elements.js";
import { integer } from "./kit/format.js";
import { drawing } from "./kit/icons.js";
import { face, nameOf, showFace, showPicture, when } from "./people.js";

const heart = "M12 20C7 16 4 13 4 9.500A4 4 0 0 1 12 8a4 4 0 0 1 8 1.500C20 13 17 16 12 20z";
const bubble = "M5 5h14a1.500 1.500 0 0 1 1.500 1.500v9A1.500 1.500 0 0 1 19 17h-7l-5 3.500V17H5a1.500 1.500 0 0 1-1.500-1.500v-9A1.500 1.500 0 0 1 5 5z";

/// Likes that were tapped and that the app has not answered: by the post, what is shown meanwhile, how many taps, and the elements that show it.
const tapped = new Map();

const counted = (count, one, many) => `${integer(count)} ${count === 1 ? one : many}`;

/// Makes a post. `acts` has `like`, `open`, `comments` and `person`; without `open` the picture is no button.
export function makePost(card, acts) {
  const { post } = card;
  const author = make("button", { class: "link", "data-role": "author", dir: "auto", onclick: () => acts.person(post.author.id) });
  const thumb = make("k-thumb", {});
  const picture = acts.open
    ? make("button", { class: "photo", "data-role": "open", onclick: () => acts.open(post.id) }, thumb)
    : make("div", { class: "photo", role: "img" }, thumb);
  const deed = (role, path, action) => make("button", { class: "deed", "data-role": role, onclick: () => action(post.id) }, drawing(path), make("span", {}));
  const element = make(
    "article",
    { class: "card post" },
    make("div", { class: "who" }, face(post.author), make("div", { class: "names" }, author, make("time", { class: "fine" }))),
    picture,
    make("div", { class: "deeds" }, deed("like", heart, (id) => tap(element, id, acts.like)), deed("comments", bubble, acts.comments), make("span", { class: "waits" })),
    make("p", { class: "caption", dir: "auto" }),
  );
  showPost(element, card);
  return element;
}

/// Shows a like at once, and what the app says once it has done it: its states come before its answer.
async function tap(element, id, like) {
  const wish = tapped.get(id) ?? { taps: 0, elements: new Set() };
  wish.isLiked = element.querySelector("[data-role=like]").getAttribute("aria-pressed") !== "true";
  wish.taps += 1;
  tapped.set(id, wish);
  showLike(element, element.card.post);
  await like(id);
  wish.taps -= 1;
  if (wish.taps > 0) return;
  tapped.delete(id);
  for (const one of wish.elements) if (one.card.post.id === id) showLike(one, one.card.post);
}

function showLike(element, post) {
  const wish = tapped.get(post.id);
  wish?.elements.add(element);
  const isLiked = wish?.isLiked ?? post.is_liked;
  const count = Math.max(0, post.like_count + isLiked - post.is_liked);
  const button = element.querySelector("[data-role=like]");
  const text = `Like, ${counted(count, "like", "likes")}`;
  button.setAttribute("aria-pressed", String(isLiked));
  if (button.ariaLabel !== text) button.ariaLabel = text;
  setText(button.lastChild, integer(count));
}

/// Shows what has changed of a post.
export function showPost(element, card) {
  const { post, isPending } = (element.card = card);
  const part = (role) => element.querySelector(`[data-role="${role}"]`);
  const name = (target, text) => target.ariaLabel !== text && (target.ariaLabel = text);
  showFace(element.querySelector(".face"), post.author);
  setText(part("author"), nameOf(post.author));
  setText(element.querySelector("time"), when(post.created_at));
  const photo = element.querySelector(".photo");
  showPicture(photo.firstElementChild, post.image_url);
  const picture = post.image_url ? `Picture of ${nameOf(post.author)}` : `Post by ${nameOf(post.author)} without a picture`;
  name(photo, photo.matches("button") ? `${picture}: open the post` : picture);
  showLike(element, post);
  name(part("comments"), counted(post.comment_count, "comment", "comments"));
  setText(part("comments").lastChild, integer(post.comment_count));
  setText(element.querySelector(".waits"), isPending ? "Waiting to send" : "");
  setText(element.querySelector(".caption"), post.caption ?? "");
}

/// How a feed shows posts; `seen` is called once for each that comes into view.
export function posts(acts, seen) {
  const known = new Set();
  const watcher = new IntersectionObserver((entries) => {
    for (const { target, isIntersecting } of entries) {
      const id = target.dataset.key;
      if (!isIntersecting || known.has(id)) continue;
      known.add(id);
      seen(id);
    }
  });
  return {
    key: ({ id }) => id,
    name: ({ post }) => `${nameOf(post.author)}, ${when(post.created_at)}`,
    make(card) {
      const element = makePost(card, acts);
      watcher.observe(element);
      return element;
    },
    update: showPost,
  };
}
