// Commands that are typed: each is a change of the sentence, or an action of the page.

// What can be typed, for the help; the first word of a row is an example.
export const COMMANDS = [
	["3 < 5 nsubj", "word 5 is the head of word 3, which is its nsubj; without a relation, the parser chooses one"],
	["5 > 3 nsubj", "the same, from the head"],
	["3 < 0", "word 3 is the root"],
	["3 nsubj", "another relation, with the same head"],
	["3 < _", "take the arc of word 3 away; the parser fills it in again"],
	["3 upos NOUN", "also form, lemma, xpos, feats, misc; _ empties a column"],
	["ok", "confirm the whole sentence; ok 3 confirms a word, ok 3-5 several"],
	["3 split do n't", "make two or more words of one"],
	["3-4 merge", "make one word of several"],
	["3-4 token don't", "words 3 and 4 are written as one multiword token"],
	["3 untoken", "take the multiword token that begins at word 3 away"],
	["3 cut", "a new sentence begins with word 3"],
	["append", "append the next sentence to this one"],
	["undo, redo, next, back, save", "what the buttons do"],
	["go 12", "go to sentence 12"],
	["find upos=NOUN", "list all matches of a pattern"],
];
const FIELDS = ["form", "lemma", "upos", "xpos", "feats", "misc"];
const ACTIONS = ["undo", "redo", "next", "back", "save", "learn", "help"];

export class CommandError extends Error {}

const numberOf = (text) => Number.parseInt(text, 10);

// Return {change} for a change of the sentence, or {action, value}.
export function readCommand(text, view) {
	const line = text.trim();
	const [first, ...rest] = line.split(/\s+/);
	if (ACTIONS.includes(line)) return { action: line };
	if (first === "go" && /^\d+$/.test(rest[0] ?? "")) return { action: "go", value: numberOf(rest[0]) };
	if (first === "find" && rest.length) return { action: "find", value: rest.join(" ") };
	if (line === "append") return { change: { kind: "merge-sentence" } };
	if (first === "ok" && rest.length <= 1) return { change: confirm(rest[0], view) };
	const arc = /^(\d+)\s*([<>])\s*(\d+|_)(?:\s+(\S+))?$/.exec(line);
	if (arc) return readArc(arc, view);
	const words = /^(\d+)(?:-(\d+))?\s+(\S+)(?:\s+(.+))?$/.exec(line);
	if (words) return readWords(words, view);
	throw new CommandError(`“${line}” is not a command. Type for example “3 < 5 nsubj”; ? lists all commands.`);
}

function readArc([, one, sign, other, deprel], view) {
	if (other === "_") {
		if (sign === ">") throw new CommandError("Only a word that has a head can lose it: type “3 < _”.");
		return { change: { kind: "clear-arc", word: check(one, view) } };
	}
	const [word, head] = sign === "<" ? [one, other] : [other, one];
	const found = { word: check(word, view), head: check(head, view, 0) };
	if (found.word === found.head) throw new CommandError(`Word ${word} cannot be its own head.`);
	return { change: { kind: "set-arc", ...found, deprel: deprel ?? (found.head === 0 ? "root" : null) } };
}

function readWords([, one, other, verb, rest], view) {
	const first = check(one, view);
	const last = other ? check(other, view) : first;
	if (last < first) throw new CommandError(`${first}-${last} begins after its end.`);
	if (FIELDS.includes(verb) && !other) {
		if (!rest) throw new CommandError(`What is the ${verb} of word ${first}? “${first} ${verb} _” empties it.`);
		return { change: { kind: "set-field", word: first, field: verb, value: rest } };
	}
	if (verb === "split" && !other && rest) return { change: { kind: "split-word", word: first, forms: rest.split(/\s+/) } };
	if (verb === "merge" && last > first) return { change: { kind: "merge-words", first, last } };
	if (verb === "token" && last > first) return { change: { kind: "set-range", first, last, form: rest ?? joined(view, first, last) } };
	if (verb === "untoken") return { change: { kind: "clear-range", first } };
	if (verb === "cut" && !other) return { change: { kind: "split-sentence", word: first } };
	if (!other && !rest && /^[\p{L}][\p{L}\d:_-]*$/u.test(verb)) {
		return { change: relate(view.words[first - 1], verb) };
	}
	throw new CommandError(`“${verb}” cannot be done with ${other ? `words ${first}-${last}` : `word ${first}`}. ? lists all commands.`);
}

// Give a word another relation; with it, its head is decided.
export function relate({ id, head }, deprel) {
	return head === null ? { kind: "set-field", word: id, field: "deprel", value: deprel } : { kind: "set-arc", word: id, head, deprel };
}

export const joined = (view, first, last) => view.words.slice(first - 1, last).map((word) => word.form).join("");

function confirm(which, view) {
	if (!which) return { kind: "confirm" };
	const range = /^(\d+)(?:-(\d+))?$/.exec(which);
	if (!range) throw new CommandError(`“ok ${which}”: which words? Type “ok”, “ok 3” or “ok 3-5”.`);
	const [first, last] = [check(range[1], view), check(range[2] ?? range[1], view)];
	return { kind: "confirm", words: Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => first + i) };
}

function check(text, view, lowest = 1) {
	const number = numberOf(text);
	if (number >= lowest && number <= view.words.length) return number;
	throw new CommandError(`There is no word ${text}; this sentence has words 1 to ${view.words.length}.`);
}
