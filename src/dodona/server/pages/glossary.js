// Words explained where they stand: a press on one opens what it means.
import { element } from "./shared.js";

const WORDS = {
  cost: "By how much an action raises the smallest loss that is still in reach: the gold arcs that it puts out of reach for good. 0 means that nothing is lost. (Goldberg & Nivre 2012)",
  loss: "The gold arcs that a finished parse lacks. “Labelled”: the label must be right, too; “unlabelled”: labels do not count; “graded”: an arc counts 2, a wrong label alone 1. For graphs, arcs too many count as well.",
  optimal: "No other action costs less or, where costs are equal, leaves fewer repairs to make. Following optimal actions from here leads to the best tree still in reach.",
  stack: "Words that have been read and still wait for something. Only its top, with the thick border, and sometimes the word below can be joined.",
  buffer: "Words that have not been read yet, in the order of the sentence. Its front has the thick border.",
  repair: "An action that takes back an earlier one: UNSHIFT returns a word to the buffer, or a new head takes the place of an old one. It costs nothing but a detour. (Honnibal & Johnson 2015)",
  beam: "A search that keeps several hypotheses side by side, the best by their score, and drops the others after each step. If all that are dropped include the last correct one, the search cannot find the gold tree any more. (Aufrant, Wisniewski & Yvon 2017)",
  score: "The model's number for an action: higher is better. It knows nothing of the gold tree.",
  gold: "The tree that is taken to be right, by which costs are counted.",
};

let nTerms = 0;

// Make the words that are marked in a part of the page ones that can be pressed.
export function explainWords(part) {
  for (const holder of part.querySelectorAll("[data-term]")) {
    holder.replaceWith(term(holder.dataset.term, holder.textContent));
  }
}

export function term(word, shown = word) {
  nTerms += 1;
  const note = element("div.note", { id: `note-${nTerms}`, popover: "auto" }, element("b", {}, word), ` ${WORDS[word]}`);
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
