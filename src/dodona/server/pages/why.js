// Explains the cost of an action beside the actions, and marks lost arcs in the pictures.
import { arcNames, count, element, post } from "./shared.js";
import { drawBest } from "./state.js";

const DELAY_MS = 90; // so that a passing pointer sends no request
const HINT = matchMedia("(hover: none)").matches
	? "With “A tap explains first”, a tap shows the reason for a cost, and a second tap takes the action."
	: "Point at an action, or go to it with ↑ and ↓, to see the reason for its cost.";

export class Why {
	constructor(panel) {
		this.panel = panel;
		this.box = panel.find(".why");
		this.cache = new Map();
		const actions = panel.find(".actions");
		for (const kind of ["pointerover", "focusin"]) {
			actions.addEventListener(kind, ({ target }) => this.point(target.closest("button.action")));
		}
		for (const kind of ["pointerleave", "focusout"]) actions.addEventListener(kind, () => this.leave());
	}

	forget() {
		this.cache.clear();
	}

	point(button) {
		if (!button || !this.panel.view.has_gold || this.panel.isGuess) return;
		this.after(() => this.explain(this.panel.shownPath(), button.dataset.action));
	}

	leave() {
		this.after(() => this.rest());
	}

	after(does) {
		clearTimeout(this.timer);
		this.timer = setTimeout(does, DELAY_MS);
	}

	// Show the default text: the effect of the last action if it was not optimal, else a hint.
	rest() {
		clearTimeout(this.timer);
		this.asked = null;
		this.unmark();
		drawBest(this.panel);
		this.box.hidden = !this.panel.view.has_gold;
		const last = this.panel.view.history.at(-1);
		if (!this.panel.isGuess && last && (last.cost || last.optimal === false)) {
			this.explain(this.panel.shownPath().slice(0, -1), last.action, { isPast: true });
		} else {
			this.box.replaceChildren(element("p", {}, this.panel.isGuess ? "Costs are hidden until you choose." : HINT));
		}
	}

	async ask(path, action) {
		const key = [...path, action].join(" ");
		if (!this.cache.has(key)) {
			const best_width = this.panel.bestWidth();
			this.cache.set(key, post("api/explore/why", { ...this.panel.request(), path, action, best_width }));
		}
		return this.cache.get(key);
	}

	async explain(path, action, { isPast = false } = {}) {
		const asked = this.asked = Symbol("only the latest request is shown");
		let why;
		try {
			why = await this.ask(path, action);
		} catch {
			return; // the error is shown with the state
		}
		if (asked !== this.asked) return;
		const move = this.panel.move(action.split(":")[0]);
		this.unmark();
		this.box.replaceChildren(
			element("p", {}, element("b", {}, action), isPast || !move?.does ? "" : ` ${move.does}.`),
			element("p.reason", {}, ...this.reason(why, isPast)),
		);
		if (isPast) return;
		this.mark(why.loses);
		drawBest(this.panel, why.best, why.loss, action);
	}

	reason(why, isPast) {
		const name = (arcs) => arcNames(arcs, (arc) => this.panel.arc(arc));
		const { cost, loss, instead, wrong, mislabelled, n_wasted: nWasted } = why;
		const kind = this.panel.page.kind();
		if (!cost && why.optimal) return [isPast ? "It cost nothing." : `It costs 0 and is optimal: no ${kind} arc is lost.`];
		if (!cost) return [element("span.mark", { "aria-hidden": "true" }, nWasted ? "↷ " : "↺ "), isPast ? "It cost 0, but " : "It costs 0, but ", ...this.detour(why)];
		const isLabel = (arc) => mislabelled.some((other) => other.join() === arc.join());
		const lost = why.loses.filter((arc) => !isLabel(arc));
		const about = why.is_estimate ? "about " : "";
		const parts = [isPast ? `It cost ${about}${cost}: ` : `It costs ${about}${cost}: `];
		const add = (words, arcs, end = "") => parts.push(parts.length > 1 ? "; " : "", words, ...name(arcs), end);
		if (lost.length) add(isPast ? "lost " : "loses ", lost);
		if (mislabelled.length) add("the wrong label for ", mislabelled);
		if (wrong.length) add("leads to ", wrong, wrong.length > 1 ? `, which are not ${kind}` : `, which is not ${kind}`);
		if (instead.length) add("in exchange, ", instead, " become reachable");
		if (parts.length === 1) parts.push("no single arc accounts for it");
		parts.push(".");
		if (why.is_estimate) parts.push(" (The cost is an estimate here.)");
		if (!isPast) parts.push(why.best.is_best ? ` The smallest reachable loss is then ${loss}.` : ` A loss of ${loss} is then reachable.`);
		return parts;
	}

	// Name the actions that will be needed only because of this one.
	detour({ repairs, repaired, n_wasted: nWasted }) {
		const named = repairs.slice(0, 6).map((action, i) => `${action} (${repaired[i].map((word) => this.panel.word(word)).join(", ")})`).join(", ");
		const more = repairs.length > 6 ? ` and ${repairs.length - 6} more` : "";
		const waste = nWasted ? ` ${count(nWasted, "action")} more than the shortest derivation` : "";
		if (repairs.every((action) => action === "SWAP")) return [`it is wasteful:${waste}${named ? `; needed later: ${named}${more}` : ""}.`];
		return [`is not optimal: it needs ${repairs.length > 1 ? "repairs" : "a repair"} later${named ? `: ${named}${more}` : ""}${waste ? `;${waste}` : ""}.`];
	}

	mark(arcs) {
		for (const [head, label, dependent] of arcs) {
			for (const arc of this.panel.find(".picture").querySelectorAll(".arc")) {
				const { dataset } = arc;
				if (dataset.head === String(head) && dataset.dependent === String(dependent) && dataset.label === (label ?? "")) {
					arc.classList.add("doomed");
				}
			}
		}
	}

	unmark() {
		for (const arc of this.panel.element.querySelectorAll(".doomed")) arc.classList.remove("doomed");
	}
}
