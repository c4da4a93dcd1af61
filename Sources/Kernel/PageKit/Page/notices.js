// What the page itself has to say of its connection, as alerts beside those of the screens.

import { appName } from "./elements.js";

/// What is known of an action that was not answered; nothing for a failure that the page can do nothing about.
export function interruption(error) {
  switch (error.message) {
    case "slow":
      return { title: `${appName} is slow`, text: "The last action is not answered yet.", advice: "Look before you do it again." };
    case "lost":
      return { title: "Nothing was done", text: `${appName} could not be reached.`, advice: "Try again when it is connected." };
    case "unknown":
      return {
        title: "The connection was lost",
        text: "It is not known whether the last action was done.",
        advice: "Look before you do it again.",
      };
    default:
      return null;
  }
}

/// The server does not answer, or lets this page not in.
export const unreachable = (reason) => ({
  title: `${appName} cannot be reached`,
  text: reason,
  advice: "This page goes on by itself then.",
  offersRetry: true,
});
