// Beam search over time: a column for each step, a row for each rank, lines from parents to children.
import { arcName, element, post, Work } from "./shared.js";

const SVG = "http://www.w3.org/2000/svg";

export class BeamView {
	constructor(holder, ask, go) {
		this.holder = holder;
		this.ask = ask;
		this.go = go;
		this.recorded = null; // a search that is part of a lesson
		this.form = holder.querySelector("form");
		this.verdict = holder.querySelector(".verdict");
		this.grid = holder.querySelector(".scroll");
		this.work = new Work(holder.querySelector(".busy"));
		this.form.addEventListener("submit", (event) => {
			event.preventDefault();
			this.recorded = null;
			this.search();
		});
		holder.addEventListener("toggle", () => {
			if (holder.open && !this.view) this.search();
			else if (holder.open) this.draw();
		});
	}

	// Discard the result of another sentence or model.
	forget() {
		this.view = this.recorded;
		this.verdict.textContent = "";
		this.grid.replaceChildren();
		if (this.holder.open && !this.holder.hidden) this.search();
	}

	record(view) {
		this.recorded = this.view = view;
		this.holder.hidden = view === null && this.form.hidden;
		this.holder.open = view !== null;
		if (view) this.draw();
	}

	async search() {
		if (this.recorded) {
			this.draw();
			return;
		}
		const beam = Number(this.form.querySelector("input").value);
		const signal = this.work.start("Searching…");
		try {
			const view = await post("api/explore/beam", { ...this.ask(), beam }, { signal });
			if (!this.work.end(signal)) return;
			this.view = view;
		} catch (error) {
			if (this.work.end(signal)) this.verdict.textContent = error.message;
			return;
		}
		this.draw();
	}

	draw() {
		const { steps, fell_at: fellAt } = this.view;
		this.verdict.textContent = this.judgement();
		this.verdict.classList.toggle("bad", fellAt !== null);
		const width = Math.max(...steps.map((step) => step.length));
		const head = element("tr", {}, element("th", { scope: "col" }, "rank"));
		steps.forEach((_, i) => {
			if (i) head.append(element(`th${i === fellAt ? ".fall" : ""}`, { scope: "col" }, String(i), i === fellAt ? element("span.fell", {}, " ✗") : null));
		});
		const rows = Array.from({ length: width }, (_, rank) => {
			const row = element("tr", {}, element("th", { scope: "row" }, String(rank + 1)));
			for (let i = 1; i < steps.length; i += 1) row.append(this.cell(i, rank));
			return row;
		});
		const table = element("table.hypotheses", {}, element("thead", {}, head), element("tbody", {}, ...rows));
		this.grid.replaceChildren(element("div.family", {}, table));
		this.connect(table);
		const fall = this.grid.querySelector("th.fall");
		if (fall) this.grid.scrollLeft = fall.offsetLeft - this.grid.clientWidth / 2;
	}

	// Draw a line from each hypothesis to its parent, behind the table.
	connect(table) {
		const lines = document.createElementNS(SVG, "svg");
		lines.setAttribute("aria-hidden", "true");
		lines.setAttribute("width", table.offsetWidth);
		lines.setAttribute("height", table.offsetHeight);
		for (const child of table.querySelectorAll("button.hypothesis")) {
			const step = Number(child.dataset.step);
			const { parent, is_correct: isCorrect } = this.view.steps[step][child.dataset.rank];
			const before = table.querySelector(`[data-step="${step - 1}"][data-rank="${parent}"]`);
			if (!before) continue;
			const [x1, x2] = [right(before), child.parentElement.offsetLeft + child.offsetLeft];
			const [y1, y2] = [middle(before), middle(child)];
			const line = document.createElementNS(SVG, "path");
			line.setAttribute("d", `M${x1},${y1}C${(x1 + x2) / 2},${y1} ${(x1 + x2) / 2},${y2} ${x2},${y2}`);
			if (isCorrect) line.setAttribute("class", "correct");
			lines.append(line);
		}
		table.before(lines);
	}

	judgement() {
		const { steps, fell_at: fellAt, fell_by: by } = this.view;
		if (steps.at(-1)[0].is_correct === null) return "Without a gold tree, hypotheses are neither correct nor wrong.";
		if (fellAt !== null) {
			const gap = by === null ? ": the model has no score for it" : `: its score is ${by} too low`;
			return `At step ${fellAt} the last correct hypothesis is pruned from the beam${gap}.`;
		}
		const rank = steps.at(-1).findIndex((hypothesis) => hypothesis.is_correct);
		if (rank === 0) return "The best hypothesis at the end is correct.";
		return `A correct hypothesis stays to the end, but only at rank ${rank + 1}.`;
	}

	cell(step, rank) {
		const hypothesis = this.view.steps[step][rank];
		const holder = element(`td${step === this.view.fell_at ? ".fall" : ""}`);
		if (!hypothesis) return holder;
		const { action, score, joined, is_correct: isCorrect } = hypothesis;
		const judged = isCorrect === null ? "" : isCorrect ? ".correct" : ".incorrect";
		const word = (i) => (i ? this.view.forms[i - 1] : "ROOT");
		holder.append(
			element(
				`button.hypothesis${judged}`,
				{ type: "button", "data-step": String(step), "data-rank": String(rank), onclick: () => this.go(this.path(step, rank)) },
				element("span.name", {}, isCorrect ? "✓ " : "", action ?? "final"),
				joined ? arcName(word(joined[0]), null, word(joined[2])) : null,
				element("span.score", {}, String(score), isCorrect === null ? null : element("span.visually-hidden", {}, isCorrect ? ", correct" : ", not correct")),
			),
		);
		return holder;
	}

	path(step, rank) {
		const path = [];
		for (let i = step; i > 0; i -= 1) {
			const { action, parent } = this.view.steps[i][rank];
			if (action !== null) path.unshift(action);
			rank = parent;
		}
		return path;
	}
}

function middle(button) {
	return button.parentElement.offsetTop + button.offsetTop + button.offsetHeight / 2;
}

function right(button) {
	return button.parentElement.offsetLeft + button.offsetLeft + button.offsetWidth;
}
