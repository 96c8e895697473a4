// A lesson in the invented language of the demo: from raw text to a parser.
import { button, element } from "./shared.js";
import { read } from "./requests.js";

const STEPS = [
	["This is raw text in a language that nobody has a parser for. You are the first to annotate it. All you need to know: a verb ends in -it or -int (now) or in -av or -avun (in the past). It is the root of its sentence. Drag from the empty space above the words to the verb. (Or choose the verb by the arrow keys and type h 0 Enter.)", (view) => view.words.some((word) => word.head === 0 && word.arc === "set")],
	["The subject is a noun or pronoun in -a, -o or -e (several: -ar, -os, -er). Drag from the verb to its subject, and type nsubj. If there is an object, in -an, -o or -en (several: -ar, -on, -ern), drag again and type obj.", (view) => view.words.some((word) => word.deprel === "nsubj" && word.arc === "set")],
	["le… and kve… are determiners (det) of the noun that follows; other words in -e, -en, -es, -ei before a noun are adjectives (amod). an, ob, sur, vel, tro, min, ekt, dol are prepositions: each is a case of the noun after it, which is an obl of the verb or an nmod of the noun before. The full stop is a punct of the verb. Give every word a head.", (view) => view.words.every((word) => word.arc !== "open")],
	["Tags help the parser: choose a word, press t, and type NOUN, VERB, DET, ADJ, ADP, PRON, PUNCT. As the file grows, the tags that you have used come first.", (view) => view.words.every((word) => word.tags !== "open")],
	["The tree is complete. Press Confirm the sentence and go on (Ctrl Enter), and annotate the next one in the same way.", (view, overview) => overview.n_done >= 1],
	["After a few sentences the model learns by itself, in the background: open Learning below. From then on the parser fills in arcs (○, dashed). Correct what is wrong; all that you set is kept, and the rest follows. Go on until five sentences are done.", (view, overview) => overview.n_done >= 5],
	["Now choose Next is: the least certain one. The parser asks for what it does not know yet, and leaves out what it knows. After some fifty sentences it needs few corrections: the curve in Learning shows it.", (view, overview) => overview.n_done >= 10],
	["Keep this model, in Learning, writes a model file beside the text. dodona parse reads it like any other. That is all: what you did here with an invented language works with any.", () => false],
];

// Show the lesson where the workbench was started with one; a step that is done is ticked.
export async function showLesson(holder, workbench) {
	if (!(await read("settings")).lesson) return;
	let at = 0;
	const text = element("p", { role: "status" });
	const title = element("h2");
	const [back, next] = [button("Back", () => turn(-1)), button("Next step", () => turn(1))];
	const draw = () => {
		const isDone = STEPS[at][1](workbench.view, workbench.overview);
		title.textContent = `From nothing to a parser: step ${at + 1} of ${STEPS.length}${isDone ? " ✓" : ""}`;
		if (text.textContent !== STEPS[at][0]) text.textContent = STEPS[at][0];
		next.classList.toggle("primary", isDone);
		back.disabled = at === 0;
		next.disabled = at === STEPS.length - 1;
	};
	const turn = (by) => { at += by; draw(); };
	holder.append(title, text, element("div.row", {}, back, next));
	holder.hidden = false;
	draw();
	setInterval(draw, 500);
}
