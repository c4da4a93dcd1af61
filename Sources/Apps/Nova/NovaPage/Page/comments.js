// Comments: those that Nova has, and those that wait or have failed.

import { make, setText, show } from "./kit/elements.js";
import { face, nameOf, when } from "./people.js";

/// What stands beside a comment that Nova does not have.
const deliveries = { sent: "", pending: "Waiting to send", failed: "Not sent" };

/// How a feed shows comments. `acts` has `person`, `retry` and `discard`.
export const comments = (acts) => ({
  key: ({ id }) => id,
  name: ({ author, text }) => `${nameOf(author)}: ${text}`,
  make(row) {
    const button = (text, action) => make("button", { class: "quiet small", onclick: () => action(row.id) }, text);
    const element = make(
      "article",
      { class: "card said" },
      face(row.author),
      make(
        "div",
        { class: "names" },
        make("div", { class: "row" }, make("button", { class: "link", "data-role": "author", dir: "auto", onclick: () => acts.person(row.author.id) }, nameOf(row.author)), make("time", { class: "fine" }, when(row.createdAt))),
        make("p", { class: "text", dir: "auto" }, row.text),
        make("p", { class: "fine state" }),
        make("div", { class: "actions mend", hidden: true }, button("Send again", acts.retry), button("Discard", acts.discard)),
      ),
    );
    showComment(element, row);
    return element;
  },
  update: showComment,
});

function showComment(element, { delivery, failure }) {
  element.dataset.state = delivery;
  setText(element.querySelector(".state"), [deliveries[delivery], failure].filter(Boolean).join(". "));
  element.querySelector(".state").hidden = delivery === "sent";
  show(element.querySelector(".mend"), delivery === "failed", element);
}
