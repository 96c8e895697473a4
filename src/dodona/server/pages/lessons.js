// Seven lessons: the state and the text of each step.
import { EXAMPLES } from "./sentences.js";

const [LETTER, , PRIEST] = Object.values(EXAMPLES);
const ORACLES = [
	"1\tOracles\t_\tNOUN\t_\t_\t4\tnsubj\t4:nsubj\t_",
	"2\tand\t_\tCCONJ\t_\t_\t3\tcc\t3:cc\t_",
	"3\toaks\t_\tNOUN\t_\t_\t1\tconj\t1:conj|4:nsubj\t_",
	"4\tspeak\t_\tVERB\t_\t_\t0\troot\t0:root\t_",
].join("\n");
const COMPLEX = ["The DET 2 det", "complex NOUN 3 nsubj", "houses VERB 0 root", "pilgrims NOUN 3 obj", ". PUNCT 3 punct"].join("\n");

const BEGUN = "SHIFT LEFT-ARC:SBJ RIGHT-ARC:PRD";
const STATIC = `${BEGUN} SHIFT SHIFT LEFT-ARC:DET SHIFT SHIFT`;
const DYNAMIC = `${BEGUN} SHIFT SHIFT LEFT-ARC:DET LEFT-ARC:DET RIGHT-ARC:DOBJ REDUCE RIGHT-ARC:P`;
const READ = "SHIFT LEFT-ARC:SBJ SHIFT";
const REPAIRED = `${READ} SHIFT UNSHIFT RIGHT-ARC:IOBJ`;
const UNSWAPPED = "SHIFT SHIFT LEFT-ARC:det SHIFT SHIFT RIGHT-ARC:advmod SHIFT SHIFT LEFT-ARC:nsubj SHIFT SHIFT LEFT-ARC:case RIGHT-ARC:obl";
const FIRST_HEAD = "SHIFT SHIFT LEFT-ARC:cc REDUCE RIGHT-ARC:conj";
const SECOND_HEAD = `${FIRST_HEAD} SHIFT LEFT-ARC:nsubj`;

const STANDARD = "SHIFT SHIFT LEFT-ARC:SBJ";
const HYBRID = "SHIFT LEFT-ARC:SBJ SHIFT SHIFT";

// A search of `en-linear` with beam width 3: score, parent, action, whether it is correct, new arc.
const SEARCH = [
	[[0, 0, null, 1, null]],
	[[1834, 0, "SHIFT", 1, null]],
	[[3430, 0, "SHIFT", 1, null], [3225, 0, "LEFT-ARC:det", 1, [2, 1]], [2265, 0, "LEFT-ARC:nsubj", 0, [2, 1]]],
	[[4802, 1, "SHIFT", 1, null], [4593, 0, "SHIFT", 1, null], [4469, 0, "LEFT-ARC:compound", 0, [3, 2]]],
	[[6371, 0, "SHIFT", 1, null], [5708, 2, "LEFT-ARC:det", 0, [3, 1]], [5675, 2, "SHIFT", 0, null]],
	[[7239, 0, "LEFT-ARC:compound", 0, [4, 3]], [6917, 1, "SHIFT", 0, null], [6913, 0, "LEFT-ARC:nmod:unmarked", 0, [4, 3]]],
];
const BEAM = {
	beam: 3, fell_at: 5, fell_by: 326, forms: ["The", "complex", "houses", "pilgrims", "."],
	steps: SEARCH.map((step) => step.map(([score, parent, action, correct, joined]) => ({
		score, parent, action, is_correct: Boolean(correct), is_final: false, joined: joined && [joined[0], null, joined[1]],
	}))),
};

export const LESSONS = [
	{
		id: "figure-3",
		title: "A wrong turn",
		paper: "Goldberg & Nivre (2012), Figure 3",
		shared: { sentence: LETTER, system: "arc-eager", root: "first" },
		steps: [
			{ path: "", text: "The dashed arcs are the gold tree. A parser builds it by actions, and each action has a cost: the number of gold arcs that become unreachable. Actions marked ✓ are optimal. Point at the others to see what they would lose." },
			{ path: BEGUN, text: "Three optimal actions later, “wrote” is on top of the stack and “her” at the front of the buffer. RIGHT-ARC:IOBJ would join the two." },
			{ path: `${BEGUN} SHIFT`, text: "Here the parser makes an error and takes SHIFT. It costs 1: “her” now lies above “wrote” on the stack, and in this system a word gets its head from the left only at the moment when it is pushed. The arc wrote → her is lost." },
			{ path: STATIC, text: "The next actions matter as much. A static oracle knows one derivation, for a parser without errors. Followed from here, it waits for the lost arc and pushes word after word on top of “her”; two more arcs are lost, and the loss is 3." },
			{ path: DYNAMIC, text: "A dynamic oracle knows the cost of each action in every state. It makes “letter” the head of “her”, which is wrong but keeps the other arcs: the loss stays 1. Both paths are shown below; press any state to return to it." },
		],
	},
	{
		id: "repair",
		title: "A repair",
		paper: "Honnibal & Johnson (2015)",
		shared: { sentence: LETTER, system: "nonmonotonic" },
		steps: [
			{ path: READ, text: "The same state in a system that can undo actions. SHIFT, the error of the first lesson, costs 0 here, but is marked ↺: it is not optimal, since it needs a repair later." },
			{ path: `${READ} SHIFT`, text: "“her” was shifted without its head. Nothing is lost: the smallest reachable loss is still 0, and the best path contains an UNSHIFT." },
			{ path: `${READ} SHIFT UNSHIFT`, text: "UNSHIFT moves “her” back to the front of the buffer. (A flag for each word prevents endless SHIFT and UNSHIFT.)" },
			{ path: REPAIRED, text: "Now RIGHT-ARC:IOBJ builds the missing arc. The detour took two actions and lost no arc." },
			{ path: `${REPAIRED} SHIFT LEFT-ARC:DET REDUCE RIGHT-ARC:DOBJ REDUCE RIGHT-ARC:P REDUCE`, text: "At the end every gold arc is built: the loss is 0 in spite of the error." },
		],
	},
	{
		id: "swap",
		title: "A swap",
		paper: "Nivre (2009)",
		shared: { sentence: PRIEST, system: "swap" },
		steps: [
			{ system: "arc-eager", path: "", text: "“A priest arrived yesterday who listened to oaks”: the arc priest → listened crosses the one to “arrived” from the root. A projective system such as arc-eager can never build both: the arc is unreachable before the first action, whatever the parser does." },
			{ path: "", text: "The system swap builds every tree. Its arcs join the two topmost words of the stack, and SWAP changes the order of words." },
			{ path: UNSWAPPED, text: "“arrived” stands between “priest” and “listened” on the stack, so the two cannot be joined." },
			{ path: `${UNSWAPPED} SWAP`, text: "SWAP moves “arrived” back to the buffer. Now “priest” and “listened” are neighbours. SHIFT loses nothing here, but is marked ↷: it puts “arrived” on top of “listened”, and other swaps, six more actions, must bring them apart." },
			{ path: `${UNSWAPPED} SWAP RIGHT-ARC:acl:relcl`, text: "RIGHT-ARC:acl:relcl joins them: the crossing arc is built." },
			{ path: `${UNSWAPPED} SWAP RIGHT-ARC:acl:relcl SHIFT LEFT-ARC:nsubj SHIFT RIGHT-ARC:punct RIGHT-ARC:root`, text: "“arrived” is shifted again and gets its remaining arcs. One swap was enough: two actions more than for a projective tree." },
		],
	},
	{
		id: "arc-standard",
		title: "Arc-standard",
		paper: "Nivre (2004)",
		shared: { sentence: LETTER, system: "arc-standard" },
		steps: [
			{ path: "SHIFT SHIFT", text: "In arc-standard, arcs join the two topmost words of the stack: “He” and “wrote” had to be shifted first. LEFT-ARC:SBJ makes “wrote” the head of “He” and removes “He”." },
			{ path: STANDARD, text: "The dependent of an arc leaves the stack, and with it the chance to get dependents of its own. RIGHT-ARC:PRD would attach “wrote” to the root now. It builds a gold arc and still costs 3: point at it." },
			{ path: `${STANDARD} RIGHT-ARC:PRD`, text: "Here the parser did it: “wrote” is gone before its objects and the full stop were read, and three arcs are lost. The RIGHT-ARC of arc-eager would keep “wrote” on the stack." },
			{ path: `${STANDARD} SHIFT`, text: "Without that error: “her” is complete and is attached at once. SHIFT would cost 1, since “letter”, too, must become the neighbour of “wrote”." },
			{ path: `${STANDARD} SHIFT RIGHT-ARC:IOBJ SHIFT SHIFT LEFT-ARC:DET RIGHT-ARC:DOBJ SHIFT RIGHT-ARC:P RIGHT-ARC:PRD`, text: "Trees grow from the bottom: the arc from the root comes last. Each word takes two actions." },
		],
	},
	{
		id: "arc-hybrid",
		title: "Arc-hybrid",
		paper: "Kuhlmann, Gómez-Rodríguez & Satta (2011)",
		shared: { sentence: LETTER, system: "arc-hybrid", root: "first" },
		steps: [
			{ path: "SHIFT", text: "Arc-hybrid takes LEFT-ARC from arc-eager: the front of the buffer, “wrote”, becomes the head of the top of the stack, “He”. Since “He” can meet that front only now, SHIFT loses its arc and that of “wrote”: it costs 2." },
			{ path: HYBRID, text: "RIGHT-ARC is that of arc-standard: it joins the two topmost words of the stack, “wrote” and “her”." },
			{ path: `${HYBRID} SHIFT`, text: "Here SHIFT came first. It cost nothing, unlike in arc-standard: “a” will be attached to the front of the buffer and leave the stack, and “her” will be on top again." },
			{ path: `${HYBRID} SHIFT LEFT-ARC:DET`, text: "Now RIGHT-ARC:IOBJ is due: “letter” must be shifted next to “wrote”." },
			{ path: `${HYBRID} SHIFT LEFT-ARC:DET RIGHT-ARC:IOBJ SHIFT RIGHT-ARC:DOBJ SHIFT RIGHT-ARC:P RIGHT-ARC:PRD`, text: "The end: all arcs are built, again by two actions for each word." },
		],
	},
	{
		id: "graph",
		title: "A graph",
		paper: "Tokgöz & Eryiğit (2015)",
		shared: { sentence: ORACLES, system: "graph-eager" },
		steps: [
			{ path: "", text: "In “Oracles and oaks speak” oaks speak, too: in a graph a word may have several heads. Here “oaks” has two, “Oracles” (conj) and “speak” (nsubj)." },
			{ path: FIRST_HEAD, text: "LEFT-ARC and RIGHT-ARC leave both words in place, so that each can get more arcs. “oaks” has its first head now. REDUCE would remove “Oracles” and cost 1: point at it." },
			{ path: SECOND_HEAD, text: "“oaks” was shifted and has its second head, “speak”. Now SHIFT costs 2: it makes two gold arcs unreachable." },
			{ path: `${SECOND_HEAD} REDUCE LEFT-ARC:nsubj REDUCE RIGHT-ARC:root SHIFT`, text: "The end: five arcs over four words. In graphs, superfluous arcs cost, too." },
		],
	},
	{
		id: "beam",
		title: "A beam",
		paper: "Aufrant, Wisniewski & Yvon (2017)",
		shared: { sentence: COMPLEX, system: "nonmonotonic" },
		labels: [...new Set(SEARCH.flat().map(([, , action]) => action?.split(":").slice(1).join(":")).filter(Boolean))],
		steps: [
			{ path: "", beam: BEAM, text: "“The complex houses pilgrims” is hard to read. Below is a search of the linear English model (en-linear) with a beam of width 3: after each step only the three best hypotheses are kept. Lines lead from parents to children; hypotheses marked ✓ are still correct." },
			{ path: "SHIFT LEFT-ARC:det SHIFT SHIFT", beam: BEAM, text: "After step 4 one correct hypothesis is left, at rank 1. “houses” is on the stack and can still become the verb." },
			{ path: "SHIFT LEFT-ARC:det SHIFT SHIFT LEFT-ARC:compound", beam: BEAM, text: "At step 5 the model scores the compound “houses pilgrims” higher. The correct continuation misses rank 3 by 326 and is pruned: from here on the search cannot find the gold tree, whatever the later scores are. Training that updates the weights at this step is called early update; with a dynamic oracle, training may also continue from the best remaining hypothesis." },
		],
	},
];
