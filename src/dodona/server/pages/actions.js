// Buttons for all valid actions, with cost, optimality and score; screen readers get the same text.
import { element } from "./shared.js";

const MAX_LABELS = 8; // of a move that are shown; the rest is collapsed

const HIDDEN = { cost: null, optimal: null, n_wasted: null, score: null };

export function drawActions(holder, view, take, isGuess) {
	const best = isGuess ? null : favourite(view.choices);
	const moves = new Map();
	for (const choice of view.choices) {
		if (!moves.has(choice.move)) moves.set(choice.move, []);
		moves.get(choice.move).push(isGuess ? { ...choice, ...HIDDEN } : choice);
	}
	if (isGuess) for (const choices of moves.values()) choices.sort((a, b) => (a.label ?? "").localeCompare(b.label ?? ""));
	holder.replaceChildren(
		...[...moves].map(([move, choices]) => drawMove(move, choices, best?.action, take, isGuess)),
	);
	if (!moves.size) holder.append(element("p.final", {}, "This state is final: there are no actions."));
}

// Return the action that the model would take.
function favourite(choices) {
	const scored = choices.filter((choice) => choice.score !== null && !choice.forbidden);
	return scored.reduce((best, choice) => (best && best.score >= choice.score ? best : choice), null);
}

function drawMove(move, choices, best, take, isGuess) {
	const buttons = choices.map((choice) => drawChoice(choice, choice.action === best, take));
	if (choices.length === 1 && choices[0].label === null) {
		return element("div.move.single", { role: "group", "aria-label": move }, ...buttons);
	}
	const group = element("div.move", { role: "group", "aria-label": move }, element("h3", {}, move));
	// the model's choice is always shown, and so is every action whose position would reveal its cost
	const shown = choices.map((choice, i) => isGuess || i < MAX_LABELS || choice.action === best);
	group.append(...buttons.filter((_, i) => shown[i]));
	const folded = buttons.filter((_, i) => !shown[i]);
	if (folded.length) {
		group.append(element("details", {}, element("summary", {}, `${folded.length} more`), ...folded));
	}
	return group;
}

const unseen = (text) => element("span.visually-hidden", {}, text);

function drawChoice(choice, isFavourite, take) {
	const { action, label, move, cost, optimal, score, forbidden, n_wasted: nWasted, is_estimate: isEstimate } = choice;
	const parts = [label === null ? null : unseen(`${move} `), element("bdi.name", {}, label ?? move)];
	if (optimal) parts.push(mark("✓", "optimal"));
	else if (nWasted) parts.push(mark(`↷+${nWasted}`, `wasteful: ${nWasted} actions more than needed`));
	else if (cost === 0) parts.push(mark("↺", "needs a repair"));
	if (isFavourite) parts.push(mark("◆", "the model's choice", "favourite"));
	if (score !== null) parts.push(unseen("score "), element("span.score", { title: "score" }, String(score)));
	if (cost !== null) {
		const name = isEstimate ? "estimated cost" : "cost";
		parts.push(unseen(`${name} `), element(`span.cost${cost ? "" : ".zero"}`, { title: name }, `${isEstimate ? "≈" : ""}${cost}`));
	}
	if (forbidden) parts.push(unseen(`forbidden: ${forbidden}`));
	return element(
		`button.action${optimal ? ".optimal" : ""}${forbidden ? ".forbidden" : ""}`,
		{ type: "button", title: forbidden ?? "", "data-action": action, onclick: () => take(action) },
		...parts,
	);
}

function mark(sign, meaning, kind = "mark") {
	return element(`span.${kind}`, { title: meaning }, element("span", { "aria-hidden": "true" }, sign), unseen(meaning));
}

// Return the visible buttons in order.
export function visibleActions(holder) {
	return [...holder.querySelectorAll("button.action")].filter(
		(button) => !button.closest("details:not([open])"),
	);
}
