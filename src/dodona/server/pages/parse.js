// The parse page: shows the trees of a text.
import { differing, drawSentence, standalone, VIEWS, withoutPictures } from "./results.js";
import { announce, copy, count, download, element, get, hashOf, hashValues, memory, Notice, options, post, showError } from "./shared.js";
import { languageName, textsFor } from "./texts.js";

const find = (id) => document.getElementById(id);
const LONGEST_ADDRESS = 20_000; // characters of a text in an address
const MAX_DRAWN = 200_000; // characters of a text that is drawn
const MAX_RECENT = 12;
const LONGEST_RECENT = 4000;
const AT_ONCE = 40; // sentences shown at first and per click

let models = [];
let items = []; // sentences with their CoNLL-U, those of the other model, and matches
let conllu = "";
let view = "trees";
let nShown = AT_ONCE;

function values() {
  return { text: find("text").value, model: find("model").value, input: find("input").value };
}

function address() {
  const { text, ...rest } = values();
  const kept = text.length > LONGEST_ADDRESS ? "" : text;
  return hashOf({ text: kept, ...rest, other: find("other").value, view: view === "trees" ? "" : view, find: find("pattern").value });
}

async function parse() {
  const asked = values();
  showError(find("error"), null);
  if (!asked.text.trim()) {
    showError(find("error"), new Notice("Please enter a text."));
    return;
  }
  document.body.setAttribute("aria-busy", "true");
  try {
    const width = Math.max(280, find("form").clientWidth - 34);
    const pictures = asked.text.length <= MAX_DRAWN ? { svg: true, graph: true, width } : {};
    const answer = await post("api/parse", { ...asked, model: asked.model || null, ...pictures });
    await show(answer, await askOther(answer, pictures));
    remember(asked);
  } catch (error) {
    showError(find("error"), error);
    find("result").hidden = true;
  } finally {
    document.body.removeAttribute("aria-busy");
  }
}

// Parse the same words with another model, for comparison.
async function askOther(answer, pictures) {
  const model = find("other").value;
  if (!model || !answer.sentences.length) return null;
  const tokens = answer.sentences.map(({ words }) => words.map(({ form }) => form));
  return post("api/parse", { tokens, model, output: "sentences", ...pictures });
}

async function show(answer, other) {
  conllu = answer.conllu;
  const parts = conllu.split(/\n\n/).filter((part) => part.trim());
  items = answer.sentences.map((sentence, i) => ({
    sentence, conllu: `${parts[i]}\n\n`, model: answer.model, other: other?.sentences[i] ?? null, otherModel: other?.model, matches: [],
  }));
  nShown = AT_ONCE;
  find("count").textContent = count(items.length, "sentence");
  find("result").hidden = false;
  showDifferences();
  if (find("pattern").value) await search();
  draw();
  announce(`${count(items.length, "tree")} drawn.`);
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

function draw() {
  for (const button of find("views").children) button.setAttribute("aria-pressed", String(button.dataset.view === view));
  const isPart = find("only").checked && find("pattern").value.trim();
  const chosen = isPart ? items.filter(({ matches }) => matches.length) : items;
  find("sentences").replaceChildren(...chosen.slice(0, nShown).map((item) => drawSentence(item, view)));
  find("more").hidden = chosen.length <= nShown;
  find("more").textContent = `Show more (${chosen.length - nShown} left)`;
}

async function search() {
  const pattern = find("pattern").value.trim();
  find("found").textContent = "";
  for (const item of items) item.matches = [];
  if (!pattern) return;
  try {
    const { matches } = await post("api/explore/match", { sentence: conllu, pattern });
    items.forEach((item, i) => { item.matches = matches[i] ?? []; });
    const n = items.reduce((sum, item) => sum + item.matches.length, 0);
    find("found").textContent = `${count(n, "match", "matches")} in ${count(items.filter((item) => item.matches.length).length, "sentence")}`;
  } catch (error) {
    find("found").textContent = error.message;
  }
}

async function save(kind) {
  const pictures = items.map(({ sentence }) => sentence.svg).filter(Boolean);
  if (kind === "conllu") download("parsed.conllu", conllu);
  else if (kind === "json") download("parsed.json", JSON.stringify(items.map(({ sentence }) => withoutPictures(sentence)), null, 2), "application/json");
  else if (pictures.length) download("parsed.svg", await standalone(stack(pictures)), "image/svg+xml");
  else showError(find("error"), new Notice("No tree is small enough for a picture."));
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
  const width = Math.max(...sizes.map(([w]) => w));
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
  if (models.some(({ name }) => name === model)) find("model").value = model;
  find("input").value = input;
  drawLanguage();
  submit();
}

async function open(file) {
  const text = await file.text();
  const isTreebank = /\.conll[ux]$/.test(file.name) || /^(#.*\n)*1(-\d+)?\t([^\t\n]*\t){8}/.test(text);
  take({ text, input: isTreebank ? "conllu" : "text" });
}

function drawLanguage() {
  const { language } = models.find(({ name }) => name === find("model").value) ?? {};
  find("language").textContent = language ? languageName(language) : "";
  if (language) find("text").lang = language;
  else find("text").removeAttribute("lang");
  const names = Object.keys(textsFor(language));
  options(find("example"), ["", ...names], "", ["choose…", ...names]);
}

function readAddress() {
  if (location.hash === "#main") return;
  const { text, model, other, input, view: asked, find: pattern } = hashValues();
  find("text").value = text ?? find("text").value;
  if (model) find("model").value = model;
  find("other").value = models.some(({ name }) => name === other) ? other : "";
  find("input").value = input ?? "text";
  find("pattern").value = pattern ?? "";
  view = asked in VIEWS ? asked : "trees";
  drawLanguage();
  if (text) parse();
}

function writeAddress() {
  if (address() !== location.hash) history.pushState(null, "", address());
}

function submit() {
  writeAddress();
  parse();
}

function listen() {
  const does = (id, kind, action) => find(id).addEventListener(kind, action);
  does("form", "submit", (event) => {
    event.preventDefault();
    submit();
  });
  does("text", "keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit();
  });
  does("copy-conllu", "click", ({ target }) => copy(target, conllu));
  does("copy-link", "click", ({ target }) => copy(target, location.href));
  does("model", "change", drawLanguage);
  does("example", "change", ({ target }) => {
    const { language } = models.find(({ name }) => name === find("model").value) ?? {};
    if (target.value) take({ text: textsFor(language)[target.value] });
  });
  does("file", "change", async ({ target }) => {
    if (target.files.length) await open(target.files[0]);
    target.value = "";
  });
  does("views", "click", ({ target }) => {
    if (!target.dataset.view) return;
    view = target.dataset.view;
    writeAddress();
    draw();
  });
  does("downloads", "click", ({ target }) => target.dataset.save && save(target.dataset.save));
  does("search", "submit", async (event) => {
    event.preventDefault();
    writeAddress();
    await search();
    draw();
  });
  does("only", "change", draw);
  does("more", "click", () => {
    nShown += AT_ONCE;
    draw();
  });
  does("forget", "click", () => {
    memory.set("recent", []);
    drawRecent();
  });
  addEventListener("popstate", readAddress);
}

async function begin() {
  find("views").replaceChildren(...Object.entries(VIEWS).map(([name, shown]) => element("button", { type: "button", "data-view": name, "aria-pressed": "false" }, shown)));
  listen();
  drawRecent();
  try {
    models = await get("api/models");
    const names = models.map(({ name }) => name);
    options(find("model"), names, names[0]);
    options(find("other"), ["", ...names], "", ["none", ...names]);
    find("versus").hidden = names.length < 2;
  } catch (error) {
    showError(find("error"), error);
  }
  readAddress();
}

begin();
