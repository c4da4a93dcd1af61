// The places of the app, and their addresses: a tab, and what lies over it.

export const tabs = ["feed", "search", "create", "notifications", "profile"];

/// How what lies over a tab is written: a word and an identifier.
const kinds = { postDetail: ["posts", "postID"], comments: ["comments", "postID"], profile: ["people", "userID"] };

/// The address of what lies over a tab; nothing for none.
function over(route) {
  if (!route) return "";
  if (route.editProfile) return "/edit";
  const [kind] = Object.keys(route);
  const [word, member] = kinds[kind];
  return `/${word}-${encodeURIComponent(route[kind][member])}`;
}

const address = ({ tab, route }) => `#/${tab}${over(route)}`;

/// The place of an address; nothing for one that names none. Nobody goes to the sign-in by an address.
function read(hash) {
  const [, tab, edit, word, id] = /^#\/([a-z]+)(?:\/(?:(edit)|(posts|comments|people)-([^/]+)))?$/.exec(hash) ?? [];
  if (!tabs.includes(tab)) return null;
  if (edit) return { tab, route: { editProfile: {} } };
  if (!word) return { tab };
  const [kind, [, member]] = Object.entries(kinds).find(([, [name]]) => name === word);
  try {
    return { tab, route: { [kind]: { [member]: decodeURIComponent(id) } } };
  } catch {
    return null;
  }
}

export const places = { address, read };
