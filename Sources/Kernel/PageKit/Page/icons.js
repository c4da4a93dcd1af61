// Signs that are drawn with lines, as large as their place.

const space = "http://www.w3.org/2000/svg";

const paths = {
  close: "m6 6 12 12M18 6 6 18",
  back: "m14.500 6-6 6 6 6",
  forward: "m9.500 6 6 6-6 6",
};

/// Draws a path of 24 × 24 points.
export function drawing(path) {
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const line = document.createElementNS(space, "path");
  line.setAttribute("d", path);
  svg.append(line);
  return svg;
}

export const icon = (name) => drawing(paths[name]);
