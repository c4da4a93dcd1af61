// The places of the app, and their addresses: pairing, the events, one of them, the settings.

/// The address of a place.
const address = ({ part, eventID }) => (eventID ? `#/events/${encodeURIComponent(eventID)}` : `#/${part}`);

/// The place of an address; nothing for one that names none. Nobody goes to the pairing by an address.
function read(hash) {
  const [, part, id] = /^#\/(events|settings)(?:\/([^/]+))?$/.exec(hash) ?? [];
  if (!part || (id && part !== "events")) return null;
  try {
    return { part, eventID: id && decodeURIComponent(id) };
  } catch {
    return null;
  }
}

export const places = { address, read };
