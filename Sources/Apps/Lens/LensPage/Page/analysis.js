// The sheet with questions about one video: what was asked, the assistant's answer, and a field for the next question.

import { $, closesBy, giveFocus, isReplay, make, openSheet, selectedTab, setText, show } from "./kit/elements.js";
import { integer } from "./kit/format.js";
import { rich } from "./kit/rich.js";

export class AnalysisSheet {
  constructor(act) {
    this.act = act;
    const sheet = $("analysis");
    closesBy(sheet, $("analysis-close"), () => act("navigation", { dismissSheet: {} }));
    $("analysis-stop").addEventListener("click", () => act("analysis", { stop: {} }));
    $("analysis-form").addEventListener("submit", async (event) => {
      event.preventDefault();
      const field = $("analysis-input");
      const question = field.value.trim();
      if (isReplay || !question) return;
      if (await act("analysis", { ask: { _0: question } })) field.value = "";
    });
  }

  render(presented, state) {
    const sheet = $("analysis");
    if (!presented?.videoAnalysis || !state) {
      if (!sheet.open) return;
      sheet.close();
      $("analysis-input").value = "";
      this.video = undefined;
      if (!isReplay && !presented) giveFocus(selectedTab());
      return;
    }
    this.fill(state);
    if (!sheet.open) openSheet(sheet, $("analysis-input"));
  }

  fill(state) {
    if (this.video !== state.video) {
      const source = state.video && `/thumbnails/${state.video}`;
      $("analysis-picture").replaceChildren(...(source ? [make("img", { src: source, alt: "" })] : []));
    }
    this.video = state.video;
    const isBusy = state.phase !== "idle";
    setText($("analysis-question"), state.question);
    setText($("analysis-status"), this.status(state));
    show($("analysis-stop"), isBusy, $("analysis-input"));
    $("analysis-answer").setAttribute("aria-busy", isBusy);
    if (this.answer === state.answer) return;
    this.answer = state.answer;
    $("analysis-answer").replaceChildren(...rich(state.answer));
  }

  status({ phase, pictures, answer, isPartial }) {
    if (phase === "looking") return "Looking at the video…";
    const count = `${integer(pictures)} ${pictures === 1 ? "picture" : "pictures"}`;
    if (phase === "asking") return answer ? "Answering…" : `Asking about ${count} of the video…`;
    if (isPartial) return answer ? "The answer is not complete." : "There is no answer.";
    return answer ? `From ${count} of the video.` : "";
  }
}
