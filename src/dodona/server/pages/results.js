// Views of a parsed sentence: tree, outline, table, CoNLL-U, JSON, enhanced graph.
import { withoutComments } from "./sentences.js";
import { arcName, button, copy, count, element, hashOf, picture, rove, text } from "./shared.js";

export const VIEWS = { trees: "Trees", compact: "Compact", table: "Table", conllu: "CoNLL-U", json: "JSON", graph: "Enhanced graph" };
const COLUMNS = ["id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc"];
const columnText = (value) => (value instanceof Object ? Object.entries(value).map(([name, other]) => (other ? `${name}=${other}` : name)).join("|") || "_" : String(value ?? "_"));
const MAX_DEPTH = 24; // levels of indentation in an outline

// `other` is the sentence parsed by another model, or null; `matches` are lists of word numbers.
export function drawSentence(item, view) {
	const { sentence, conllu, model, matches } = item;
	const found = new Set(matches.flat());
	const body = { trees: drawTree, compact: drawOutline, table: drawTable, conllu: (x) => plain(x.conllu), json: (x) => plain(JSON.stringify(withoutPictures(x.sentence), null, 2)), graph: drawGraph }[view];
	const tools = [button("Copy CoNLL-U", ({ target }) => copy(target, conllu))];
	if (sentence.svg) tools.push(button("Copy SVG", ({ target }) => copyPicture(target, sentence.svg)));
	tools.push(element("a.button", { href: `explore${hashOf({ sentence: withoutComments(conllu), model, parsed: model })}` }, "Open in explorer"));
	const toolbar = element("div.row.tools", { role: "toolbar", "aria-label": "This sentence" }, ...tools);
	rove(toolbar, tools);
	return element(
		`li.card.tree${matches.length ? ".has-match" : ""}`,
		{},
		element("p.sentence", { dir: "auto" }, sentence.text ?? ""),
		...[body(item, found)].flat(),
		toolbar,
	);
}

export function withoutPictures(sentence) {
	const { svg, graph_svg: _, ...rest } = sentence;
	return rest;
}

// Words with another head or label.
export function differing({ sentence, other }) {
	if (!other) return new Set();
	return new Set(sentence.words.filter((word, i) => word.head !== other.words[i].head || word.deprel !== other.words[i].deprel).map(({ id }) => id));
}

function drawTree(item, found) {
	const { sentence, other } = item;
	if (!sentence.svg) {
		if (sentence.svg === undefined) return [element("p.notice", {}, "Not drawn."), drawOutline(item, found)];
		const why = `A tree of ${count(sentence.words.length, "word")} is too wide for a picture; the outline shows each word below its head.`;
		return [element("p.notice", {}, why), drawOutline(item, found)];
	}
	const details = element("div.word-columns", { role: "region", "aria-label": "Columns of a word", "aria-live": "polite", hidden: true });
	const one = pictureOf(sentence, sentence.svg, details, found);
	if (!other?.svg) return [one, details];
	const differ = differing(item);
	const two = pictureOf(other, other.svg, details, found);
	for (const arc of [one, two].flatMap((holder) => [...holder.querySelectorAll(".arc")])) {
		if (differ.has(Number(arc.dataset.dependent))) arc.classList.add("differs");
	}
	return [element("p.hint", {}, item.model), one, element("p.hint", {}, item.otherModel), two, details];
}

function pictureOf(sentence, svg, details, found) {
	const holder = element("div.picture");
	picture(holder, svg, (word) => {
		const row = sentence.words.find(({ id }) => String(id) === word.dataset.id);
		if (row) drawWord(details, sentence, row, holder, word);
	});
	for (const word of holder.querySelectorAll(".word")) {
		if (found.has(Number(word.dataset.id))) word.classList.add("match");
	}
	return holder;
}

function drawGraph({ sentence, conllu }, found) {
	if (sentence.graph_svg) return pictureOf(sentence, sentence.graph_svg, element("div"), found);
	const why = /^\d+(\t[^\t]*){7}\t[^_\t]/m.test(conllu) ? "This graph is too large to draw." : "There is no enhanced graph: this model does not predict one.";
	return element("p.notice", {}, why);
}

// Draw words below their heads.
function drawOutline({ sentence, other }, found) {
	const differ = differing({ sentence, other });
	const children = new Map();
	for (const word of sentence.words) {
		const head = word.head ?? 0;
		if (!children.has(head)) children.set(head, []);
		children.get(head).push(word);
	}
	const list = element("ul.outline", { dir: "auto" });
	const todo = (children.get(0) ?? []).map((word) => [word, 0]).reverse();
	while (todo.length) { // no recursion: a chain may be as deep as it is long
		const [word, depth] = todo.pop();
		const note = differ.has(word.id) ? element("span.differs", {}, ` ≠ ${other.words[word.id - 1].deprel} of ${formOf(other, other.words[word.id - 1].head)}`) : null;
		const line = element(`li${found.has(word.id) ? ".match" : ""}`, {}, element("bdi.form", {}, word.form), " ", element("span.deprel", {}, word.deprel), " ", element("span.id", {}, `${word.upos} ${word.id}`), note);
		line.style.setProperty("--depth", Math.min(depth, MAX_DEPTH));
		list.append(line);
		todo.push(...(children.get(word.id) ?? []).map((child) => [child, depth + 1]).reverse());
	}
	return list;
}

function drawTable({ sentence, other }, found) {
	const differ = differing({ sentence, other });
	const names = other ? [...COLUMNS, "other"] : COLUMNS;
	const rows = sentence.words.map((word, i) => {
		const cells = COLUMNS.map((name) => element("td", { dir: "auto" }, columnText(word[name])));
		if (other) cells.push(element("td", {}, differ.has(word.id) ? `≠ ${other.words[i].head} ${other.words[i].deprel}` : ""));
		return element(`tr${found.has(word.id) ? ".match" : ""}${differ.has(word.id) ? ".differs" : ""}`, {}, ...cells);
	});
	const head = element("tr", {}, ...names.map((name) => element("th", { scope: "col" }, name)));
	return element("div.scroll", { tabIndex: 0, role: "region", "aria-label": "Columns" }, element("table.columns", {}, element("thead", {}, head), element("tbody", {}, ...rows)));
}

function plain(content) {
	return element("pre", { tabIndex: 0, dir: "ltr" }, content);
}

// Add the style sheet, which pictures need outside this page.
export async function standalone(svg) {
	const style = svg.includes("<style>") ? "" : `<style>${await text("static/picture.css")}</style>`;
	return svg.replace(/^<svg[^>]*>/, (begin) => begin + style);
}

async function copyPicture(button, svg) {
	await copy(button, await standalone(svg));
}

function formOf(sentence, id) {
	return id ? sentence.words[id - 1]?.form ?? "_" : "ROOT";
}

// Show the columns of a word, its features, its head and its children.
function drawWord(details, sentence, row, holder, word) {
	for (const other of holder.querySelectorAll(".chosen")) other.classList.remove("chosen");
	word.classList.add("chosen");
	for (const arc of holder.querySelectorAll(".arc")) {
		if ([arc.dataset.head, arc.dataset.dependent].includes(String(row.id))) arc.classList.add("chosen");
	}
	const is = (value) => !["_", ""].includes(columnText(value));
	const pairs = COLUMNS.filter((name) => is(row[name]) && !["feats", "head"].includes(name)).map((name) => [name, element("bdi", {}, columnText(row[name]))]);
	if (is(row.feats)) pairs.splice(5, 0, ...columnText(row.feats).split("|").map((feature) => feature.split("=")));
	if (is(row.head)) pairs.push(["head", arcName(formOf(sentence, row.head), row.deprel, row.form)]);
	const children = sentence.words.filter(({ head }) => head === row.id);
	const named = children.flatMap((child, i) => [i ? ", " : "", element("bdi", {}, child.form), ` (${child.deprel})`]);
	pairs.push(["children", children.length ? element("span", {}, ...named) : "none"]);
	details.hidden = false;
	details.replaceChildren(
		element("dl", {}, ...pairs.map(([name, value]) => element("div", {}, element("dt", {}, name), element("dd", {}, value)))),
	);
}
