// The parse page: shows the trees of a text.
import { differing, drawSentence, standalone, VIEWS, withoutPictures } from "./results.js";
import { announce, button, complain, copy, count, download, element, find, get, hashOf, hashValues, listen, memory, Notice, options, post, press, Work } from "./shared.js";
import { languageName, textsFor } from "./texts.js";

const LONGEST_ADDRESS = 20_000; // characters of a text in an address
const MAX_RECENT = 12;
const LONGEST_RECENT = 4000;
const AT_ONCE = 40; // sentences shown at first and per click
const MAX_BATCH = 200_000; // characters of CoNLL-U per request for drawings and matches

let models = [];
let asked = { text: "" }; // what is shown
let items = []; // sentences with their CoNLL-U, those of the other model, and matches
let conllu = "";
let view = "trees";
let nShown = AT_ONCE;
const parsing = new Work(find("busy"));
const viewing = new Work(find("busy-view"));

function values() {
	return { text: find("text").value, model: find("model").value, input: find("input").value };
}

function address({ text, ...rest } = values()) {
	const isLong = text.length > LONGEST_ADDRESS;
	return hashOf({ text: isLong ? "" : text, long: isLong ? text.length : "", ...rest, other: find("other").value, view: view === "trees" ? "" : view, find: find("pattern").value });
}

function notify(text) {
	find("notice").hidden = !text;
	find("notice").textContent = text;
}

async function parse(request = values(), { isExample = false } = {}) {
	complain(null);
	if (!request.text.trim()) {
		complain(new Notice("Please enter a text."));
		return;
	}
	viewing.drop();
	const signal = parsing.start("Parsing…");
	document.body.setAttribute("aria-busy", "true");
	let n = 0;
	const progress = (piece) => {
		n += piece.split('"words":').length - 1;
		parsing.report(`Parsing: ${count(n, "sentence")} so far.`);
	};
	try {
		const answer = await post("api/parse", { ...request, model: request.model || null, svg: false, graph: true }, { signal, progress });
		const other = await askOther(answer, { signal, progress });
		if (!parsing.end(signal)) return;
		asked = request;
		await show(answer, other, isExample);
		if (!isExample) remember(request);
	} catch (error) {
		if (!parsing.end(signal)) return; // a newer request is under way
		complain(error);
		find("result").hidden = true;
	} finally {
		if (!parsing.current) document.body.removeAttribute("aria-busy");
	}
}

// Parse the same words with another model, for comparison.
async function askOther(answer, options) {
	const model = find("other").value;
	if (!model || !answer.sentences.length) return null;
	const tokens = answer.sentences.map(({ words }) => words.map(({ form }) => form));
	return post("api/parse", { tokens, model }, options);
}

const partsOf = (text) => text.split(/\n\n/).filter((part) => part.trim()).map((part) => `${part}\n\n`);

async function show(answer, other, isExample) {
	conllu = answer.conllu;
	const parts = partsOf(conllu);
	const others = other ? partsOf(other.conllu) : [];
	items = answer.sentences.map((sentence, i) => ({
		sentence, conllu: parts[i], model: answer.model, matches: [],
		other: other?.sentences[i] ?? null, otherConllu: others[i], otherModel: other?.model,
	}));
	nShown = AT_ONCE;
	if (find("pattern").value) await search();
	if (!(await draw())) return;
	find("result").hidden = false;
	find("count").textContent = `${isExample ? "An example: " : ""}${count(items.length, "sentence")}`;
	showDifferences();
	announce(`${count(items.length, "tree")} found.`);
}

function showDifferences() {
	const compared = items.filter(({ other }) => other);
	find("difference").hidden = !compared.length;
	if (!compared.length) return;
	const nWords = compared.reduce((sum, { sentence }) => sum + sentence.words.length, 0);
	const words = compared.flatMap((item) => [...differing(item)].map((id) => [item, id]));
	const heads = words.filter(([{ sentence, other }, id]) => sentence.words[id - 1].head !== other.words[id - 1].head).length;
	find("difference").textContent = words.length
		? `${items[0].model} and ${items[0].otherModel} differ in ${words.length} of ${count(nWords, "word")}: ${count(heads, "head")}, ${count(words.length - heads, "label alone", "labels alone")}. Differences are marked by ≠ or thick dashes.`
		: `${items[0].model} and ${items[0].otherModel} agree in all ${count(nWords, "word")}.`;
}

// Group items so that the CoNLL-U of each group fits into a request.
function* batches(some, size, most = Infinity) {
	let group = [];
	let total = 0;
	for (const item of some) {
		if (group.length && (total + size(item) > MAX_BATCH || group.length === most)) {
			yield group;
			[group, total] = [[], 0];
		}
		group.push(item);
		total += size(item);
	}
	if (group.length) yield group;
}

// Fetch the drawings that are missing.
async function fetchDrawings(some, signal, progress = () => {}) {
	const width = Math.max(280, find("form").clientWidth - 34);
	const wanted = some.flatMap(({ sentence, conllu: own, other, otherConllu }) => [[sentence, own], [other, otherConllu]])
		.filter(([sentence]) => sentence && sentence.svg === undefined);
	const nWanted = wanted.length;
	let nDrawn = 0;
	for (const group of batches(wanted, ([, text]) => text.length, AT_ONCE)) {
		const isTooLong = group[0][1].length > MAX_BATCH;
		const drawn = isTooLong ? [{ svg: null, graph_svg: null }] : (await post("api/explore/drawings", { sentence: group.map(([, text]) => text).join(""), width }, { signal })).sentences;
		group.forEach(([sentence], i) => Object.assign(sentence, drawn[i]));
		nDrawn += group.length;
		progress(nDrawn, nWanted);
	}
}

async function draw() {
	for (const one of find("views").children) press(one, one.dataset.view === view);
	const isPart = find("only").checked && find("pattern").value.trim();
	const chosen = isPart ? items.filter(({ matches }) => matches.length) : items;
	const shown = chosen.slice(0, nShown);
	const signal = viewing.start("Drawing…");
	try {
		await fetchDrawings(shown, signal);
	} catch (error) {
		if (viewing.current?.signal === signal) complain(error);
	}
	if (!viewing.end(signal)) return false; // something newer is drawn
	find("sentences").replaceChildren(...shown.map((item) => drawSentence(item, view)));
	find("more").hidden = chosen.length <= nShown;
	find("more").textContent = `Show more (${chosen.length - nShown} left)`;
	return true;
}

async function search() {
	const pattern = find("pattern").value.trim();
	find("found").textContent = "";
	for (const item of items) item.matches = [];
	if (!pattern) return;
	const signal = viewing.start("Searching…");
	let [n, nSkipped] = [0, 0];
	try {
		for (const group of batches(items, (item) => item.conllu.length)) {
			n += group.length;
			if (group[0].conllu.length > MAX_BATCH) nSkipped += 1;
			else {
				const { matches } = await post("api/explore/match", { sentence: group.map((item) => item.conllu).join(""), pattern }, { signal });
				group.forEach((item, i) => { item.matches = matches[i] ?? []; });
			}
			viewing.report(`Searched ${n} of ${count(items.length, "sentence")}.`);
		}
		const found = items.filter((item) => item.matches.length);
		const nMatches = found.reduce((sum, item) => sum + item.matches.length, 0);
		find("found").textContent = `${count(nMatches, "match", "matches")} in ${count(found.length, "sentence")}${nSkipped ? `; ${count(nSkipped, "sentence")} too long to search` : ""}`;
	} catch (error) {
		if (viewing.current?.signal === signal) find("found").textContent = error.message;
	}
	viewing.end(signal);
}

async function save(kind) {
	if (kind === "conllu") return download("parsed.conllu", conllu);
	if (kind === "json") return download("parsed.json", JSON.stringify(items.map(({ sentence }) => withoutPictures(sentence)), null, 2), "application/json");
	const signal = viewing.start("Drawing…");
	try {
		await fetchDrawings(items, signal, (n, all) => viewing.report(`Drawn ${n} of ${all} trees.`));
		const pictures = items.map(({ sentence }) => sentence.svg).filter(Boolean);
		if (!pictures.length) throw new Notice("No tree is small enough for a picture.");
		download("parsed.svg", await standalone(stack(pictures)), "image/svg+xml");
	} catch (error) {
		complain(error);
	}
	return viewing.end(signal);
}

// Combine pictures into one, below each other.
function stack(pictures) {
	const sizes = pictures.map((svg) => /width="([\d.]+)" height="([\d.]+)"/.exec(svg).slice(1).map(Number));
	let y = 0;
	const placed = pictures.map((svg, i) => {
		const moved = svg.replace("<svg ", `<svg y="${y}" `);
		y += sizes[i][1];
		return moved;
	});
	const width = sizes.reduce((most, [w]) => Math.max(most, w), 0);
	return `<svg xmlns="http://www.w3.org/2000/svg" class="dodona" width="${width}" height="${y}" viewBox="0 0 ${width} ${y}">${placed.join("\n")}</svg>`;
}

// Store recent texts, in this browser only.
function remember({ text, model, input }) {
	if (text.length > LONGEST_RECENT) return;
	const others = memory.get("recent", []).filter((one) => one.text !== text);
	memory.set("recent", [{ text, model, input }, ...others].slice(0, MAX_RECENT));
	drawRecent();
}

function drawRecent() {
	const recent = memory.get("recent", []);
	find("history").hidden = !recent.length;
	find("history").querySelector("ul").replaceChildren(...recent.map((one) => element("li", {}, element("button.recent", {
		type: "button", dir: "auto", onclick: () => take(one),
	}, one.text.slice(0, 90)))));
}

function take({ text, model = find("model").value, input = "text" }) {
	find("text").value = text;
	if (isKnown(model)) find("model").value = model;
	find("input").value = input;
	drawLanguage();
	submit();
}

async function open(file) {
	const text = await file.text();
	const isTreebank = /\.conll[ux]$/.test(file.name) || /^(#.*\n)*1(-\d+)?\t([^\t\n]*\t){8}/.test(text);
	take({ text, input: isTreebank ? "conllu" : "text" });
}

const isKnown = (model) => models.some(({ name }) => name === model);
const language = () => models.find(({ name }) => name === find("model").value)?.language;

function drawLanguage() {
	const code = language();
	find("language").textContent = code ? languageName(code) : "";
	if (code) find("text").lang = code;
	else find("text").removeAttribute("lang");
	const names = Object.keys(textsFor(code));
	options(find("example"), ["", ...names], "", ["choose…", ...names]);
}

function readAddress() {
	if (location.hash === "#main") return;
	const { text, long, model, other, input, view: wanted, find: pattern } = hashValues();
	find("text").value = text ?? find("text").value;
	if (isKnown(model)) find("model").value = model;
	find("other").value = isKnown(other) ? other : "";
	find("input").value = input ?? "text";
	find("pattern").value = pattern ?? "";
	view = wanted in VIEWS ? wanted : "trees";
	drawLanguage();
	const missing = [...new Set([model, other])].filter((name) => name && !isKnown(name));
	const parts = missing.map((name) => `This server has no model ${name}; ${name === model ? `${find("model").value} is used instead` : "nothing is compared"}.`);
	if (long && !text) parts.unshift(`The text of this link (${long} characters) was too long for an address: open or paste it again.`);
	notify(parts.join(" "));
	if (text) parse();
	else if (!find("text").value) showExample();
}

// Show what the page does before a text is entered.
function showExample() {
	const [text] = Object.values(textsFor(language()));
	if (models.length) parse({ text, model: find("model").value, input: "text" }, { isExample: true });
}

function writeAddress(request) {
	const hash = address(request);
	if (hash !== location.hash) history.pushState(null, "", hash);
}

function submit() {
	notify("");
	writeAddress();
	parse();
}

function copyLink({ target }) {
	if (asked.text.length > LONGEST_ADDRESS) {
		complain(new Notice(`This text has ${asked.text.length} characters; a link holds up to ${LONGEST_ADDRESS}. Download the trees instead.`));
	} else copy(target, new URL(address(asked), location.href).href);
}

function start() {
	listen("form", "submit", (event) => {
		event.preventDefault();
		submit();
	});
	listen("text", "keydown", (event) => {
		if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit();
	});
	listen("copy-conllu", "click", ({ target }) => copy(target, conllu));
	listen("copy-link", "click", copyLink);
	listen("model", "change", drawLanguage);
	listen("example", "change", ({ target }) => {
		if (target.value) take({ text: textsFor(language())[target.value] });
	});
	listen("file", "change", async ({ target }) => {
		if (target.files.length) await open(target.files[0]);
		target.value = "";
	});
	listen("views", "click", ({ target }) => {
		if (!target.dataset.view) return;
		view = target.dataset.view;
		writeAddress(asked);
		draw();
	});
	listen("downloads", "click", ({ target }) => target.dataset.save && save(target.dataset.save));
	listen("search", "submit", async (event) => {
		event.preventDefault();
		writeAddress(asked);
		await search();
		draw();
	});
	listen("only", "change", draw);
	listen("more", "click", () => {
		nShown += AT_ONCE;
		draw();
	});
	listen("forget", "click", () => {
		memory.set("recent", []);
		drawRecent();
	});
	addEventListener("popstate", readAddress);
}

async function begin() {
	find("views").replaceChildren(...Object.entries(VIEWS).map(([name, shown]) => button(shown, null, { "data-view": name, "aria-pressed": "false" })));
	start();
	drawRecent();
	try {
		models = await get("api/models");
		const names = models.map(({ name }) => name);
		options(find("model"), names, names[0]);
		options(find("other"), ["", ...names], "", ["none", ...names]);
		find("versus").hidden = names.length < 2;
	} catch (error) {
		complain(error);
	}
	find("main").hidden = false; // before, nothing in it would work
	find("text").focus();
	readAddress();
}

begin();
