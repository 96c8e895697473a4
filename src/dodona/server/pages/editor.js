// Editor for gold trees: drag arcs from head to dependent, choose labels, undo.
// The table below offers everything that can be done by dragging.
import { announce, button, element, picture, post, showError } from "./shared.js";

const LABELS = ["acl", "advcl", "advmod", "amod", "appos", "aux", "case", "cc", "ccomp", "compound", "conj", "cop", "csubj", "det", "expl", "fixed", "flat", "iobj", "mark", "nmod", "nsubj", "nummod", "obj", "obl", "parataxis", "punct", "root", "vocative", "xcomp"];
const SVG = "http://www.w3.org/2000/svg";
const [FORM, HEAD, DEPREL, DEPS] = [1, 6, 7, 8]; // columns of CoNLL-U
const IS_WORD = /^\d+\t/;

export class Editor {
	constructor(holder, use) {
		this.holder = holder;
		this.use = use;
		this.past = [];
		this.future = [];
		this.undoButton = button("↶ Undo", () => this.back(this.past, this.future));
		this.redoButton = button("↷ Redo", () => this.back(this.future, this.past));
		this.graph = element("input", { type: "checkbox", onchange: () => this.draw() });
		this.drawing = element("div.picture");
		this.notice = element("p.notice", { role: "status", hidden: true });
		this.error = element("div.error", { role: "alert", hidden: true });
		this.table = element("table.columns");
		holder.append(
			element("p.hint", {}, "Drag from a head to its dependent, or from above the words to the root word. Or choose heads and labels in the table."),
			element("div.row", {}, this.undoButton, this.redoButton, element("label", {}, this.graph, " several heads (a graph)"), element("span.gap"), button("Use this tree", () => this.finish(), { className: "primary" })),
			this.notice, this.error, this.drawing,
			element("div.scroll", { tabIndex: 0, role: "region", "aria-label": "Heads and labels" }, this.table),
			element("datalist", { id: "labels" }, ...LABELS.map((value) => element("option", { value }))),
		);
		this.drawing.addEventListener("pointerdown", (event) => this.grab(event));
	}

	// Open a sentence in any input format; the server converts it.
	async open(text) {
		if (text === this.opened) return;
		try {
			const { conllu } = await post("api/explore/tree", { sentence: text });
			this.opened = text;
			this.lines = conllu.trimEnd().split("\n");
			this.past = [];
			this.future = [];
			const words = this.lines.filter((line) => IS_WORD.test(line)).map((line) => line.split("\t"));
			this.forms = words.map((columns) => columns[FORM]);
			const graph = words.map((columns) => (columns[DEPS] === "_" ? [] : columns[DEPS].split("|").filter((arc) => /^\d+:/.test(arc)).map((arc) => [Number(arc.split(":")[0]), arc.slice(arc.indexOf(":") + 1)])));
			this.graph.checked = graph.some((arcs) => arcs.length > 1);
			this.heads = words.map((columns, i) => (this.graph.checked ? graph[i] : columns[HEAD] === "_" ? [] : [[Number(columns[HEAD]), columns[DEPREL]]]));
			showError(this.error, null);
			this.draw();
		} catch (error) {
			showError(this.error, error);
		}
	}

	// Add an arc; explain why if it is not possible or replaces another.
	join(head, dependent, label = null) {
		const word = (i) => (i ? `“${this.forms[i - 1]}”` : "the root");
		if (head === dependent) return this.notify(`${word(head)} cannot be its own head.`);
		if (!this.graph.checked) {
			const cycle = this.cycle(head, dependent);
			if (cycle) return this.notify(`That would close a cycle: ${cycle.map(word).join(" → ")}. In a tree every word leads up to the root; give one of these words another head first.`);
		}
		const before = this.heads[dependent - 1];
		const old = before.find(([other]) => other === head);
		const arc = [head, label ?? old?.[1] ?? (head ? before[0]?.[1] ?? "dep" : "root")];
		const others = before.filter(([other]) => other !== head);
		this.keep();
		this.heads[dependent - 1] = this.graph.checked ? [...others, arc] : [arc];
		const isSecond = !this.graph.checked && others.length;
		this.notify(isSecond ? `${word(dependent)} had the head ${word(others[0][0])}. A word of a tree has one head, so the new one replaces it; tick “several heads” to keep both.` : "");
		return this.draw();
	}

	remove(head, dependent) {
		this.keep();
		this.heads[dependent - 1] = this.heads[dependent - 1].filter(([other]) => other !== head);
		this.notify("");
		this.draw();
	}

	// Return the cycle from the dependent to itself that a new head would close; null if there is none.
	cycle(head, dependent) {
		const path = [head];
		for (let at = head; at && at !== dependent && path.length <= this.heads.length;) {
			at = this.heads[at - 1][0]?.[0] ?? 0;
			path.push(at);
		}
		return path.at(-1) === dependent && head ? [dependent, ...path.reverse().slice(1), dependent] : null;
	}

	// Return whether a word's first heads lead to the root: in a graph they may form a cycle.
	leadsUp(word) {
		let at = word;
		for (let n = 0; at > 0 && n <= this.heads.length; n += 1) at = this.heads[at - 1][0]?.[0] ?? (n ? 0 : -1);
		return at === 0;
	}

	keep() {
		this.past.push(JSON.stringify([this.heads, this.graph.checked]));
		this.future = [];
	}

	back(from, to) {
		if (!from.length) return;
		to.push(JSON.stringify([this.heads, this.graph.checked]));
		[this.heads, this.graph.checked] = JSON.parse(from.pop());
		this.notify("");
		this.draw();
	}

	notify(text) {
		this.notice.hidden = !text;
		this.notice.textContent = text;
	}

	// Return CoNLL-U; only heads, labels and the graph are changed.
	conllu() {
		let i = -1;
		return this.lines.map((line) => {
			if (!IS_WORD.test(line)) return line;
			i += 1;
			const columns = line.split("\t");
			const arcs = [...this.heads[i]].sort(([a], [b]) => a - b);
			const [head, label] = this.leadsUp(i + 1) ? this.heads[i][0] : ["_", "_"];
			columns[HEAD] = String(head);
			columns[DEPREL] = label;
			columns[DEPS] = this.graph.checked ? arcs.map(([h, l]) => `${h}:${l}`).join("|") || "_" : "_";
			return columns.join("\t");
		}).filter((line) => !/^\d+\.\d/.test(line) || this.graph.checked).join("\n");
	}

	// Describe what is missing to a tree.
	missing() {
		const bare = this.forms.filter((_, i) => !this.heads[i].length);
		const roots = this.heads.filter((arcs) => arcs.some(([head]) => !head)).length;
		if (bare.length) return `${bare.length} ${bare.length === 1 ? "word has" : "words have"} no head yet: ${bare.slice(0, 6).join(", ")}${bare.length > 6 ? ", …" : ""}.`;
		if (!roots) return "No word is attached to the root.";
		if (roots > 1 && !this.graph.checked) return `${roots} words are attached to the root; most treebanks have one, and some systems can build only one.`;
		return "";
	}

	finish() {
		this.opened = this.conllu();
		this.use(this.opened);
	}

	async draw() {
		this.undoButton.disabled = !this.past.length;
		this.redoButton.disabled = !this.future.length;
		this.drawTable();
		const turn = this.turn = Symbol("only the latest request is shown");
		try {
			const width = Math.max(280, this.holder.clientWidth - 4);
			const { svg } = await post("api/explore/tree", { sentence: this.conllu(), width });
			if (turn !== this.turn) return;
			picture(this.drawing, svg);
			showError(this.error, null);
		} catch (error) {
			showError(this.error, error);
		}
		if (this.notice.hidden) this.notify(this.missing());
		announce(this.notice.textContent || "The tree is complete.");
	}

	drawTable() {
		const focused = document.activeElement?.dataset?.cell;
		const head = ["number", "word", "head", "label", "remove"].map((name) => element("th", { scope: "col" }, name));
		const rows = this.forms.flatMap((form, i) => {
			const arcs = this.heads[i].length ? this.heads[i] : [[null, ""]];
			return arcs.map(([top, label], n) => this.row(i + 1, form, top, label, n));
		});
		this.table.replaceChildren(element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...rows));
		if (focused) this.table.querySelector(`[data-cell="${focused}"]`)?.focus();
	}

	row(word, form, head, label, n) {
		const choices = ["", ...this.forms.map((_, i) => i + 1).filter((i) => i !== word)];
		const select = element("select", { "aria-label": `head of ${form}`, "data-cell": `${word}-${n}-head` },
			element("option", { value: "" }, "none"), element("option", { value: "0" }, "root"),
			...choices.slice(1).map((i) => element("option", { value: String(i) }, `${i} ${this.forms[i - 1]}`)));
		select.value = head === null ? "" : String(head);
		select.addEventListener("change", () => {
			if (select.value === "") this.remove(head, word);
			else this.join(Number(select.value), word, label || null);
			select.value = String(this.heads[word - 1][n]?.[0] ?? "");
		});
		const input = element("input", { type: "text", value: label, "aria-label": `label of ${form}`, "data-cell": `${word}-${n}-label` });
		input.setAttribute("list", "labels");
		input.disabled = head === null;
		input.addEventListener("change", () => {
			const chosen = input.value.trim().replace(/\s+/g, "_");
			if (chosen && head !== null) this.join(head, word, chosen);
		});
		const drop = button("Remove", () => this.remove(head, word), { "aria-label": `Remove the head of ${form}` });
		drop.disabled = head === null;
		return element("tr", {}, element("td", {}, String(word)), element("td", {}, element("bdi", {}, form)), element("td", {}, select), element("td", {}, input), element("td", {}, drop));
	}

	// Drag from a word, or from above the words for the root.
	grab(event) {
		const drawn = this.drawing.querySelector("svg");
		const word = event.target.closest(".word");
		const isAbove = event.target === drawn;
		if (!drawn || (!word && !isAbove)) return;
		event.preventDefault();
		const head = word ? Number(word.dataset.id) : 0;
		const line = document.createElementNS(SVG, "line");
		line.setAttribute("class", "rubber");
		const position = ({ clientX, clientY }) => {
			const box = drawn.getBoundingClientRect();
			return [clientX - box.left, clientY - box.top];
		};
		const [x, y] = position(event);
		const stretch = (to) => [["x1", x], ["y1", y], ["x2", to[0]], ["y2", to[1]]].forEach(([name, value]) => line.setAttribute(name, value));
		stretch([x, y]);
		drawn.append(line);
		const move = (moved) => stretch(position(moved));
		const drop = (dropped) => {
			removeEventListener("pointermove", move);
			line.remove();
			const at = document.elementFromPoint(dropped.clientX, dropped.clientY)?.closest(".word");
			if (dropped.type === "pointerup" && at && this.drawing.contains(at) && at !== word) this.join(head, Number(at.dataset.id));
		};
		addEventListener("pointermove", move);
		addEventListener("pointerup", drop, { once: true });
	}
}
