// Steps through a lesson: the text for each state, and exercises.
import { checkLessons, readLessons } from "./lesson-file.js";
import { LESSONS } from "./lessons.js";
import { element, find, hashOf, listen, memory, press } from "./shared.js";

const LONGEST_FILE = 20_000; // characters of a file of lessons in an address
const NO_FILE = { name: "", text: "" };

export class Lesson {
	constructor({ panel, read }) {
		this.panel = panel;
		this.read = read;
		this.lesson = null;
		this.number = 1;
		this.scores = new Map(); // by lesson and step: whether the first attempt was right
		this.file = NO_FILE;
		this.own = [];
		try {
			this.use(memory.get("lessons", NO_FILE));
		} catch { // written by another version
			this.use(NO_FILE);
		}
		listen("lesson-back", "click", () => this.go(this.number - 1));
		listen("lesson-next", "click", () => this.go(this.number + 1));
		listen("lesson-return", "click", () => this.go(this.number));
		listen("lesson-try", "click", () => this.guess(!this.panel().isGuess));
		listen("lesson-close", "click", () => {
			this.close();
			this.panel().page.changed();
		});
	}

	get all() {
		return [...LESSONS, ...this.own];
	}

	// Take over the lessons of a file.
	use({ name, text }) {
		this.own = text ? readLessons(text, name) : [];
		this.file = { name, text };
		find("lessons-forget").hidden = !text;
		find("lessons").replaceChildren(...this.all.map(({ id, title, paper }) =>
			element("li", {}, element("a", { href: this.addressOf(id, 1), title: paper, "data-lesson": id }, title))));
	}

	// Open a file of lessons; every step is checked first.
	async load(name, text) {
		await checkLessons(readLessons(text, name), name);
		this.scores.clear();
		this.use({ name, text });
		memory.set("lessons", { name, text });
	}

	forget() {
		memory.set("lessons", NO_FILE);
		if (this.own.includes(this.lesson)) this.close();
		this.use(NO_FILE);
	}

	isOwn(id) {
		return this.own.some((lesson) => lesson.id === id);
	}

	// Whether a link can hold the file of an own lesson.
	get fitsLink() {
		return !this.own.includes(this.lesson) || this.file.text.length <= LONGEST_FILE;
	}

	addressOf(id, step) {
		const isOwn = this.isOwn(id) && this.file.text.length <= LONGEST_FILE;
		return hashOf({ lesson: id, step, ...(isOwn ? this.file : {}) });
	}

	get step() {
		return this.lesson?.steps[this.number - 1] ?? null;
	}

	// Return the values of an address; for an address with only a lesson, those of the lesson's step.
	open(values) {
		if (values.text && values.text !== this.file.text) this.use({ name: values.name ?? "lessons", text: values.text });
		const found = this.all.find(({ id }) => id === values.lesson) ?? null;
		const isNew = found !== this.lesson || Number(values.step ?? 1) !== this.number;
		this.lesson = found;
		this.number = found ? Math.max(1, Math.min(found.steps.length, Number(values.step) || 1)) : 1;
		if (isNew) this.guess(Boolean(this.step?.quiz), { isQuiet: true });
		this.draw();
		if (!found || values.sentence) return values;
		const { text, beam, quiz, line, ...shown } = this.step;
		return { ...found.shared, ...shown };
	}

	// Labels that the lesson needs in addition to those of its gold tree.
	labels() {
		return this.lesson?.labels ?? [];
	}

	values() {
		return this.lesson ? { lesson: this.lesson.id, step: this.number, ...(this.isOwn(this.lesson.id) && this.fitsLink ? this.file : {}) } : {};
	}

	// Called before the panel shows a state.
	prepare(panel) {
		if (this.step?.quiz && !this.scores.has(this.step)) panel.isGuess = true; // the panel may be new
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
		const address = this.addressOf(this.lesson.id, number);
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
		find("lesson-title").textContent = [lesson.title, lesson.paper].filter(Boolean).join(": ");
		const answers = lesson.steps.filter((one) => this.scores.has(one)).map((one) => this.scores.get(one));
		const score = answers.length ? `, score ${answers.filter(Boolean).length} of ${answers.length}` : "";
		find("lesson-count").textContent = `step ${this.number} of ${lesson.steps.length}${score}`;
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
		press(find("lesson-try"), isOn);
		find("lesson-verdict").hidden = !isOn;
		find("lesson-verdict").textContent = isOn ? "What would you do? Choose an action to see its cost." : "";
		find("lesson-text").hidden = isOn && !this.step?.quiz; // it may contain the answer
		if (!panel || panel.isGuess === isOn) return;
		panel.isGuess = isOn;
		if (isQuiet || !panel.view) return;
		panel.draw();
		if (isOn) panel.moveFocus(1);
	}

	tried(panel, action) {
		const choice = panel.view.choices.find((other) => other.action === action);
		this.guess(false, { isQuiet: true });
		if (this.step?.quiz && !this.scores.has(this.step)) this.scores.set(this.step, Boolean(choice.optimal));
		this.draw();
		const verdict = find("lesson-verdict");
		verdict.hidden = false;
		if (choice.optimal) verdict.textContent = `✓ Correct: ${action} costs 0 and is optimal.`;
		else if (choice.n_wasted) verdict.textContent = `↷ ${action} costs 0, but wastes ${choice.n_wasted} actions.`;
		else if (!choice.cost) verdict.textContent = `↺ ${action} costs 0, but needs a repair later.`;
		else verdict.textContent = `✗ ${action} costs ${choice.is_estimate ? "about " : ""}${choice.cost}; see the explanation beside the actions. Undo it and try again.`;
		if (choice.optimal && choice.cost) verdict.textContent = `✓ ${action} costs ${choice.cost}: no action is cheaper.`;
	}
}
