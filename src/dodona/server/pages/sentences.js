// Sentences as text: reading files, and examples.

export const EXAMPLES = {
	"Goldberg & Nivre (2012), figure 1": [
		"He PRP 2 SBJ", "wrote VBD 0 PRD", "her PRP 2 IOBJ", "a DT 5 DET", "letter NN 2 DOBJ", ". . 2 P",
	].join("\n"),
	"A garden path": [
		"The DET 2 det", "old ADJ 3 nsubj", "man VERB 0 root", "the DET 5 det", "boats NOUN 3 obj",
		". PUNCT 3 punct",
	].join("\n"),
	"Crossing arcs": [
		"A DET 2 det", "priest NOUN 3 nsubj", "arrived VERB 0 root", "yesterday ADV 3 advmod",
		"who PRON 6 nsubj", "listened VERB 2 acl:relcl", "to ADP 8 case", "oaks NOUN 6 obl",
		". PUNCT 3 punct",
	].join("\n"),
};

const COMMENT = /^#/;

// Split a file into sentences: at empty lines or, if there are no columns, at every line.
export function split(text) {
	const parts = text.replace(/\r\n?/g, "\n").split(/\n[ \t]*\n/)
		.map((part) => part.replace(/^\n+|\n+$/g, "")).filter((part) => part.trim());
	if (parts.length > 1 || hasColumns(text)) return parts;
	return text.split("\n").filter((line) => line.trim() && !COMMENT.test(line));
}

function rows(text) {
	return text.split("\n").filter((line) => line.trim() && !COMMENT.test(line));
}

function hasColumns(text) {
	return rows(text).some((line) => line.includes("\t") || /^\S+(\s+\S+)?\s+(\d+|_)\s+\S+$/.test(line.trim()));
}

// Return a title for a sentence in a list.
export function title(text) {
	const named = /^# text = (.*)$/m.exec(text);
	if (named) return named[1];
	if (!hasColumns(text)) return text.trim();
	const words = rows(text).filter((line) => !/^\d+[-.]\d/.test(line));
	return words.map((line) => (line.includes("\t") ? line.split("\t")[1] : line.trim().split(/\s/)[0])).join(" ");
}

// Remove comments, which would only make addresses longer.
export function withoutComments(text) {
	return text.split("\n").filter((line) => !COMMENT.test(line)).join("\n").trim();
}
