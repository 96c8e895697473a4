// Beam search: a column for each step, a row for each place in the beam.
import { element, post } from "./shared.js";

export class BeamView {
  constructor(holder, ask, go) {
    this.holder = holder;
    this.ask = ask;
    this.go = go;
    this.form = holder.querySelector("form");
    this.verdict = holder.querySelector(".verdict");
    this.grid = holder.querySelector(".scroll");
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.search();
    });
    holder.addEventListener("toggle", () => {
      if (holder.open && !this.view) this.search();
    });
  }

  // Another sentence or model: what was found before holds no more.
  forget() {
    this.view = null;
    this.verdict.textContent = "";
    this.grid.replaceChildren();
    if (this.holder.open && !this.holder.hidden) this.search();
  }

  async search() {
    const beam = Number(this.form.querySelector("input").value);
    try {
      this.view = await post("api/explore/beam", { ...this.ask(), beam });
    } catch (error) {
      this.verdict.textContent = error.message;
      return;
    }
    this.draw();
  }

  draw() {
    const { steps, fell_at: fellAt } = this.view;
    this.verdict.textContent = this.judgement();
    this.verdict.classList.toggle("bad", fellAt !== null);
    const width = Math.max(...steps.map((step) => step.length));
    const head = element("tr", {}, element("th", { scope: "col" }, "place"));
    steps.forEach((_, i) => {
      if (i) head.append(element(`th${i === fellAt ? ".fall" : ""}`, { scope: "col" }, String(i)));
    });
    const rows = Array.from({ length: width }, (_, place) => {
      const row = element("tr", {}, element("th", { scope: "row" }, String(place + 1)));
      for (let i = 1; i < steps.length; i += 1) row.append(this.cell(i, place));
      return row;
    });
    this.grid.replaceChildren(
      element("table.hypotheses", {}, element("thead", {}, head), element("tbody", {}, ...rows)),
    );
    const fall = this.grid.querySelector("th.fall");
    if (fall) this.grid.scrollLeft = fall.offsetLeft - this.grid.clientWidth / 2;
  }

  judgement() {
    const { steps, fell_at: fellAt } = this.view;
    if (steps.at(-1)[0].is_correct === null) return "Without a gold tree no hypothesis is correct or wrong.";
    if (fellAt !== null) {
      return `At step ${fellAt} the last correct hypothesis falls off the beam.`;
    }
    const place = steps.at(-1).findIndex((hypothesis) => hypothesis.is_correct);
    if (place === 0) return "The best hypothesis at the end is correct.";
    return `A correct hypothesis stays to the end, but only in place ${place + 1}.`;
  }

  cell(step, place) {
    const hypothesis = this.view.steps[step][place];
    const holder = element(`td${step === this.view.fell_at ? ".fall" : ""}`);
    if (!hypothesis) return holder;
    const { action, score, is_correct: isCorrect } = hypothesis;
    const judged = isCorrect === null ? "" : isCorrect ? ".correct" : ".incorrect";
    const said = { true: ", correct", false: ", not correct", null: "" }[isCorrect];
    holder.append(
      element(
        `button.hypothesis${judged}`,
        {
          type: "button",
          "aria-label": `${action ?? "final"}, score ${score}${said}`,
          onclick: () => this.go(this.path(step, place)),
        },
        element("span.name", {}, action ?? "final"),
        element("span.score", {}, String(score)),
      ),
    );
    return holder;
  }

  path(step, place) {
    const path = [];
    for (let i = step; i > 0; i -= 1) {
      const { action, parent } = this.view.steps[i][place];
      if (action !== null) path.unshift(action);
      place = parent;
    }
    return path;
  }
}
