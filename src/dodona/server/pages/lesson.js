// Steps through a lesson: the text for each state, and exercises.
import { LESSONS } from "./lessons.js";
import { element, hashOf } from "./shared.js";

const find = (id) => document.getElementById(id);
const addressOf = (id, step) => hashOf({ lesson: id, step });

export function listLessons(holder) {
  holder.replaceChildren(
    ...LESSONS.map(({ id, title, paper }) => element("li", {}, element("a", { href: addressOf(id, 1), title: paper, "data-lesson": id }, title))),
  );
}

export class Lesson {
  constructor({ panel, read }) {
    this.panel = panel;
    this.read = read;
    this.lesson = null;
    this.number = 1;
    find("lesson-back").addEventListener("click", () => this.go(this.number - 1));
    find("lesson-next").addEventListener("click", () => this.go(this.number + 1));
    find("lesson-return").addEventListener("click", () => this.go(this.number));
    find("lesson-try").addEventListener("click", () => this.guess(!this.panel().isGuess));
    find("lesson-close").addEventListener("click", () => {
      this.close();
      this.panel().page.changed();
    });
  }

  get step() {
    return this.lesson?.steps[this.number - 1] ?? null;
  }

  // Return the values of an address; for an address with only a lesson, those of the lesson's step.
  open(values) {
    const found = LESSONS.find(({ id }) => id === values.lesson) ?? null;
    const isNew = found !== this.lesson || Number(values.step ?? 1) !== this.number;
    this.lesson = found;
    this.number = found ? Math.max(1, Math.min(found.steps.length, Number(values.step) || 1)) : 1;
    if (isNew) this.guess(false, { isQuiet: true });
    this.draw();
    if (!found || values.sentence) return values;
    const { text, beam, ...shown } = this.step;
    return { ...found.shared, ...shown };
  }

  // Labels that the lesson needs in addition to those of its gold tree.
  labels() {
    return this.lesson?.labels ?? [];
  }

  values() {
    return this.lesson ? { lesson: this.lesson.id, step: this.number } : {};
  }

  // Called before the panel shows a state.
  prepare(panel) {
    const beam = this.step?.beam ?? null;
    if (panel.beam.recorded !== beam) panel.beam.record(beam);
  }

  close() {
    this.lesson = null;
    this.guess(false, { isQuiet: true });
    this.draw();
    const panel = this.panel();
    if (panel?.beam.recorded) panel.beam.record(null);
  }

  go(number) {
    const address = addressOf(this.lesson.id, number);
    history.pushState(null, "", `${location.search}${address}`);
    this.read();
    find("lesson-text").focus({ preventScroll: true });
  }

  draw() {
    const { lesson, step } = this;
    find("lesson").hidden = !lesson;
    for (const link of document.querySelectorAll("[data-lesson]")) {
      if (link.dataset.lesson === lesson?.id) link.setAttribute("aria-current", "true");
      else link.removeAttribute("aria-current");
    }
    if (!lesson) return;
    find("lesson-title").textContent = `${lesson.title}: ${lesson.paper}`;
    find("lesson-count").textContent = `step ${this.number} of ${lesson.steps.length}`;
    find("lesson-text").textContent = step.text;
    find("lesson-back").disabled = this.number === 1;
    find("lesson-next").disabled = this.number === lesson.steps.length;
  }

  // Update the buttons: the state may be the lesson's, or one chosen by the reader.
  shown(panel) {
    if (!this.lesson || panel !== this.panel()) return;
    const isHere = panel.values.path.join(" ") === this.step.path;
    find("lesson-return").hidden = isHere && !panel.isGuess;
    find("lesson-try").disabled = panel.view.is_final;
  }

  // Hide the costs until the reader has chosen an action.
  guess(isOn, { isQuiet = false } = {}) {
    const panel = this.panel();
    find("lesson-try").setAttribute("aria-pressed", String(isOn));
    find("lesson-verdict").hidden = !isOn;
    find("lesson-verdict").textContent = isOn ? "What would you do? Choose an action to see its cost." : "";
    if (!panel || panel.isGuess === isOn) return;
    panel.isGuess = isOn;
    if (isQuiet || !panel.view) return;
    panel.draw();
    if (isOn) panel.moveFocus(1);
  }

  tried(panel, action) {
    if (!panel.isGuess) return;
    const choice = panel.view.choices.find((other) => other.action === action);
    this.guess(false, { isQuiet: true });
    const verdict = find("lesson-verdict");
    verdict.hidden = false;
    if (choice.optimal) verdict.textContent = `✓ Correct: ${action} costs 0 and is optimal.`;
    else if (!choice.cost) verdict.textContent = `↺ ${action} costs 0, but needs a repair later.`;
    else verdict.textContent = `✗ ${action} costs ${choice.cost}; see the explanation beside the actions. Undo it and try again.`;
    if (choice.optimal && choice.cost) verdict.textContent = `✓ ${action} costs ${choice.cost}: no action is cheaper.`;
  }
}
