// Plays a derivation: the best from here on, a static oracle's, the model's, or one's own again.
import { announce, element, options, post, showError } from "./shared.js";

const PAUSE_MS = 900;
const NAMES = {
  static: "static oracle", eager: "eager oracle", lazy: "lazy oracle", minimal: "minimal oracle",
  model: "the model", best: "the best from here", any: "anything possible", again: "this way again",
};
const FROM_HERE = ["best", "any"]; // those that go on from the state, and do not begin again
const calm = matchMedia("(prefers-reduced-motion: reduce)");

export class Player {
  constructor(panel) {
    this.panel = panel;
    this.timer = null;
    this.path = null; // the derivation, from the start
    this.button = panel.find("[data-do=play]");
    this.select = panel.find("[data-derivation]");
    this.steps = panel.find(".steps");
    this.button.addEventListener("click", () => this.toggle());
    panel.find("[data-do=step]").addEventListener("click", () => this.step());
    this.select.addEventListener("change", () => {
      this.pause();
      this.path = null;
    });
  }

  // What is possible here: without a gold tree no oracle, without a model none of its own.
  offer(oracles, { hasModel, hasGold }) {
    const names = [...(hasGold ? ["best", ...oracles] : []), ...(hasModel ? ["model"] : []), ...(hasGold ? [] : ["any"]), "again"];
    if (names.join() === this.offered) return;
    this.offered = names.join();
    options(this.select, names, this.select.value, names.map((name) => NAMES[name] ?? name));
    this.path = null;
  }

  toggle() {
    return this.timer ? this.pause() : this.play();
  }

  async play() {
    if (!(await this.load())) return;
    if (calm.matches) { // nothing moves on its own for people who asked for that
      this.list();
      announce("Your device asks for reduced motion: the steps are listed; use Step.");
      this.panel.find("[data-do=step]").focus();
      return;
    }
    const tick = async () => {
      await this.step({ keepsPlaying: true });
      if (this.timer) this.timer = setTimeout(tick, PAUSE_MS);
    };
    this.timer = setTimeout(tick, PAUSE_MS / 3);
    this.draw();
  }

  pause() {
    clearTimeout(this.timer);
    this.timer = null;
    this.draw();
  }

  // One action further; off the derivation, and at its end, it begins again.
  async step({ keepsPlaying = false } = {}) {
    if (!this.path && !(await this.load())) return;
    const { path } = this.panel.values;
    const isOn = path.every((action, i) => action === this.path[i]);
    if (isOn && path.length >= this.path.length) {
      this.pause();
      this.path = null;
      return;
    }
    const next = isOn ? this.path.slice(0, path.length + 1) : [];
    await this.panel.go(next, { keepsPlaying });
  }

  async load() {
    const { path } = this.panel.values;
    const box = this.panel.find(".error");
    try {
      this.path = this.select.value === "again" ? this.panel.ways.through(path) : await this.ask();
      showError(box, null);
    } catch (error) {
      showError(box, error);
      return false;
    }
    // a derivation that has been played to its end begins again
    const isAtEnd = path.join(" ") === this.path.join(" ");
    if (isAtEnd && !FROM_HERE.includes(this.select.value)) await this.panel.go([], { keepsPlaying: true });
    return true;
  }

  async ask() {
    const request = { ...this.panel.request(), oracle: this.select.value };
    return (await post("api/explore/derivation", request)).path;
  }

  // Every step as a button, for those to whom nothing may move.
  list() {
    const { path } = this;
    this.steps.hidden = false;
    this.steps.replaceChildren(...path.map((action, i) => element("li", {}, element("button.step", {
      type: "button", onclick: () => this.panel.go(path.slice(0, i + 1), { keepsPlaying: true }),
    }, element("bdi", {}, action)))));
    this.draw();
  }

  draw() {
    this.button.textContent = this.timer ? "⏸ Pause" : "▶ Play";
    this.button.setAttribute("aria-pressed", String(this.timer !== null));
    const here = this.panel.values.path;
    const isOn = this.path?.slice(0, here.length).join(" ") === here.join(" ");
    [...this.steps.children].forEach((step, i) => {
      const isHere = isOn && i === here.length - 1;
      if (isHere) step.firstChild.setAttribute("aria-current", "step");
      else step.firstChild.removeAttribute("aria-current");
    });
    if (!this.path) this.steps.hidden = true;
  }
}
