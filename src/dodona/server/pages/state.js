// Shows a state: arcs, stack and buffer, lost and unreachable arcs, the best reachable tree.
import { term } from "./glossary.js";
import { arcNames, button, count, element, picture } from "./shared.js";

const MAX_ACTIONS = 24; // listed on the path to the best tree

// Draw the arcs; those built by the last action are marked.
export function drawPicture(panel) {
	const holder = panel.find(".picture");
	const known = panel.knownArcs ?? new Set();
	picture(holder, panel.view.svg);
	const drawn = holder.querySelector("svg");
	const arcs = panel.view.arcs.map((arc) => panel.arc(arc).textContent).join(", ");
	drawn.setAttribute("aria-label", `Arcs: ${arcs || "none yet"}`);
	panel.find(".configuration").dir = drawn.getAttribute("direction") ?? "ltr";
	panel.knownArcs = new Set(panel.view.arcs.map((arc) => arc.join(" ")));
	for (const arc of holder.querySelectorAll(".arc.built, .arc.wrong")) {
		const { head, label, dependent } = arc.dataset;
		if (!known.has([head, label, dependent].join(" "))) arc.classList.add("fresh");
	}
	panel.find(".legend").hidden = !panel.view.has_gold;
	panel.find(".legend .gold .term").textContent = panel.page.parsed ? `parsed by ${panel.page.parsed}` : "gold";
	panel.find(".legend .never").hidden = !panel.view.never?.length;
	follow(panel, holder, drawn);
}

// Scroll to the words that the next action concerns.
function follow(panel, holder, drawn) {
	const word = (id) => drawn.querySelector(`.word[data-id="${id}"]`);
	const front = word(panel.view.buffer.find(Boolean));
	const top = word(panel.view.stack.at(-1));
	front?.classList.add("front");
	top?.classList.add("top");
	const near = front ?? top;
	if (!near || holder.scrollHeight <= holder.clientHeight) return;
	const middle = near.getBoundingClientRect().bottom - drawn.getBoundingClientRect().top;
	holder.scrollTop = middle - holder.clientHeight + 24;
}

export function drawWords(panel, side, words) {
	const holder = panel.find(`${side} ol`);
	const named = words.map((word, i) =>
		element(
			`li${word ? "" : ".root"}${i ? "" : ".chief"}`,
			{},
			element("bdi.form", {}, panel.word(word)),
			word ? element("span.id", {}, String(word)) : null,
		),
	);
	holder.replaceChildren(...(named.length ? named : [element("li.empty", {}, "empty")]));
	panel.find(`${side} .count`).textContent = words.length > 1 ? String(words.length) : "";
	holder.scrollLeft = 0;
	const isLong = holder.scrollWidth > holder.clientWidth; // makes it scrollable by keyboard
	holder.classList.toggle("long", isLong);
	if (isLong) holder.tabIndex = 0;
	else holder.removeAttribute("tabindex");
}

export function tally(panel) {
	const { view } = panel;
	const parts = [element("span", {}, view.is_final ? `final, after ${count(view.history.length, "action")}` : count(view.history.length, "action"))];
	if (!view.has_gold) return [...parts, element("span", {}, "no gold tree, so there are no costs")];
	const spent = view.history.reduce((sum, choice) => sum + choice.cost, 0);
	const isEstimate = view.history.some((choice) => choice.is_estimate);
	const loss = view.is_final ? "loss " : view.best.is_best ? "smallest reachable loss " : "a reachable loss, perhaps not the smallest: ";
	parts.push(
		element(`span.spent${spent ? ".bad" : ""}`, {}, "cost so far ", element("b", {}, `${isEstimate ? "≈" : ""}${spent}`)),
		element(`span.loss${view.loss ? ".bad" : ""}`, {}, loss, element("b", {}, String(view.loss))),
	);
	const nWasted = view.history.reduce((sum, choice) => sum + (choice.n_wasted ?? 0), 0);
	if (nWasted) parts.push(element("span.waste", {}, "wasted actions ", element("b", {}, String(nWasted))));
	if (!view.is_final && view.choices.some((choice) => choice.is_estimate)) {
		parts.push(element("span.estimates", {}, "≈ ", term("estimate", "costs are estimates here")));
	}
	if (view.lost.length) {
		parts.push(element("span.lost", {}, "lost: ", ...arcNames(view.lost, (arc) => panel.arc(arc))));
	}
	return parts;
}

// List the gold arcs that the system can never build, and offer another system.
export function drawUnreachable(panel) {
	const holder = panel.find(".unreachable");
	const { never = [] } = panel.view;
	holder.hidden = !never.length;
	if (!never.length) return;
	const crossing = never.flatMap(({ crosses }) => crosses).length > 0;
	const why = crossing ? `, because arcs of the ${panel.page.kind()} tree cross` : "";
	holder.replaceChildren(
		element("p", {}, "Never reachable: ", ...arcNames(never.map(({ arc }) => arc), (arc) => panel.arc(arc)), `. This system cannot build ${never.length > 1 ? "them" : "it"} together with the others${why}.`),
	);
	const canSwap = crossing && !panel.system.builds_graphs && !panel.model;
	if (canSwap) {
		holder.append(button("Use swap, which builds every tree", () => panel.choose("system", "swap")));
	}
}

export function drawMoves(panel) {
	panel.find(".moves b").textContent = panel.system.name;
	panel.find(".moves .paper").textContent = panel.system.paper ?? "";
	panel.find(".moves dl").replaceChildren(
		...panel.system.moves.map(({ name, does, needs }) =>
			element("div", { "data-move": name }, element("dt", {}, name, element("span.now")), element("dd", {}, does ? `${does}. ` : "", element("span.needs", {}, `Needs ${needs}.`))),
		),
	);
}

export function markMoves(panel) {
	const valid = new Set(panel.view.choices.map(({ move }) => move));
	for (const row of panel.find(".moves dl").children) {
		row.querySelector(".now").textContent = valid.has(row.dataset.move) ? "" : " not possible now";
	}
}

// Draw the best tree reachable now, or after an action.
export function drawBest(panel, best = panel.view.best, loss = panel.view.loss, action = null) {
	const holder = panel.find(".best");
	holder.hidden = !best;
	if (!best) return;
	const isGold = !loss;
	picture(holder.querySelector(".picture"), isGold ? "" : best.svg);
	holder.querySelector(".picture").hidden = isGold;
	holder.classList.toggle("preview", action !== null);
	const tree = action ? `tree reachable after ${action}` : "reachable tree";
	holder.querySelector("summary span").textContent = best.is_best ? `The best ${tree}` : `A ${tree}, perhaps not the best`;
	holder.querySelector(".legend .still").textContent = `not ${panel.page.kind()}${best.is_best ? ", but no better arc is reachable" : ""}`;
	holder.querySelector(".legend").hidden = !holder.querySelector(".arc.still");
	holder.querySelector(".loss").textContent = isGold ? `the ${panel.page.kind()} tree itself` : `loss ${loss}`;
	const shown = best.actions.slice(0, MAX_ACTIONS).join(", ");
	const more = best.actions.length - MAX_ACTIONS;
	const rest = shown ? `${best.is_shortest ? "By" : "For example by"} ${shown}${more > 0 ? ` and ${more} more` : ""}.` : "It is complete.";
	holder.querySelector(".completion").textContent = rest;
}
