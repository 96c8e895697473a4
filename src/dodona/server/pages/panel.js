// One transition system on the sentence: its state, its actions, the visited paths.
import { drawActions, visibleActions } from "./actions.js";
import { BeamView } from "./beam.js";
import { explainWords } from "./glossary.js";
import { Player } from "./player.js";
import { announce, arcName, count, options, post, press, showError } from "./shared.js";
import { offerSlides } from "./slides.js";
import { StepTable } from "./table.js";
import { drawMoves, drawPicture, drawUnreachable, drawWords, markMoves, tally } from "./state.js";
import { PathTree } from "./tree.js";
import { Why } from "./why.js";

const SETTINGS = ["model", "system", "root", "loss", "oracle", "constraints"];

export class Panel {
	// `page` provides the sentence, the models and the systems, and is notified of changes.
	constructor(page, values) {
		this.page = page;
		this.element = document.getElementById("panel").content.cloneNode(true).firstElementChild;
		this.find = (selector) => this.element.querySelector(selector);
		this.values = { path: [] };
		this.cache = new Map();
		this.isGuess = false; // costs are hidden until an action is chosen
		this.ways = new PathTree((path) => this.go(path));
		this.player = new Player(this);
		this.beam = new BeamView(this.find(".beam"), () => this.request(), (path) => this.go(path));
		this.why = new Why(this);
		explainWords(this.element);
		this.table = new StepTable(this);
		offerSlides(this);
		this.listen();
		this.set(values);
	}

	listen() {
		const does = { start: () => this.go([]), undo: () => this.undo(), redo: () => this.redo() };
		for (const [name, action] of Object.entries(does)) {
			this.find(`[data-do=${name}]`).addEventListener("click", action);
		}
		this.find("[data-do=explain]").addEventListener("click", ({ currentTarget }) => {
			press(currentTarget, currentTarget.getAttribute("aria-pressed") !== "true");
		});
		for (const name of SETTINGS) {
			this.find(`[data-setting=${name}]`).addEventListener("change", (event) => {
				this.choose(name, event.target.value);
			});
		}
	}

	// Start again with another system or option.
	choose(name, value) {
		const { model, system } = this.values;
		const kept = { model: { model }, system: { model } }[name] ?? this.values;
		this.set({ system, ...kept, [name]: value, path: [] }, name);
		this.forget();
		this.page.changed();
		this.show();
	}

	// Set system, options and path; a model determines the system.
	set(values, changed = "model") {
		const { systems, models } = this.page;
		let model = models.find(({ name }) => name === values.model) ?? null;
		const asked = model && (changed === "model" || !values.system) ? model.system : values.system;
		const system = systems.find(({ name }) => name === asked) ?? systems[0];
		if (model?.system !== system.name) model = null;
		const root = system.roots.includes(values.root) ? values.root : system.root;
		const { constraints: rules = [] } = system; // constraints of the treebank, which forbid some actions
		this.system = system;
		this.model = model;
		this.values = {
			model: model?.name ?? "",
			system: system.name,
			root,
			loss: system.losses.includes(values.loss) ? values.loss : system.losses[0],
			oracle: system.oracles.includes(values.oracle) ? values.oracle : system.oracles[0],
			constraints: rules.includes(values.constraints) ? values.constraints : (model?.constraints ?? rules[0]),
			path: values.path ?? [],
		};
		const names = models.map(({ name }) => name);
		const offered = { model: ["", ...names], system: systems.map(({ name }) => name), root: system.roots, loss: system.losses, oracle: system.oracles, constraints: rules };
		for (const name of SETTINGS) options(this.find(`[data-setting=${name}]`), offered[name], this.values[name], offered[name].map((value) => value || "none"));
		this.find("[data-constraints]").hidden = rules.length < 2;
		this.find("[data-oracle]").hidden = system.oracles.length === 1;
		for (const name of ["root", "loss", "oracle"]) {
			this.find(`[data-setting=${name}]`).disabled = model !== null;
		}
		this.find(".beam").hidden = model === null && !this.beam.recorded;
		this.find(".beam form").hidden = model === null;
		this.find(".scores").hidden = model === null;
		this.element.setAttribute("aria-label", [system.name, model?.name].filter(Boolean).join(", "));
		drawMoves(this);
	}

	// Discard what was visited with another sentence, model or system.
	forget() {
		this.player.pause();
		this.cache.clear();
		this.why.forget();
		this.ways.clear();
		this.beam.forget();
	}

	request() {
		const { system, root, loss, oracle, constraints, path } = this.values;
		const asked = { sentence: this.page.sentence, system, constraints, path };
		if (this.model) return { ...asked, model: this.model.name };
		return { ...asked, root, loss, static_oracle: oracle, labels: this.page.labels() };
	}

	move(name) {
		return this.system.moves.find((move) => move.name === name);
	}

	// Return the path of the state shown, which may be older than the one requested last.
	shownPath() {
		return this.view.history.map((choice) => choice.action);
	}

	async go(path, { keepsPlaying = false } = {}) {
		if (!keepsPlaying) this.player.pause();
		if (path.join(" ") === this.values.path.join(" ")) return;
		this.values.path = path;
		this.page.changed();
		await this.show();
	}

	take(action) {
		const button = this.find(`button.action[data-action="${CSS.escape(action)}"]`);
		const explains = this.find("[data-do=explain]").getAttribute("aria-pressed") === "true";
		if (explains && this.explained !== button) { // the first tap explains, the second one takes the action
			this.explained = button;
			this.why.point(button);
			return null;
		}
		const before = this.shownPath();
		if (this.page.tried(this, action)) return null;
		return this.go([...before, action]);
	}

	undo() {
		return this.go(this.values.path.slice(0, -1));
	}

	// Redo what was undone, or else take the first optimal action; calls run one after the other.
	redo() {
		if (this.isGuess) return null; // it would give the answer away
		this.redoing = Promise.resolve(this.redoing).then(() => this.forward());
		return this.redoing;
	}

	async forward() {
		for (let last = null; last !== this.showing;) {
			last = this.showing;
			await last;
		}
		const choices = this.view?.choices ?? [];
		const optimal = choices.find((choice) => choice.optimal) ?? choices[0];
		const next = this.ways.next(this.values.path) ?? optimal?.action;
		if (next) await this.go([...this.shownPath(), next]);
	}

	// The path of an address may have invalid actions: the server stops before the first one.
	async fetch(path = this.values.path) {
		const width = Math.max(280, this.find(".picture").clientWidth - 2);
		const request = { ...this.request(), path, lenient: true, width, best_width: this.bestWidth() };
		const key = JSON.stringify(request);
		if (!this.cache.has(key)) this.cache.set(key, await post("api/explore", request));
		return this.cache.get(key);
	}

	// The width for the best tree, whose picture may be hidden.
	bestWidth() {
		return Math.max(280, this.find(".beyond").clientWidth - 36);
	}

	show() {
		this.showing = this.update();
		return this.showing;
	}

	async update() {
		const focused = [".actions", ".ways"].find((part) => this.find(part).contains(document.activeElement));
		const turn = this.turn = Symbol("only the latest request is shown");
		let view = null;
		let error = null;
		try {
			view = await this.fetch();
		} catch (caught) {
			error = caught;
		}
		if (turn !== this.turn) return;
		showError(this.find(".error"), error);
		this.find(".state").hidden = error !== null;
		if (error) return;
		this.view = view;
		this.explained = null;
		this.find(".notice").hidden = !view.stopped;
		if (view.stopped) {
			this.find(".notice").textContent = `The path ends here: ${view.stopped}.`;
			this.values.path = this.shownPath();
			this.page.changed({ isNew: false });
		}
		this.ways.add(view.history);
		this.draw();
		if (focused) this.focusAgain(focused);
		this.page.shown(this);
	}

	// The focused element was redrawn: focus the most similar one.
	focusAgain(part) {
		const likely = part === ".ways" ? [".chip[aria-current]"] : [".action.optimal", ".action", "[data-do=undo]"];
		likely.map((selector) => this.find(selector)).find(Boolean)?.focus();
	}

	draw() {
		const { view } = this;
		this.element.classList.toggle("guess", this.isGuess);
		drawPicture(this);
		drawWords(this, ".stack", [...view.stack].reverse()); // top first
		drawWords(this, ".buffer", view.buffer);
		this.find(".tally").replaceChildren(...tally(this));
		drawUnreachable(this);
		drawActions(this.find(".actions"), view, (action) => this.take(action), this.isGuess);
		markMoves(this);
		this.ways.draw(this.find(".ways"), this.values.path);
		this.why.rest();
		this.find("[data-do=undo]").disabled = this.find("[data-do=start]").disabled = !view.history.length;
		this.find("[data-do=redo]").disabled = view.is_final;
		this.player.offer(this.system.oracles, { hasModel: this.model !== null, hasGold: view.has_gold });
		this.player.draw();
		this.table.draw();
		for (const name of this.model ? ["root", "loss"] : []) {
			this.find(`[data-setting=${name}]`).value = view.system[name];
		}
		announce(this.spoken());
	}

	word(i) {
		return i ? this.view.forms[i - 1] : "ROOT";
	}

	arc([head, label, dependent]) {
		return arcName(this.word(head), label, this.word(dependent));
	}

	spoken() {
		const { view } = this;
		const last = view.history.at(-1);
		const taken = last ? `${last.action}${last.cost === null ? "" : `, cost ${last.is_estimate ? "about " : ""}${last.cost}`}. ` : "Start. ";
		const words = (list) => list.map((i) => this.word(i)).join(" ") || "empty";
		return `${taken}Stack: ${words(view.stack)}. Buffer: ${words(view.buffer)}. ${view.is_final ? "Final." : `${count(view.choices.length, "action")} to choose from.`}`;
	}

	// Move the focus from action to action.
	moveFocus(by) {
		const buttons = visibleActions(this.find(".actions"));
		const at = buttons.indexOf(document.activeElement);
		const next = at < 0 ? (by > 0 ? 0 : buttons.length - 1) : (at + by + buttons.length) % buttons.length;
		buttons[next]?.focus();
	}
}
