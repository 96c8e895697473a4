// The columns of the chosen word, each with completion: the most likely values first.
import { element, Notice } from "./shared.js";
import { read } from "./requests.js";
import { bare, MARKS, sureness } from "./board.js";

const FIELDS = [
	["head", "Head", "h"],
	["deprel", "Relation", "r"],
	["upos", "UPOS", "t"],
	["lemma", "Lemma", "l"],
	["xpos", "XPOS", "x"],
	["feats", "Features", "f"],
	["misc", "MISC", "m"],
];
export const KEYS = Object.fromEntries(FIELDS.map(([name, , key]) => [key, name]));
const CHOSEN_FIRST = ["head", "deprel", "upos"]; // Enter takes the first value that is offered
const WITHOUT_LIST = ["misc"];
const CHECK_AFTER = 60; // milliseconds

// A text field with a list of values: ↓ and ↑ choose, Enter takes, Escape closes, then leaves.
class Combobox {
	constructor(panel, name, label, key) {
		Object.assign(this, { panel, name });
		const id = `field-${name}`;
		this.input = element("input", { id, type: "text", autocomplete: "off", spellcheck: false, role: "combobox", "aria-expanded": "false", "aria-autocomplete": "list", "aria-controls": `${id}-list` });
		this.list = element("ul.values", { id: `${id}-list`, role: "listbox", "aria-label": `Values of ${label}`, hidden: true });
		this.box = element("div.field", {}, element("label", { htmlFor: id }, label, " ", element("kbd", { "aria-hidden": "true" }, key)), this.input, this.list);
		this.input.addEventListener("focus", () => { this.isTaken = false; this.input.select(); this.offered = this.offer(""); });
		this.input.addEventListener("input", () => { this.offered = this.offer(this.input.value); });
		this.input.addEventListener("keydown", (event) => this.press(event));
		this.input.addEventListener("change", () => this.isTaken || this.take(this.input.value));
		this.input.addEventListener("blur", () => this.close());
		this.list.addEventListener("pointerdown", (event) => {
			event.preventDefault(); // the field keeps the focus
			const option = event.target.closest("[role=option]");
			if (option) this.take(option.dataset.value, true);
		});
	}

	// Show a value, but leave alone what is being typed.
	show(value, isSame) {
		const isTyped = isSame && document.activeElement === this.input;
		if (!isTyped || this.input.value === this.shown) this.input.value = value;
		this.shown = value;
		if (!isTyped) this.close();
	}

	async offer(prefix) {
		const turn = this.turn = Symbol("only the latest answer is shown");
		const typed = prefix.trim();
		this.begun = CHOSEN_FIRST.includes(this.name) && typed !== this.shown ? typed : "";
		this.steps = []; // of the arrow keys, which are pressed before there is a list, too
		this.values = null; // not there yet
		this.panel.tryOut(this);
		const values = WITHOUT_LIST.includes(this.name) ? [] : await this.panel.suggest(this.name, prefix);
		if (turn !== this.turn || document.activeElement !== this.input) return values;
		this.values = values;
		this.list.replaceChildren(...values.map((value, i) => element("li", { role: "option", id: `${this.list.id}-${i}`, "data-value": value, "aria-selected": "false" }, element("bdi", {}, this.panel.name(this.name, value)))));
		this.list.hidden = !values.length;
		this.input.setAttribute("aria-expanded", String(Boolean(values.length)));
		this.input.removeAttribute("aria-activedescendant");
		this.point();
		return values;
	}

	// A function from values to the one at which the keys so far point: -1 is what was typed.
	pointer() {
		const { begun, steps } = this;
		return (values) => (values.length ? steps.reduce((at, step) => (Math.max(at, step < 0 ? 0 : -1) + step + values.length) % values.length, begun && !values.includes(begun) ? 0 : -1) : -1);
	}

	get at() {
		return this.pointer()(this.values ?? [""]);
	}

	point() {
		const { at } = this;
		if (!this.values || at < 0) return;
		const options = [...this.list.children];
		options.forEach((option, i) => option.setAttribute("aria-selected", String(i === at)));
		options[at].scrollIntoView({ block: "nearest" });
		this.input.setAttribute("aria-activedescendant", options[at].id);
		this.panel.tryOut(this);
	}

	get candidate() {
		return this.values?.[this.at] ?? this.input.value.trim();
	}

	press(event) {
		const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
		if (step) {
			event.preventDefault();
			if (!this.turn) this.offered = this.offer(this.input.value);
			this.steps.push(step);
			this.point();
		} else if (event.key === "Enter") {
			event.preventDefault();
			const [typed, at] = [this.input.value.trim(), this.pointer()];
			this.take(this.offered.then((values) => values[at(values)] ?? typed), true);
		} else if (event.key === "Escape") {
			event.preventDefault();
			if (this.at >= 0) return this.close(); // Enter takes what was typed
			this.input.value = this.shown;
			this.panel.leave();
		}
	}

	// Take a value, or the promise of one: the next key is for the words already.
	take(value, leave = false) {
		const { word } = this.panel;
		this.close();
		this.isTaken = true; // leaving the field would take its text again
		if (leave) this.panel.leave();
		this.panel.take(this.name, value, this.shown, word);
	}

	close() {
		this.turn = null;
		[this.values, this.steps, this.offered] = [[], [], Promise.resolve([])];
		this.list.hidden = true;
		this.input.setAttribute("aria-expanded", "false");
		this.input.removeAttribute("aria-activedescendant");
	}
}

export class WordPanel {
	// `check` tells which rules a change would break, `leave` goes back to the words.
	constructor(holder, { send, check, leave }) {
		Object.assign(this, { send, check, leave });
		this.title = element("h2", { id: "word-title" });
		this.trouble = element("p.trouble", { role: "status" });
		this.boxes = Object.fromEntries(FIELDS.map(([name, label, key]) => [name, new Combobox(this, name, label, key)]));
		holder.append(this.title, element("div.fields", {}, ...Object.values(this.boxes).map((box) => box.box)), this.trouble);
	}

	show(view, chosen) {
		const isSame = this.view?.index === view.index && this.word.id === chosen;
		this.view = view;
		this.word = view.words[chosen - 1];
		const { word } = this;
		const state = { set: "set by hand", confirmed: "confirmed", guessed: "guessed by the parser", open: "no arc yet" }[word.arc];
		const sure = word.arc === "guessed" && word.confidence !== null ? `, ${sureness(word)} sure` : "";
		this.title.replaceChildren(`Word ${word.id} `, element("bdi", {}, word.form), element("span.hint", {}, ` ${MARKS[word.arc]} ${state}${sure}; tags ${word.tags}`));
		for (const [name, box] of Object.entries(this.boxes)) box.show(this.valueOf(name), isSame);
		this.showTrouble(view.problems.filter((problem) => problem.word === word.id));
	}

	valueOf(name) {
		const value = this.word[name];
		return value === null ? "" : bare(String(value));
	}

	name(field, value) {
		if (field !== "head") return value;
		return value === "0" ? "0 root" : `${value} ${this.view.words[Number(value) - 1]?.form ?? ""}`;
	}

	focus(field) {
		this.boxes[field].input.focus();
	}

	async suggest(field, prefix) {
		const query = { index: this.view.index, word: this.word.id, field, prefix };
		try {
			return (await read("suggest", query)).values;
		} catch {
			return [];
		}
	}

	// The change that a value of a field amounts to.
	changeOf(field, value, { id, head: now }) {
		if (field === "head") {
			if (value === "" || value === "_") return { kind: "clear-arc", word: id };
			const head = /^\d+$/.test(value) ? Number(value) : this.view.words.find((word) => word.form === value)?.id;
			if (head === undefined) throw new Notice(`“${value}” is no word of this sentence. Heads are given by their numbers; 0 is the root.`);
			return { kind: "set-arc", word: id, head, deprel: head === 0 ? "root" : null };
		}
		if (field !== "deprel" || now === null) return { kind: "set-field", word: id, field, value }; // "": for the parser
		return { kind: "set-arc", word: id, head: now, deprel: value || null };
	}

	take(field, promised, shown, word) {
		this.send(Promise.resolve(promised).then((text) => {
			const value = text.trim();
			this.typed = { field, value };
			return value === shown ? null : this.changeOf(field, value, word);
		}));
	}

	// Put back what was typed last, after it was refused.
	restore() {
		if (!this.typed || document.activeElement.id === "command") return;
		this.focus(this.typed.field);
		this.boxes[this.typed.field].input.value = this.typed.value;
	}

	// Show which rules a value would break, before it is taken.
	tryOut(box) {
		clearTimeout(this.timer);
		this.timer = setTimeout(async () => {
			const { view, word } = this;
			const value = box.candidate;
			if (!value || value === box.shown || (box.name === "head" && !/^\d+$/.test(value))) return;
			const problems = await this.check(this.changeOf(box.name, value, word));
			if (view === this.view && document.activeElement === box.input) this.showTrouble(problems);
		}, CHECK_AFTER);
	}

	showTrouble(problems) {
		this.trouble.replaceChildren(...problems.flatMap((problem) => [element("span", {}, `⚠ ${problem.message}`), " "]));
	}
}
