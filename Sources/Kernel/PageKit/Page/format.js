// Dates and numbers as the browser's user writes them.

const languages = navigator.languages?.length ? [...navigator.languages] : undefined;
const short = new Intl.DateTimeFormat(languages, { timeStyle: "short" });
const medium = new Intl.DateTimeFormat(languages, { dateStyle: "medium", timeStyle: "short" });
const months = new Intl.DateTimeFormat(languages, { month: "long", year: "numeric" });
const integers = new Intl.NumberFormat(languages);
const tenths = new Intl.NumberFormat(languages, { minimumFractionDigits: 1, maximumFractionDigits: 1 });

/// The time of day of seconds since 1970.
export const timeOfDay = (seconds) => short.format(seconds * 1000);
/// Date and time of seconds since 1970.
export const dateAndTime = (seconds) => medium.format(seconds * 1000);
/// The month of seconds since 1970, with its year.
export const month = (seconds) => months.format(seconds * 1000);
/// A whole number, grouped.
export const integer = (number) => integers.format(number);
/// A number with one decimal.
export const tenth = (number) => tenths.format(number);

/// Minutes and seconds, or hours too.
export function clock(seconds) {
  const whole = Math.floor(seconds);
  const two = (number) => String(number).padStart(2, "0");
  const [hours, minutes] = [Math.floor(whole / 3600), Math.floor(whole / 60)];
  return hours ? `${hours}:${two(minutes % 60)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`;
}

/// A moment of a recording, to tenths of a second.
export function moment(seconds) {
  const tenths = Math.floor(seconds * 10 + 1e-6) / 10;
  if (tenths < 60) return `${tenths.toFixed(1)} s`;
  return `${Math.floor(tenths / 60)}:${(tenths % 60).toFixed(1).padStart(4, "0")} min`;
}
