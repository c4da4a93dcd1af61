// Tabs and their panels: one panel is shown; arrows lead from tab to tab.
//
//   <k-tabs role="tablist" aria-label="Parts"><button role="tab" id="tab-0" aria-controls="panel-0">One</button>…</k-tabs>
//   <section role="tabpanel" id="panel-0" aria-labelledby="tab-0" tabindex="-1">…</section>
//
// `selected` is the number of the tab that is shown, from 0. Acts with `{ select: number }`; the page then sets `selected`.

import { $, giveFocus, isMirrored, say } from "./elements.js";

export class Tabs extends HTMLElement {
  connectedCallback() {
    if (this.tabs) return;
    this.tabs = [...this.querySelectorAll("[role=tab]")];
    this.panels = this.tabs.map((tab) => $(tab.getAttribute("aria-controls")));
    this.tabs.forEach((tab, index) => {
      tab.addEventListener("click", () => say(this, { select: index }));
      tab.addEventListener("keydown", (event) => this.press(event, index));
    });
  }

  press(event, index) {
    const last = this.tabs.length - 1;
    const forward = isMirrored(this) ? -1 : 1;
    const places = { ArrowRight: index + forward, ArrowDown: index + 1, ArrowLeft: index - forward, ArrowUp: index - 1, Home: 0, End: last };
    if (!(event.key in places)) return;
    event.preventDefault();
    const next = (places[event.key] + this.tabs.length) % this.tabs.length;
    say(this, { select: next });
    this.tabs[next].focus();
  }

  get selected() {
    return this.at ?? -1;
  }

  set selected(at) {
    this.at = at;
    this.tabs.forEach((tab, index) => {
      const isSelected = index === at;
      tab.setAttribute("aria-selected", isSelected);
      tab.tabIndex = isSelected ? 0 : -1;
      if (!isSelected && this.panels[index].contains(document.activeElement)) giveFocus(this.tabs[at]);
      this.panels[index].hidden = !isSelected;
    });
  }
}

customElements.define("k-tabs", Tabs);
