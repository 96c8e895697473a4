// The steps of the path as a table, for handouts: LaTeX and CSV.
import { copy, download, element, post, showError } from "./shared.js";

const COLUMNS = ["step", "action", "cost", "stack", "buffer", "new arcs"];

export class StepTable {
	constructor(panel) {
		this.panel = panel;
		this.holder = panel.find(".table");
		this.holder.addEventListener("toggle", () => this.draw());
		for (const button of this.holder.querySelectorAll("[data-table]")) {
			button.addEventListener("click", () => this.save(button));
		}
	}

	async draw() {
		if (!this.holder.open || this.panel.isGuess) return;
		const asked = this.asked = Symbol("only the latest request is shown");
		try {
			const table = await post("api/explore/table", { ...this.panel.request(), path: this.panel.shownPath() });
			if (asked !== this.asked) return;
			this.table = table;
		} catch (error) {
			showError(this.panel.find(".error"), error);
			return;
		}
		const hasCosts = this.panel.view.has_gold;
		const names = COLUMNS.filter((name) => hasCosts || name !== "cost");
		const rows = this.table.steps.map(({ number, action, cost, stack, buffer, arcs, is_estimate: isEstimate }) => element("tr", {},
			element("td", {}, String(number)), element("td", {}, action), hasCosts ? element("td", {}, `${isEstimate ? "≈" : ""}${cost ?? ""}`) : null,
			...[stack, buffer].map((words) => element("td", { dir: "auto" }, words.join(" "))),
			element("td", {}, arcs.map(([head, label, word]) => `${head} → ${word} (${label})`).join(", "))));
		const head = element("tr", {}, ...names.map((name) => element("th", { scope: "col" }, name)));
		this.holder.querySelector("table").replaceChildren(element("thead", {}, head), element("tbody", {}, ...rows));
	}

	save(button) {
		const kind = button.dataset.table;
		if (!this.table) return;
		if (kind === "copy") copy(button, this.table.latex);
		else download(`dodona-steps.${kind === "latex" ? "tex" : "csv"}`, this.table[kind]);
	}
}
