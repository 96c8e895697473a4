// What the model has learned: its state, the learning curve, and how much there was to correct.
import { button, count, element, find } from "./shared.js";
import { shape } from "./board.js";
import { write } from "./requests.js";

const [WIDTH, HEIGHT, LEFT, BOTTOM] = [420, 140, 34, 22]; // pixels
const RECENT = 10; // sentences

const mean = (numbers) => (numbers.reduce((sum, n) => sum + n, 0) / numbers.length).toFixed(1);

// Draw scores in percent by the number of sentences.
function drawCurve(points) {
	const most = Math.max(...points.map((point) => point.n_sentences), 1);
	const x = (point) => LEFT + (WIDTH - LEFT - 30) * (point.n_sentences / most);
	const y = (score) => (HEIGHT - BOTTOM) * (1 - score / 100) + 6;
	const line = (name) => points.filter((point) => point[name] !== null).map((point) => `${x(point)},${y(point[name])}`).join(" ");
	const last = points.at(-1);
	const drawn = shape("svg", { class: "curve", width: WIDTH, height: HEIGHT + 8, viewBox: `0 0 ${WIDTH} ${HEIGHT + 8}`, role: "img", "aria-label": `Learning curve: LAS ${last.las.toFixed(1)} after ${last.n_sentences} sentences` });
	drawn.append(
		shape("path", { class: "axis", d: `M${LEFT},6V${y(0)}H${WIDTH - 20}` }),
		...[0, 100].map((score) => shape("text", { x: LEFT - 6, y: y(score) + 4, "text-anchor": "end" }, String(score))),
		shape("text", { x: WIDTH - 20, y: HEIGHT + 4, "text-anchor": "end" }, `${most} sentences`),
		shape("polyline", { class: "uas", points: line("uas") }),
		shape("polyline", { class: "las", points: line("las") }),
		...points.map((point) => shape("circle", { cx: x(point), cy: y(point.las), r: 3 })),
	);
	return drawn;
}

export class LearningPanel {
	constructor(holder, workbench) {
		this.workbench = workbench;
		this.kind = element("select", { id: "learn-kind" }, element("option", { value: "linear" }, "linear: seconds"), element("option", { value: "network" }, "network: minutes"));
		this.name = element("input", { type: "text", value: "mine.dodona", spellcheck: false, "aria-label": "File name of the model" });
		this.told = element("p", { role: "status" });
		this.curve = element("div");
		holder.append(
			this.told, this.curve,
			element("div.row", {}, element("label", {}, "Model ", this.kind), button("Learn now", () => this.learn()), element("span.gap"), this.name, button("Keep this model", () => this.keep())),
			element("p.hint", {}, "The model learns again after every few sentences. It is kept beside the file."),
		);
	}

	learn() {
		return this.workbench.attempt(async () => {
			await write("learn", { kind: this.kind.value });
			await this.workbench.refresh(true);
		});
	}

	keep() {
		return this.workbench.attempt(async () => {
			const { path } = await write("keep", { name: this.name.value.trim() });
			this.workbench.notify(`The model is kept in ${path}. To parse with it: dodona parse ${path}`);
		});
	}

	show({ model, learning, n_decisions: nDecisions }) {
		const { state, kind, seconds, message, curve, corrections } = learning;
		const scored = curve.filter((point) => point.las !== null);
		const last = scored.at(-1);
		const doing = { idle: "", learning: `learning (${kind})… `, failed: "the last run failed " }[state];
		find("learning-state").textContent = `${doing}${last ? `LAS ${last.las.toFixed(1)}` : ""}`;
		const parts = [`${count(nDecisions, "decision")} so far. Model: ${model}${curve.length ? ` in ${seconds.toFixed(1)} s` : ""}.`];
		if (state === "failed") parts.push(`The last run failed: ${message}`);
		if (last) parts.push(`LAS ${last.las.toFixed(1)}, UAS ${last.uas.toFixed(1)} (${last.source === "dev" ? "dev set" : "on what you annotated next"}).`);
		if (corrections.length) parts.push(`Corrections per sentence: ${mean(corrections)}, of late ${mean(corrections.slice(-RECENT))}.`);
		if (parts.join(" ") !== this.told.textContent) this.told.textContent = parts.join(" ");
		const drawn = JSON.stringify(scored);
		if (drawn === this.drawn) return;
		this.drawn = drawn;
		this.curve.replaceChildren(...(scored.length ? [drawCurve(scored)] : []));
	}
}
