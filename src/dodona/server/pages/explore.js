// The explorer's page. The address holds its whole state: sentence, systems, models, paths, lesson.
import { Editor } from "./editor.js";
import { Lesson } from "./lesson.js";
import { Panel } from "./panel.js";
import { Quiz } from "./quiz.js";
import { EXAMPLES, split, title, withoutComments } from "./sentences.js";
import { announce, complain, copy, download, find, get, hashOf, hashValues, listen, memory, Notice, options, post, press } from "./shared.js";
import { PathTree } from "./tree.js";

const page = {
	sentence: "", models: [], systems: [],
	changed: ({ isNew = true } = {}) => writeAddress(isNew),
	shown: (panel) => shown(panel),
	labels: () => lesson.labels(), // in addition to those of the gold tree
	parsed: null, // the model that predicted the reference tree, if that is not gold
	kind: () => (page.parsed ? "reference" : "gold"),
};
const panels = [];
let opened = []; // the sentences of the open file or text, without comments
let lesson = null;
let editor = null;
let quiz = null;

const KEYS = ["model", "system", "root", "loss", "oracle", "constraints", "path", "ways"];
const isEmbedded = new URLSearchParams(location.search).get("embed") === "1";

function readAddress() {
	let values;
	quiz.hide();
	try {
		values = lesson.open(hashValues());
	} catch (error) { // lessons in the address
		complain(error);
		return;
	}
	setParsed(values.parsed ?? null);
	page.sentence = values.sentence ?? Object.values(EXAMPLES)[0];
	const asked = ["", ...("system2" in values || "model2" in values ? ["2"] : [])].map((suffix) => {
		const own = Object.fromEntries(KEYS.map((key) => [key, values[key + suffix]]));
		return { ...own, path: own.path ? own.path.split(" ") : [] };
	});
	const missing = asked.map(({ model }) => model).find((name) => name && !page.models.some((model) => model.name === name));
	complain(missing ? new Notice(`This server has no model ${missing}, so there are no scores.`) : null);
	showPanels(asked);
	asked.forEach(({ ways, path }, i) => restore(panels[i], PathTree.decode(ways, path)));
	drawInput();
}

// Restore the other paths of an address; their costs are requested after the state is shown.
async function restore(panel, paths) {
	if (!paths.length) return;
	await panel.showing;
	for (const path of paths) {
		try {
			panel.ways.add((await panel.fetch(path)).history);
		} catch {
			return;
		}
	}
	if (!panel.view) return;
	panel.ways.add(panel.view.history);
	panel.ways.draw(panel.find(".ways"), panel.values.path);
}

// Say that the reference tree is the one that a model predicted.
function setParsed(model) {
	page.parsed = model;
	find("reference").hidden = !model;
	find("reference").firstElementChild.textContent = model ? `The reference tree was predicted by ${model}; it is not a gold tree. Costs count its arcs. ` : "";
}

function showPanels(asked) {
	const isOther = page.last !== page.sentence;
	page.last = page.sentence;
	while (panels.length > asked.length) panels.pop().element.remove();
	asked.forEach((values, i) => {
		if (i < panels.length) {
			const before = JSON.stringify({ ...panels[i].values, path: null });
			panels[i].set(values, values.system ? "system" : "model");
			if (isOther || before !== JSON.stringify({ ...panels[i].values, path: null })) panels[i].forget();
		} else {
			panels.push(new Panel(page, {}));
			panels.at(-1).set(values, values.system ? "system" : "model");
			find("panels").append(panels.at(-1).element);
		}
	});
	const isPair = panels.length > 1;
	find("panels").classList.toggle("pair", isPair);
	find("together").hidden = !isPair;
	press(find("compare"), isPair);
	lesson.prepare(panels[0]);
	panels.forEach((panel) => panel.show());
}

function address() {
	const values = { sentence: page.sentence };
	panels.forEach((panel, i) => {
		const suffix = i ? "2" : "";
		for (const key of KEYS) values[key + suffix] = panel.values[key];
		values[`path${suffix}`] = panel.values.path.join(" ");
		values[`ways${suffix}`] = panel.ways.encode(panel.values.path);
	});
	return hashOf({ ...lesson.values(), parsed: page.parsed, ...values });
}

function writeAddress(isNew) {
	if (address() === location.hash) return;
	history[isNew ? "pushState" : "replaceState"](null, "", `${location.search}${address()}`);
}

// Called when a panel has drawn a state.
function shown(panel) {
	writeAddress(false); // with the path to the state
	lesson.shown(panel);
	quiz.shown(panel);
	markDifference();
}

// Mark the first action or cost in which two derivations differ.
function markDifference() {
	const box = find("difference");
	const [one, other] = panels.map(({ view }) => view?.history ?? []);
	for (const chip of document.querySelectorAll(".chip.differs")) chip.classList.remove("differs");
	const at = other ? one.findIndex((choice, i) => i < other.length && (choice.action !== other[i].action || choice.cost !== other[i].cost)) : -1;
	box.hidden = at < 0;
	if (at < 0) return;
	const describe = ({ action, cost }) => (cost === null ? action : `${action}, cost ${cost}`);
	box.textContent = `First difference: action ${at + 1}, ≠ ${describe(one[at])} in the first panel, ${describe(other[at])} in the second.`;
	for (const panel of panels) {
		panel.find(`.chip.on[data-step="${at + 1}"]`)?.classList.add("differs");
	}
}

function drawInput() {
	find("sentence").value = page.sentence;
	find("summary").textContent = title(page.sentence);
	const at = opened[find("number").value] === page.sentence ? find("number").value : opened.indexOf(page.sentence);
	find("picker").hidden = opened.length < 2 || at < 0;
	find("number").value = String(at);
	if (!find("editor").hidden) editor.open(page.sentence);
}

// Start with another sentence.
function use(sentence) {
	page.sentence = sentence;
	quiz.hide();
	setParsed(null);
	lesson.close();
	showPanels(panels.map(({ values }) => ({ ...values, path: [] })));
	writeAddress(true);
	drawInput();
}

function open(text) {
	const sentences = split(text);
	if (!sentences.length) {
		complain(new Notice("No sentence found."));
		return;
	}
	complain(null);
	opened = sentences.map(withoutComments);
	const names = sentences.map((sentence, i) => `${i + 1}. ${title(sentence).slice(0, 60)}`);
	options(find("number"), opened.map((_, i) => String(i)), "0", names);
	use(opened[0]);
}

function start() {
	listen("form", "submit", (event) => {
		event.preventDefault();
		open(find("sentence").value);
	});
	listen("file", "change", async ({ target }) => {
		if (target.files.length) open(await target.files[0].text());
		target.value = "";
	});
	listen("example", "change", ({ target }) => {
		if (target.value) open(EXAMPLES[target.value]);
		target.value = "";
	});
	listen("number", "change", ({ target }) => use(opened[target.value]));
	listen("edit", "click", ({ currentTarget }) => {
		find("editor").hidden = !find("editor").hidden;
		currentTarget.setAttribute("aria-expanded", String(!find("editor").hidden));
		if (!find("editor").hidden) editor.open(find("sentence").value);
	});
	listen("save-conllu", "click", saveConllu);
	listen("compare", "click", compare);
	listen("link", "click", ({ target }) => copyAddress(target, location.href));
	listen("embed", "click", ({ target }) => copyAddress(target, embedCode()));
	listen("lesson-file", "change", async ({ target }) => {
		const [file] = target.files;
		if (file) await loadLessons(file.name, await file.text());
		target.value = "";
	});
	listen("lessons-forget", "click", () => {
		lesson.forget();
		writeAddress(true);
	});
	listen("unparsed", "click", () => open(title(page.sentence)));
	listen("keys", "click", ({ target }) => {
		find("help").hidden = !find("help").hidden;
		target.setAttribute("aria-expanded", String(!find("help").hidden));
	});
	find("shortcuts").checked = memory.get("shortcuts", true);
	listen("shortcuts", "change", ({ target }) => memory.set("shortcuts", target.checked));
	listen("together", "click", ({ target }) => {
		const does = { undo: (panel) => panel.undo(), step: (panel) => panel.player.step() }[target.dataset.both];
		if (does) panels.forEach(does);
	});
	addEventListener("popstate", () => (location.hash === "#main" ? writeAddress(false) : readAddress()));
	addEventListener("keydown", pressKey);
	new ResizeObserver(() => { // stack and buffer stick below the lesson
		document.body.style.setProperty("--above", `${find("lesson").offsetHeight}px`);
	}).observe(find("lesson"));
	let width = innerWidth;
	addEventListener("resize", () => {
		if (innerWidth === width) return; // the address bar of a phone appeared or disappeared
		width = innerWidth;
		clearTimeout(page.resizing);
		page.resizing = setTimeout(() => panels.forEach((panel) => panel.show()), 200);
	});
}

async function saveConllu() {
	try {
		download("sentence.conllu", (await post("api/explore/tree", { sentence: page.sentence })).conllu);
		announce("Saved.");
	} catch (error) {
		complain(error);
	}
}

async function loadLessons(name, text) {
	try {
		await lesson.load(name, text);
		complain(null);
		announce("The lessons were checked.");
		history.pushState(null, "", lesson.addressOf("own-1", 1));
		readAddress();
	} catch (error) {
		complain(error);
	}
}

function copyAddress(button, text) {
	if (lesson.fitsLink) return copy(button, text);
	return complain(new Notice("This file of lessons is too long for a link; give students the file."));
}

function embedCode() {
	const source = new URL(location.href);
	source.search = "?embed=1";
	const quoted = source.href.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
	return `<iframe src="${quoted}" title="Dodona: ${title(page.sentence).replace(/[<>&"]/g, "")}" width="100%" height="720"></iframe>`;
}

// Open a second panel with another model if there is one, else with another system.
function compare() {
	const [{ values }] = panels;
	const model = page.models.find(({ name }) => values.model && name !== values.model)?.name;
	const system = values.system === "nonmonotonic" ? "arc-eager" : "nonmonotonic";
	const other = model ? { model, path: [] } : { system, path: [] };
	showPanels(panels.length > 1 ? [values] : [values, other]);
	writeAddress(true);
}

function pressKey(event) {
	const { target } = event;
	if (!find("shortcuts").checked || event.ctrlKey || event.metaKey || event.altKey) return;
	if (target.matches("input, textarea, select") || target.closest("#editor")) return;
	const scrolls = target.closest(".scroll, .picture, .side ol");
	if (scrolls && event.key.startsWith("Arrow") && (target.scrollWidth > target.clientWidth || target.scrollHeight > target.clientHeight)) return;
	const panel = panels.find(({ element }) => element.contains(target)) ?? panels[0];
	const does = {
		ArrowLeft: () => panel.undo(),
		ArrowRight: () => panel.redo(),
		ArrowUp: () => panel.moveFocus(-1),
		ArrowDown: () => panel.moveFocus(1),
		Home: () => panel.go([]),
		p: () => panel.player.toggle(),
		P: () => panel.player.toggle(),
	}[event.key];
	if (!does) return;
	event.preventDefault();
	does();
}

async function begin() {
	document.body.classList.toggle("embed", isEmbedded);
	options(find("example"), ["", ...Object.keys(EXAMPLES)], "", ["choose…", ...Object.keys(EXAMPLES)]);
	try {
		[page.systems, page.models] = await Promise.all([get("api/systems"), get("api/models")]);
	} catch (error) {
		complain(error);
		return;
	} finally {
		find("main").hidden = false; // before, nothing in it would work
	}
	lesson = new Lesson({ panel: () => panels[0], read: readAddress });
	quiz = new Quiz({ box: find("quiz"), panel: () => panels[0], buttons: [find("quiz-start"), find("lesson-quiz")] });
	page.tried = (panel, action) => {
		if (!panel.isGuess) return false;
		if (!quiz.isOn) return lesson.tried(panel, action);
		quiz.tried(panel, action);
		return true;
	};
	editor = new Editor(find("editor"), (sentence) => open(sentence));
	start();
	readAddress();
	writeAddress(false);
	if (isEmbedded) {
		const link = find("outside").querySelector("a");
		find("outside").hidden = false;
		const aim = () => { link.href = `explore${location.hash}`; };
		for (const kind of ["focus", "pointerdown"]) link.addEventListener(kind, aim);
		aim();
	}
}

begin();
