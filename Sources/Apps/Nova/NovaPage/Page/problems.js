// What has gone wrong, as alerts: of the page itself, of the screens that are shown, and of what was done long ago.

/// The alert of a form; nothing where its last attempt did not fail.
const ofForm = (progress, title, offersRetry = false) => (progress?.showErrorAlert ? { alert: { title, text: progress.errorMessage, offersRetry } } : null);

/// The alerts by screens. `read` has the errors of lists that were read; an error that has gone is forgotten there.
export function problems({ root, signIn, feed, create, editProfile, notifications }, part, notices, read) {
  const found = {};
  for (const [name, alert] of Object.entries(notices)) found[name] = { alert };
  const list = (screen, title, text) => {
    if (!text) return delete read[screen];
    if (read[screen] !== text) found[screen] = { alert: { title, text, offersRetry: true } };
  };
  for (const { id, text } of root.notices) found[`notice ${id}`] = { alert: { title: "That was not done", text } };
  if (root.root !== "main") {
    found.signIn = ofForm(signIn.progress, signIn.mode === "signUp" ? "Your account was not made" : "You are not signed in");
    return found;
  }
  const titles = { entry: "The photo cannot be used", edit: "The photo was not edited", form: "Your post was not published" };
  found.create = ofForm(create.progress, titles[create.step], create.offersRetry);
  found.editProfile = ofForm(editProfile.progress, "Your profile was not saved");
  if (part === "feed") list("feed", "The feed was not loaded", feed.list.errorMessage);
  if (part === "notifications") list("notifications", "The notifications were not loaded", notifications.list.errorMessage);
  if (part === "feed" && feed.errorMessage) found.like = { alert: { title: "Your like was not saved", text: feed.errorMessage } };
  return found;
}

/// What a feed shows at its end.
export function endOf(items, { isLoading, isLoadingMore, hasMore, errorMessage }) {
  if (isLoadingMore || (isLoading && items.length === 0)) return "loading";
  // What has failed is not tried again by itself.
  if (errorMessage) return "failed";
  return hasMore ? "more" : "end";
}
