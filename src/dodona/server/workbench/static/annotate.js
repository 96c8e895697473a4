// The page of the workbench: one sentence at a time, by keyboard, by mouse or by typed commands.
import { announce, button, count, element, find, hashOf, hashValues, listen, Notice, showError } from "./shared.js";
import { showAgreement } from "./agreement.js";
import { AlikePanel } from "./alike.js";
import { Board } from "./board.js";
import { KEYS, WordPanel } from "./fields.js";
import { LearningPanel } from "./learning.js";
import { showLesson } from "./lesson.js";
import { Conflict, inTurn, read, write } from "./requests.js";

const POLL = 3000; // milliseconds
const HELP_KEYS = [
	["← → Home End", "another word"],
	["↑ ↓", "its head; its first dependent"],
	["h r t l x f m", "edit head, relation, UPOS, lemma, XPOS, features, MISC: the likeliest values first; Enter takes one, Escape leaves"],
	["Enter", "confirm the word, go to the next that is not decided"],
	["Ctrl Enter", "confirm the sentence and go on"],
	["Delete", "take the arc away; the parser fills it in again"],
	["s, j, w", "split the word; join it with the next; multiword token"],
	["Ctrl Z, Ctrl Y", "undo, redo, also after a restart"],
	["Page down, Page up", "next sentence, the one before (also n, p)"],
	["0–9, <, :", "begin a command"],
];

class Workbench {
	constructor() {
		this.board = new Board(find("board"), {
			choose: (word) => this.choose(word),
			join: (head, word) => this.join(head, word),
			edit: (word) => { this.choose(word, false); this.panel.focus("deprel"); },
		});
		this.panel = new WordPanel(find("word"), {
			send: (change) => this.send(change),
			check: (change) => this.check(change),
			leave: () => this.board.mark(this.chosen, true),
		});
		this.alike = new AlikePanel(find("alike"), this);
		this.learning = new LearningPanel(find("learning"), this);
		this.seen = []; // sentences, for the way back
		this.revisions = new Map(); // of the sentences as they were last shown
		this.actions = {
			undo: () => this.turnBack("undo"), redo: () => this.turnBack("redo"), next: () => this.step("next"), back: () => this.step("back"), save: () => this.attempt(() => write("save").then(() => this.refresh(true))), confirm: () => this.step("confirmSentence"),
			help: () => find("help").showModal(), learn: () => this.learning.learn(), go: (number) => this.go(number - 1), find: (pattern) => this.alike.find(pattern),
		};
	}

	async start() {
		this.listen();
		this.overview = await read("overview");
		const { sentence, word } = hashValues();
		await this.open(Math.min(Math.max(1, Number(sentence) || 1), this.overview.n_sentences) - 1, Number(word) || 1);
		this.board.mark(this.chosen, true);
		this.showOverview();
		const { other, lesson, commands } = await read("settings");
		const rows = (pairs) => pairs.map(([term, what]) => element("div", {}, element("dt", {}, term), element("dd", {}, what)));
		find("help-keys").append(...rows(HELP_KEYS));
		find("help-commands").append(...rows(commands));
		if (other !== null) showAgreement(find("agreement"), this, other);
		if (lesson) this.drawLesson = await showLesson(find("lesson"), this);
		setInterval(() => document.hidden || this.refresh(), POLL);
	}

	// Run a task and show what goes wrong.
	async attempt(task) {
		try {
			showError(find("error"), null);
			return await task();
		} catch (error) {
			showError(find("error"), error);
			return null;
		}
	}

	// Sentences

	async open(index, chosen = 1) {
		const view = await read("sentence", { index });
		this.show(view, chosen);
	}

	show(view, chosen = this.chosen) {
		const isElsewhere = view.index !== this.view?.index;
		const hasFocus = find("board").contains(document.activeElement);
		this.view = view;
		this.revisions.set(view.index, view.revision);
		this.chosen = Math.min(Math.max(chosen, 1), view.words.length);
		this.board.draw(view, this.chosen, hasFocus);
		this.panel.show(view, this.chosen);
		find("text").textContent = view.text || view.words.map((word) => word.form).join(" ");
		find("number").value = view.index + 1;
		find("state").textContent = { untouched: "untouched", partial: "◐ partial", done: "✓ done" }[view.state];
		find("state").className = `badge ${view.state}`;
		this.showProblems();
		if (isElsewhere || document.activeElement !== find("comments")) find("comments").value = view.comments.join("\n");
		this.note();
	}

	showProblems() {
		find("problems").replaceChildren(...this.view.problems.map((problem) => element("li", {}, button(
			`⚠ ${problem.word ? `${problem.word} ${this.view.words[problem.word - 1]?.form ?? ""}: ` : ""}${problem.message}`,
			() => this.choose(problem.word || 1, true),
		))));
	}

	choose(word, isFocused = true) {
		this.chosen = Math.min(Math.max(word, 1), this.view.words.length);
		this.board.mark(this.chosen, isFocused);
		this.panel.show(this.view, this.chosen);
		this.note();
	}

	// Keep the place in the address, so that a reload comes back to it.
	note() {
		const hash = hashOf({ sentence: this.view.index + 1, word: this.chosen });
		if (hash !== location.hash || location.search) history.replaceState(null, "", location.pathname + hash);
	}

	async go(index, chosen = 1) {
		await this.attempt(async () => {
			if (this.view && index !== this.view.index) this.seen.push(this.view.index);
			await this.open(index, chosen);
			if (!document.activeElement.matches("input")) this.board.mark(this.chosen, true);
			this.notify("");
			announce(`Sentence ${index + 1}: ${this.view.text}`);
		});
	}

	// Go from the sentence that the step before has come to.
	step(name) {
		this.steps = Promise.resolve(this.steps).then(() => this[name]());
		return this.steps;
	}

	async next() {
		await this.attempt(async () => {
			const order = find("order").value;
			const query = { order, after: this.view.index };
			if (order === "pattern") query.pattern = find("next-pattern").value.trim();
			const { index } = await read("next", query);
			if (index === null) this.notify(order === "file" ? "This is the last sentence." : "No other sentence is left in this order.");
			else await this.go(index);
		});
	}

	async back() {
		await this.attempt(() => this.open(Math.max(0, this.seen.pop() ?? this.view.index - 1)));
	}

	// Changes

	// Send a change of what is shown now, or the promise of one, after those under way.
	send(promised) {
		const before = this.view;
		const { index } = before;
		return inTurn(() => this.attempt(async () => {
			const change = await promised;
			if (!change) return null;
			const view = await write("change", { index, revision: this.revisions.get(index), change }).catch((error) => this.lose(error));
			this.revisions.set(index, view.revision);
			this.notify("");
			this.panel.typed = null;
			this.alike.remember(before, change);
			if (this.view.index === index) this.show(view);
			announce(`${view.changed.length ? `The parser changed ${count(view.changed.length, "other arc")}.` : "Done."}${view.problems.length ? ` ${count(view.problems.length, "problem")}.` : ""}`);
			this.refresh(true);
			return view;
		}));
	}

	// Another page was faster: show its work; what was typed here is kept.
	lose(error) {
		if (!(error instanceof Conflict)) throw error;
		this.show(error.view);
		this.panel.restore();
		throw new Notice("This sentence was changed in another page in the meantime; this is how it is now. What you typed is still there: look, and press Enter again.");
	}

	check(change) {
		return write("check", { index: this.view.index, revision: this.view.revision, change }).then(({ problems }) => problems, () => []);
	}

	// An arc that was dragged; its relation is offered for correction at once.
	async join(head, word) {
		this.choose(word, false);
		const view = await this.send({ kind: "set-arc", word, head, deprel: head === 0 ? "root" : null });
		if (!view) return;
		this.choose(word, true);
		if (head !== 0) this.panel.focus("deprel");
	}

	confirmWord() {
		const { chosen } = this;
		const rest = this.view.words.filter((word) => word.id !== chosen && ["guessed", "open"].includes(word.arc));
		this.choose((rest.find((word) => word.id > chosen) ?? rest[0])?.id ?? chosen);
		this.send({ kind: "confirm", words: [chosen] });
	}

	async confirmSentence() {
		const view = await this.send({ kind: "confirm" });
		if (view) await this.next();
		this.board.mark(this.chosen, true);
	}

	async turnBack(name) {
		await inTurn(() => this.attempt(async () => {
			this.show(await write(name));
			this.notify(name === "undo" ? "Undone." : "Done again.");
			this.refresh(true);
		}));
	}

	async run({ change, action, value }) {
		if (change) {
			this.chosen = change.word ?? change.first ?? this.chosen; // shown with the answer
			return this.send(change);
		}
		await this.actions[action](value);
		return true;
	}

	// The whole work

	async refresh(isOwn = false) {
		try {
			const before = this.overview;
			this.overview = await read("overview");
			this.showOverview();
			await this.drawLesson?.();
			const isLearned = this.overview.model !== before.model && this.view.state === "untouched";
			if (!isLearned && (isOwn || this.overview.n_decisions === before.n_decisions)) return;
			await inTurn(async () => {
				if (document.activeElement?.id?.startsWith("field-")) return;
				const view = await read("sentence", { index: Math.min(this.view.index, this.overview.n_sentences - 1) });
				if (view.revision === this.view.revision) return;
				this.show(view);
				if (!isLearned) this.notify("This sentence was changed in another page.");
			});
		} catch (error) {
			showError(find("error"), error);
		}
	}

	showOverview() {
		const { overview } = this;
		const { n_sentences: n, n_partial: partial } = overview;
		const name = overview.path.split(/[\\/]/).at(-1);
		document.title = `${name} · Dodona`;
		find("file").textContent = name;
		find("progress").textContent = `${overview.n_done} of ${count(n, "sentence")} done${partial ? `, ${partial} partial` : ""}`;
		find("of").textContent = `of ${n}`;
		find("number").max = n;
		find("do-undo").disabled = !overview.can_undo;
		find("do-redo").disabled = !overview.can_redo;
		find("do-save").textContent = overview.is_saved ? "Saved" : "Save";
		this.learning.show(overview);
	}

	notify(text) {
		find("notice").hidden = !text;
		find("notice").textContent = text;
	}

	// Events

	listen() {
		for (const id of ["undo", "redo", "save", "back", "next", "confirm", "help"]) listen(`do-${id}`, "click", () => this.actions[id]());
		listen("number", "change", () => this.go(Math.min(Math.max(1, Number(find("number").value) || 1), this.overview.n_sentences) - 1));
		listen("order", "change", () => { find("order-pattern").hidden = find("order").value !== "pattern"; });
		listen("command-form", "submit", (event) => { event.preventDefault(); this.runTyped(); });
		listen("command", "keydown", (event) => event.key === "Escape" && this.board.mark(this.chosen, true));
		listen("command", "input", () => this.tryCommand());
		listen("comment-form", "submit", (event) => {
			event.preventDefault();
			const lines = find("comments").value.split("\n").map((line) => line.trim()).filter(Boolean).map((line) => (line.startsWith("#") ? line : `# ${line}`));
			this.send({ kind: "set-comment", lines });
		});
		this.board.words.addEventListener("keydown", (event) => this.press(event));
		addEventListener("keydown", (event) => this.pressAnywhere(event));
		find("structure-buttons").append(...[
			["Split the word…", "WORD split "], ["Join with the next word", "WORD-NEXT merge"], ["Multiword token…", "WORD-NEXT token "],
			["Remove the multiword token", "WORD untoken"], ["New sentence from here", "WORD cut"], ["Append the next sentence", "append"],
		].map(([name, text]) => button(name, () => this.begin(text.replace("WORD", this.chosen).replace("NEXT", this.chosen + 1)))));
	}

	// Write a command for the user, who can change it.
	begin(text) {
		const input = find("command");
		input.value = text;
		input.focus();
		this.tryCommand();
	}

	// What a command means is asked once, while it is typed.
	command(text) {
		const { index, revision } = this.view;
		const asked = `${revision} ${text.trim()}`;
		if (asked !== this.asked) this.meaning = write("command", { index, text });
		this.asked = asked;
		this.meaning.catch(() => { this.asked = null; });
		return this.meaning;
	}

	async runTyped() {
		const input = find("command");
		const text = input.value.trim();
		if (!text) return;
		const found = await this.attempt(() => this.command(text));
		find("command-trouble").textContent = found?.error ? `${found.error} (Help lists all commands)` : "";
		if (!found || found.error || !await this.run(found) || input.value.trim() !== text) return;
		input.value = "";
		find("command-trouble").textContent = "";
	}

	// Show which rules a command would break.
	async tryCommand() {
		const text = find("command").value;
		const change = text.trim() && await this.command(text).then((found) => found.change, () => null);
		const problems = change ? await this.check(change) : [];
		if (find("command").value === text) find("command-trouble").textContent = problems.map((problem) => `⚠ ${problem.message}`).join(" ");
	}

	// Keys while a word has the focus.
	press(event) {
		if (event.altKey || event.metaKey || event.ctrlKey) return;
		const { chosen, view } = this;
		const on = view.is_rtl ? -1 : 1;
		const word = view.words[chosen - 1];
		const to = {
			ArrowRight: chosen + on, ArrowLeft: chosen - on, Home: 1, End: view.words.length,
			ArrowUp: word.head || chosen, ArrowDown: view.words.find((other) => other.head === chosen)?.id ?? chosen,
		}[event.key];
		const two = `${chosen}-${chosen + 1}`;
		const typed = { s: `${chosen} split `, j: `${two} merge`, w: `${two} token `, "<": `${chosen} < `, ">": `${chosen} > `, ":": "" }[event.key];
		const action = { n: "next", p: "back", "?": "help" }[event.key];
		if (to !== undefined) this.choose(to);
		else if (event.key in KEYS) this.panel.focus(KEYS[event.key]);
		else if (typed !== undefined || /^\d$/.test(event.key)) this.begin(typed ?? event.key);
		else if (action) this.actions[action]();
		else if (event.key === "Enter") this.confirmWord();
		else if (event.key === "Delete" || event.key === "Backspace") this.send({ kind: "clear-arc", word: chosen });
		else return;
		event.preventDefault();
	}

	pressAnywhere(event) {
		const isTyping = event.target.matches("input, textarea, select");
		if (find("help").open || (isTyping && event.key !== "Enter")) return;
		const name = `${event.ctrlKey || event.metaKey ? "Ctrl " : ""}${event.key}`;
		const action = { "Ctrl Enter": "confirm", "Ctrl z": "undo", "Ctrl Z": "redo", "Ctrl y": "redo", PageDown: "next", PageUp: "back" }[name];
		if (!action) return;
		event.preventDefault();
		this.actions[action]();
	}
}

const workbench = new Workbench();
workbench.attempt(() => workbench.start());
