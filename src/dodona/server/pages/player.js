// Plays a derivation: the best from here on, a static oracle's, the model's, or one's own again.
import { announce, options, post, showError } from "./shared.js";

const PAUSE_MS = 900;
const STATIC = { static: "static oracle", eager: "eager oracle", lazy: "lazy oracle", minimal: "minimal oracle" };
const AGAIN = "again";
const calm = matchMedia("(prefers-reduced-motion: reduce)");

export class Player {
  constructor(panel) {
    this.panel = panel;
    this.timer = null;
    this.path = null; // the derivation, from the start
    this.button = panel.find("[data-do=play]");
    this.select = panel.find("[data-derivation]");
    this.button.addEventListener("click", () => this.toggle());
    panel.find("[data-do=step]").addEventListener("click", () => this.step());
    this.select.addEventListener("change", () => {
      this.pause();
      this.path = null;
    });
  }

  offer(oracles, hasModel) {
    const names = ["best", ...oracles, ...(hasModel ? ["model"] : []), AGAIN];
    const known = { ...STATIC, model: "the model", best: "the best from here", [AGAIN]: "this way again" };
    options(this.select, names, this.select.value, names.map((name) => known[name] ?? name));
    this.path = null;
  }

  toggle() {
    return this.timer ? this.pause() : this.play();
  }

  async play() {
    if (!(await this.load())) return;
    if (calm.matches) { // nothing moves on its own for people who asked for that
      announce("Your device asks for reduced motion: use Step.");
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
      this.path = this.select.value === AGAIN ? this.panel.ways.through(path) : await this.ask();
      showError(box, null);
    } catch (error) {
      showError(box, error);
      return false;
    }
    // a derivation that has been played to its end begins again
    const isAtEnd = path.join(" ") === this.path.join(" ");
    if (isAtEnd && this.select.value !== "best") await this.panel.go([], { keepsPlaying: true });
    return true;
  }

  async ask() {
    const request = { ...this.panel.request(), oracle: this.select.value };
    return (await post("api/explore/derivation", request)).path;
  }

  draw() {
    this.button.textContent = this.timer ? "⏸ Pause" : "▶ Play";
    this.button.setAttribute("aria-pressed", String(this.timer !== null));
  }
}
