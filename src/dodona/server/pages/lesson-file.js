// Lessons from a file of one's own; the manual describes the format.
import { Notice, post } from "./shared.js";

const OPTIONS = ["source", "system", "root", "loss", "labels"];
const KEY = /^([a-z]+):[ \t]*(.*)$/;

// Read the lessons of a text; errors name the file and the line.
export function readLessons(text, name) {
	const lessons = [];
	let [lesson, step, isSentence] = [null, null, false];
	const fail = (line, why) => { throw new Notice(`${name}:${line}: ${why}`); };
	const begin = { // what each key does
		lesson: (value, line) => {
			if (!value) fail(line, "a lesson needs a title, as in “lesson: A wrong turn”");
			lesson = { id: `own-${lessons.length + 1}`, title: value, paper: "", shared: {}, labels: [], steps: [], line };
			lessons.push(lesson);
		},
		sentence: (value, line) => {
			if (lesson.shared.sentence !== undefined) fail(line, "a lesson has one sentence; start another lesson");
			[lesson.shared.sentence, lesson.sentenceLine, isSentence] = ["", line + 1, true];
			if (value) fail(line, "the sentence begins on the next line");
		},
		step: (value, line) => {
			if (!lesson.shared.sentence) fail(line, "a step comes after the sentence");
			step = { path: value.split(/\s+/).filter(Boolean).join(" "), text: "", line };
			lesson.steps.push(step);
		},
		quiz: (value, line) => {
			begin.step(value, line);
			step.quiz = true;
		},
	};
	text.replace(/\r\n?/g, "\n").split("\n").forEach((content, i) => {
		const line = i + 1;
		const [, key, value] = KEY.exec(content) ?? [];
		if (isSentence && content.trim() && !(key in begin)) {
			lesson.shared.sentence += `${content}\n`;
		} else if (key in begin || OPTIONS.includes(key)) {
			if (!lesson && key !== "lesson") fail(line, `“${key}:” comes before the first “lesson:”`);
			[step, isSentence] = [null, false];
			if (key in begin) begin[key](value.trim(), line);
			else if (lesson.steps.length) fail(line, `“${key}:” comes before the first step`);
			else if (key === "source") lesson.paper = value;
			else if (key === "labels") lesson.labels = value.split(/\s+/).filter(Boolean);
			else lesson.shared[key] = value.trim();
		} else if (step) {
			step.text += `${content}\n`;
		} else if (content.trim() && !content.startsWith("#")) {
			fail(line, `expected one of ${[...Object.keys(begin), ...OPTIONS].map((name) => `${name}:`).join(" ")}, found “${content.trim().slice(0, 40)}”`);
		} else if (lesson?.shared.sentence) isSentence = false;
	});
	if (!lessons.length) fail(1, "no “lesson:” found");
	for (const { shared, steps, line } of lessons) {
		if (!shared.sentence) fail(line, "this lesson has no sentence");
		if (!steps.length) fail(line, "this lesson has no step");
		const empty = steps.find((one) => !(one.text = one.text.trim()));
		if (empty) fail(empty.line, "this step has no text");
	}
	return lessons;
}

// Let the server check sentence, system and path of every step.
export async function checkLessons(lessons, name) {
	for (const { shared, labels, steps, line, sentenceLine } of lessons) {
		for (const step of steps) {
			try {
				await post("api/explore", { ...shared, labels, path: step.path ? step.path.split(" ") : [] });
			} catch (error) {
				const inSentence = /^sentence:(\d+): (.*)/s.exec(error.message) ?? /^sentence, line (\d+): (.*)/s.exec(error.message);
				const where = inSentence ? sentenceLine + Number(inSentence[1]) - 1 : /^action \d+:/.test(error.message) ? step.line : line;
				throw new Notice(`${name}:${where}: ${inSentence?.[2] ?? error.message}`);
			}
		}
	}
}
