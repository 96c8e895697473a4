// Terms explained in place: pressing one opens its definition.
import { element } from "./shared.js";

const TERMS = {
	cost: "How much an action raises the smallest reachable loss: the number of gold arcs that become unreachable. 0 means that nothing is lost. (Goldberg & Nivre 2012)",
	loss: "The number of gold arcs missing from a finished parse. “Labelled”: labels must match, too; “unlabelled”: labels do not count; “graded”: a missing arc counts 2, a wrong label 1. For graphs, superfluous arcs count as well.",
	optimal: "No other action has a lower cost or, at equal cost, needs fewer repairs. Optimal actions lead to the best reachable tree.",
	stack: "Words that have been read and may still get arcs. Only the top, with the thick border, and in some systems the word below it can be attached.",
	buffer: "Words that have not been read yet, in sentence order. The front has the thick border.",
	repair: "An action that undoes an earlier one: UNSHIFT returns a word to the buffer, or a new head replaces an old one. It costs extra actions, but no arcs. (Honnibal & Johnson 2015)",
	beam: "A search that keeps the hypotheses with the best scores and prunes the others after each step. Once the last correct hypothesis is pruned, the search cannot find the gold tree any more. (Aufrant, Wisniewski & Yvon 2017)",
	score: "The model's score of an action; higher is better. It does not depend on the gold tree.",
	gold: "The reference tree, from which costs are computed. On a link from the parse page it is the tree that a model predicted.",
	estimate: "Arcs of the reference tree cross and the system counts them one by one, or an exact search would take too long. Numbers marked ≈ may be too high or too low, and there may be a better tree than the one shown.",
	wasteful: "The action loses no arc, but makes the derivation longer: in the system swap, by words that have to be swapped back, one pair at a time.",
};

let nTerms = 0;

// Turn the marked terms in a part of the page into buttons.
export function explainWords(part) {
	for (const holder of part.querySelectorAll("[data-term]")) {
		holder.replaceWith(term(holder.dataset.term, holder.textContent));
	}
}

export function term(word, shown = word) {
	nTerms += 1;
	const note = element("div.note", { id: `note-${nTerms}`, popover: "auto" }, element("b", {}, word), ` ${TERMS[word]}`);
	const button = element("button.term", { type: "button", "aria-controls": note.id }, shown);
	button.popoverTargetElement = note;
	note.addEventListener("beforetoggle", ({ newState }) => {
		if (newState !== "open") return;
		const box = button.getBoundingClientRect();
		note.style.left = `${Math.max(8, Math.min(box.left, innerWidth - 340))}px`;
		note.style.top = `${Math.min(box.bottom + 6, Math.max(8, innerHeight - 180))}px`;
	});
	const holder = element("span", {}, button, note);
	return holder;
}
