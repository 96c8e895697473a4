// Plays a derivation: the best from this state, a static oracle's, the model's, or the last path.
import { announce, element, options, post, press, showError } from "./shared.js";

const PAUSE_MS = 900;
const NAMES = {
	static: "static oracle", eager: "eager oracle", lazy: "lazy oracle", minimal: "minimal oracle",
	model: "the model", best: "best from here", any: "any valid actions", again: "this path again",
};
const FROM_HERE = ["best", "any"]; // derivations that continue from the state
const calm = matchMedia("(prefers-reduced-motion: reduce)");

export class Player {
	constructor(panel) {
		this.panel = panel;
		this.timer = null;
		this.path = null; // the derivation from the start
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

	// Offer the possible derivations: oracles need a gold tree, the model's needs a model.
	offer(oracles, { hasModel, hasGold }) {
		const names = [...(hasGold ? ["best", ...oracles] : []), ...(hasModel ? ["model"] : []), ...(hasGold ? [] : ["any"]), "again"];
		if (names.join() === this.offered) return;
		this.offered = names.join();
		options(this.select, names, this.select.value, names.map((name) => NAMES[name] ?? name));
		this.path = null;
	}

	toggle() {
		if (this.panel.isGuess) return null;
		return this.timer ? this.pause() : this.play();
	}

	async play() {
		if (!(await this.load())) return;
		if (calm.matches) { // no animation for users who prefer reduced motion
			this.list();
			announce("Your device prefers reduced motion, so the steps are listed; use Step.");
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

	// Take the next action; after the end, or off the derivation, start again.
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
		// start again after the end of a derivation
		const isAtEnd = path.join(" ") === this.path.join(" ");
		if (isAtEnd && !FROM_HERE.includes(this.select.value)) await this.panel.go([], { keepsPlaying: true });
		return true;
	}

	async ask() {
		const request = { ...this.panel.request(), oracle: this.select.value };
		return (await post("api/explore/derivation", request)).path;
	}

	// List every step as a button, for reduced motion.
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
		press(this.button, this.timer !== null);
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
