// The drawing of a sentence: words in one line that stays in sight, arcs above them.
import { element } from "./shared.js";

const SVG = "http://www.w3.org/2000/svg";
const [FORM_FONT, SMALL_FONT] = ["16px system-ui, sans-serif", "11px system-ui, sans-serif"];
const [PADDING, LEVEL, CORNER, ARROW, MARGIN] = [20, 21, 7, 7, 14]; // pixels
const ROOT_LABEL = 26; // pixels above all arcs, where the line to the root begins
const DRAG_AFTER = 6; // pixels; shorter movements are clicks
const UNSURE = 0.7;
// How arcs came about, by marks above the words: colours alone do not reach everybody.
export const MARKS = { set: "●", confirmed: "✓", guessed: "○", open: "–" };

const context = document.createElement("canvas").getContext("2d");
const widths = new Map(); // of texts, as the browser draws them

function widthOf(text, font) {
	const key = `${font}\n${text}`;
	if (!widths.has(key)) {
		context.font = font;
		widths.set(key, context.measureText(text).width);
	}
	return widths.get(key);
}

export function shape(name, attributes, text = null) {
	const made = document.createElementNS(SVG, name);
	for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
	if (text !== null) made.textContent = text;
	return made;
}

// Columns that are empty are written as _.
export const bare = (value) => (value === "_" ? "" : value);
export const sureness = (word) => (word.confidence === null ? "" : `${Math.round(100 * word.confidence)}%`);

// Lay out words and arcs from the start of the line.
function arrange(words) {
	const cells = words.map((word) => PADDING + Math.max(
		widthOf(word.form, FORM_FONT), widthOf(word.lemma, SMALL_FONT), widthOf(`${word.upos} ⚠`, SMALL_FONT), widthOf(`${word.id} ${MARKS.set}100%?`, SMALL_FONT)));
	const arcs = words.filter((word) => word.head !== null).map((word) => ({
		word, head: word.head, low: Math.min(word.head, word.id), high: Math.max(word.head, word.id), wide: widthOf(word.deprel, SMALL_FONT) + 18,
	}));
	const long = arcs.filter((arc) => arc.head > 0).sort((a, b) => a.high - a.low - (b.high - b.low) || a.low - b.low);
	const gaps = cells.map(() => 0); // before each word
	const centres = [];
	const place = () => cells.reduce((x, cell, i) => {
		centres[i] = x + gaps[i] + cell / 2;
		return x + gaps[i] + cell;
	}, MARGIN);
	place();
	for (const arc of long) {
		const missing = arc.wide - (centres[arc.high - 1] - centres[arc.low - 1]);
		if (missing > 0) {
			gaps[arc.high - 1] += missing;
			place();
		}
	}
	const heights = cells.map(() => 0); // levels in use between a word and the next
	for (const arc of long) {
		arc.level = 1 + Math.max(...heights.slice(arc.low - 1, arc.high - 1));
		heights.fill(arc.level, arc.low - 1, arc.high - 1);
	}
	spread(long, cells);
	return { cells, gaps, centres, arcs, width: place() + MARGIN, nLevels: Math.max(0, ...heights) };
}

// Let the arcs of a head leave it side by side, the longest one nearest to the middle.
function spread(arcs, cells) {
	const sides = new Map();
	for (const arc of [...arcs].reverse()) {
		const key = arc.head < arc.word.id ? arc.head : -arc.head;
		if (!sides.has(key)) sides.set(key, []);
		sides.get(key).push(arc);
	}
	for (const [key, group] of sides) {
		const step = Math.min(5, (cells[Math.abs(key) - 1] / 2 - 6) / group.length);
		group.forEach((arc, i) => { arc.offset = Math.sign(key) * (5 + i * step); });
	}
}

// Draw anew only the children whose parts have changed: most of a long sentence stays.
function renew(parent, parts, draw) {
	const keys = parts.map((part) => JSON.stringify(part));
	const old = [...parent.children];
	keys.forEach((key, i) => {
		if (old[i]?.key === key) return;
		const made = Object.assign(draw(parts[i]), { key });
		if (old[i]) old[i].replaceWith(made);
		else parent.append(made);
	});
	old.slice(keys.length).forEach((child) => child.remove());
}

function drawArc({ id, kind, path, to, labelX, y, label }) {
	if (!path) return shape("g", {});
	const group = shape("g", { class: `arc ${kind}`, "data-word": id });
	group.append(
		shape("path", { class: "line", d: path }),
		shape("path", { class: "arrow", d: `M${to - 3.5},${-ARROW}h7L${to},0z` }),
		shape("text", { class: "label", x: labelX, y: y + 4 }, label),
	);
	return group;
}

function drawWord({ id, form, state, tags, lemma, name, mark, tag, range, width, before }) {
	const made = element(`button.word.${state}`, { type: "button", tabIndex: -1, "data-word": id, "aria-label": name },
		element("span.number", { dir: "ltr" }, `${id} `, element("span.mark", {}, mark)),
		element("bdi.form", {}, form),
		element(`span.tag.${tags}`, {}, tag),
		element("bdi.lemma", {}, lemma || "\u00a0"),
		range ? element("bdi.range", {}, range) : null);
	made.style.width = `${width}px`;
	made.style.marginInlineStart = `${before}px`;
	return made;
}

export class Board {
	// `choose` is called for a word, `join` for a head and a dependent, `edit` for a label.
	constructor(holder, { choose, join, edit }) {
		Object.assign(this, { holder, join, edit });
		this.arcs = shape("svg", { class: "arcs", "aria-hidden": "true" });
		this.words = element("div.words", { role: "group", "aria-label": "Words" });
		this.sheet = element("div.sheet", {}, this.arcs, this.words);
		holder.replaceChildren(this.sheet);
		this.sheet.addEventListener("pointerdown", (event) => this.grab(event));
		this.words.addEventListener("click", ({ target }) => target.closest(".word") && choose(Number(target.closest(".word").dataset.word)));
	}

	draw(view, chosen, isFocused) {
		this.view = view;
		this.layout = arrange(view.words);
		this.holder.dir = view.is_rtl ? "rtl" : "ltr";
		this.sheet.style.width = `${this.layout.width}px`;
		this.drawArcs();
		this.drawWords();
		this.mark(chosen, isFocused);
	}

	x(position) {
		return this.view.is_rtl ? this.layout.width - position : position;
	}

	// Arcs are drawn upwards from the words, at y = 0.
	drawArcs() {
		const { arcs, width, nLevels } = this.layout;
		this.height = ROOT_LABEL + LEVEL * nLevels + 12;
		const box = `0 ${-this.height} ${width} ${this.height}`;
		if (this.arcs.getAttribute("viewBox") !== box) for (const [name, value] of [["width", width], ["height", this.height], ["viewBox", box]]) this.arcs.setAttribute(name, value);
		const byWord = new Map(arcs.map((arc) => [arc.word.id, arc]));
		renew(this.arcs, this.view.words.map(({ id }) => byWord.has(id) ? this.arcParts(byWord.get(id)) : { id }), drawArc);
	}

	arcParts({ word, head, offset, level }) {
		const { centres } = this.layout;
		const isChanged = this.view.changed.includes(word.id);
		const end = centres[word.id - 1];
		const start = head ? centres[head - 1] + offset : end;
		const y = head ? -LEVEL * level : 16 - this.height;
		const corner = Math.min(CORNER, Math.abs(end - start) / 2) * Math.sign(end - start);
		const [from, to] = [this.x(start), this.x(end)];
		const path = head ? `M${from},0V${y + CORNER}Q${from},${y} ${this.x(start + corner)},${y}H${this.x(end - corner)}Q${to},${y} ${to},${y + CORNER}V${-ARROW}` : `M${to},${y + 6}V${-ARROW}`;
		return { id: word.id, kind: `${word.arc}${isChanged ? " changed" : ""}`, path, to, labelX: (from + to) / 2, y, label: bare(word.deprel) || "?" };
	}

	drawWords() {
		const troubled = new Set(this.view.problems.map((problem) => problem.word));
		renew(this.words, this.view.words.map((word, i) => {
			const range = this.view.ranges.find(({ first, last }) => first <= word.id && word.id <= last);
			const isUnsure = word.arc === "guessed" && word.confidence !== null && word.confidence < UNSURE;
			return {
				id: word.id, form: word.form, state: word.arc, tags: word.tags, lemma: bare(word.lemma), name: this.describe(word, troubled.has(word.id), range),
				mark: `${MARKS[word.arc]}${word.arc === "guessed" ? sureness(word) : ""}${isUnsure ? "?" : ""}`, tag: `${bare(word.upos) || "–"}${troubled.has(word.id) ? " ⚠" : ""}`,
				range: range && (range.first === word.id ? range.form : "\u00a0"), width: this.layout.cells[i], before: this.layout.gaps[i] + (i ? 0 : MARGIN),
			};
		}), drawWord);
		this.buttons = [...this.words.children];
	}

	// What a screen reader reads.
	describe(word, isTroubled, range) {
		const head = word.head ? `${word.deprel} of ${word.head} ${this.view.words[word.head - 1]?.form ?? ""}` : word.head === 0 ? word.deprel : "no head";
		const sure = word.arc === "guessed" && word.confidence !== null ? ` with ${sureness(word)}` : "";
		const parts = [`${word.id} ${word.form}`, bare(word.upos) || "no tag", head, `${word.arc}${sure}`];
		if (this.view.changed.includes(word.id)) parts.push("changed");
		if (range) parts.push(`part of ${range.form}`);
		if (isTroubled) parts.push("breaks a rule");
		return parts.join(", ");
	}

	// Mark the chosen word: the only tab stop of the group.
	mark(chosen, isFocused) {
		this.buttons.forEach((button, i) => {
			button.tabIndex = i + 1 === chosen ? 0 : -1;
			button.classList.toggle("chosen", i + 1 === chosen);
			button.ariaCurrent = i + 1 === chosen ? "true" : null;
		});
		for (const arc of this.arcs.children) arc.classList.toggle("chosen", Number(arc.dataset.word) === chosen);
		const button = this.buttons[chosen - 1];
		if (isFocused) {
			button.focus({ preventScroll: true });
			this.holder.scrollIntoView({ block: "nearest" });
		}
		this.show(button);
	}

	// Scroll sideways to a word, with its neighbours.
	show(button) {
		const [box, inside] = [button.getBoundingClientRect(), this.holder.getBoundingClientRect()];
		const edge = Math.min(120, inside.width / 4);
		this.holder.scrollLeft += Math.max(0, box.right + edge - inside.right) - Math.max(0, inside.left + edge - box.left);
	}

	// Drag from a word, or from above the words for the root; a click chooses a word or a label.
	grab(event) {
		if (event.button !== 0 || event.pointerType === "touch") return; // fingers scroll
		const from = event.target.closest(".word");
		const arc = event.target.closest(".arc");
		const head = from ? Number(from.dataset.word) : 0;
		const [startX, startY] = [event.clientX, event.clientY];
		let rubber = null;
		const position = ({ clientX, clientY }) => {
			const box = this.arcs.getBoundingClientRect();
			return [clientX - box.left, Math.min(clientY - box.bottom, 0)];
		};
		const [x1, y1] = position(event);
		const move = (moved) => {
			if (!rubber && Math.hypot(moved.clientX - startX, moved.clientY - startY) < DRAG_AFTER) return;
			rubber ??= this.arcs.appendChild(shape("line", { class: "rubber", x1, y1 }));
			const [x2, y2] = position(moved);
			rubber.setAttribute("x2", x2);
			rubber.setAttribute("y2", y2);
			this.aim(document.elementFromPoint(moved.clientX, moved.clientY)?.closest(".word"));
			moved.preventDefault();
		};
		const drop = (dropped) => {
			listening.abort();
			this.aim(null);
			rubber?.remove();
			const to = document.elementFromPoint(dropped.clientX, dropped.clientY)?.closest(".word");
			if (dropped.type === "pointercancel") return;
			if (rubber && to && this.words.contains(to) && to !== from) this.join(head, Number(to.dataset.word));
			else if (!rubber && arc) this.edit(Number(arc.dataset.word));
		};
		if (from) event.preventDefault(); // no selection of text
		const listening = new AbortController();
		for (const [kind, action] of [["pointermove", move], ["pointerup", drop], ["pointercancel", drop]]) addEventListener(kind, action, { signal: listening.signal });
	}

	aim(button) {
		for (const other of this.buttons) other.classList.toggle("aimed", other === button);
	}
}
