// The explorer's page. Its whole state is in the address: sentence, model, systems, paths.
import { Panel } from "./panel.js";
import { EXAMPLES, split, title, withoutComments } from "./sentences.js";
import { copy, get, hashOf, hashValues, Notice, options, showError } from "./shared.js";

const find = (id) => document.getElementById(id);
const page = { sentence: "", model: null, systems: [], changed: () => writeAddress(true) };
const panels = [];
let opened = []; // the sentences of the file or text that is open, as addresses have them
let known = []; // models

const KEYS = ["system", "root", "loss", "oracle", "constraints", "path"];

function readAddress() {
  const values = hashValues();
  page.sentence = values.sentence ?? Object.values(EXAMPLES)[0];
  page.model = known.find(({ name }) => name === values.model) ?? null;
  const missing = values.model && !page.model;
  showError(find("error"), missing ? new Notice(`This server has no model ${values.model}; there are no scores.`) : null);
  const isPair = "system2" in values;
  const asked = ["", ...(isPair ? ["2"] : [])].map((suffix) => {
    const own = Object.fromEntries(KEYS.map((key) => [key, values[key + suffix]]));
    if (!suffix && page.model && !own.system) own.system = page.model.system;
    return { ...own, path: own.path ? own.path.split(" ") : [] };
  });
  showPanels(asked);
  drawInput();
}

function showPanels(asked) {
  const isOther = page.shown !== JSON.stringify([page.sentence, page.model]);
  page.shown = JSON.stringify([page.sentence, page.model]);
  while (panels.length > asked.length) panels.pop().element.remove();
  asked.forEach((values, i) => {
    if (i < panels.length) {
      const before = JSON.stringify({ ...panels[i].values, path: null });
      panels[i].set(values);
      if (isOther || before !== JSON.stringify({ ...panels[i].values, path: null })) panels[i].forget();
    } else {
      panels.push(new Panel(page, values));
      find("panels").append(panels.at(-1).element);
    }
  });
  find("panels").classList.toggle("pair", panels.length > 1);
  find("compare").setAttribute("aria-pressed", String(panels.length > 1));
  panels.forEach((panel) => panel.show());
}

function address() {
  const values = { sentence: page.sentence, model: page.model?.name };
  panels.forEach((panel, i) => {
    const suffix = i ? "2" : "";
    for (const key of KEYS) values[key + suffix] = panel.values[key];
    values[`path${suffix}`] = panel.values.path.join(" ");
  });
  return hashOf(values);
}

function writeAddress(isNew) {
  if (address() === location.hash) return;
  history[isNew ? "pushState" : "replaceState"](null, "", address());
}

function drawInput() {
  find("sentence").value = page.sentence;
  find("summary").textContent = title(page.sentence);
  const at = opened[find("number").value] === page.sentence ? find("number").value : opened.indexOf(page.sentence);
  find("picker").hidden = opened.length < 2 || at < 0;
  find("number").value = String(at);
  options(find("model"), ["", ...known.map(({ name }) => name)], page.model?.name ?? "", ["none", ...known.map(({ name }) => name)]);
}

// Begin with another sentence or model.
function use(sentence, model = page.model) {
  page.sentence = sentence;
  page.model = model;
  showPanels(panels.map(({ values }, i) => ({ ...values, system: !i && model ? model.system : values.system, path: [] })));
  writeAddress(true);
  drawInput();
}

function open(text) {
  const sentences = split(text);
  if (!sentences.length) {
    showError(find("error"), new Notice("There is no sentence in it."));
    return;
  }
  showError(find("error"), null);
  opened = sentences.map(withoutComments);
  const names = sentences.map((sentence, i) => `${i + 1}. ${title(sentence).slice(0, 60)}`);
  options(find("number"), opened.map((_, i) => String(i)), "0", names);
  use(opened[0]);
}

function listen() {
  find("form").addEventListener("submit", (event) => {
    event.preventDefault();
    open(find("sentence").value);
  });
  find("file").addEventListener("change", async ({ target }) => {
    if (target.files.length) open(await target.files[0].text());
    target.value = "";
  });
  find("example").addEventListener("change", ({ target }) => {
    if (target.value) open(EXAMPLES[target.value]);
    target.value = "";
  });
  find("number").addEventListener("change", ({ target }) => use(opened[target.value]));
  find("model").addEventListener("change", ({ target }) => {
    use(page.sentence, known.find(({ name }) => name === target.value) ?? null);
  });
  find("compare").addEventListener("click", () => compare());
  find("link").addEventListener("click", ({ target }) => copy(target, location.href));
  find("keys").addEventListener("click", ({ target }) => {
    find("help").hidden = !find("help").hidden;
    target.setAttribute("aria-expanded", String(!find("help").hidden));
  });
  addEventListener("popstate", readAddress);
  addEventListener("keydown", press);
  let width = innerWidth;
  addEventListener("resize", () => {
    if (innerWidth === width) return; // a phone's address bar came or went
    width = innerWidth;
    clearTimeout(page.resizing);
    page.resizing = setTimeout(() => panels.forEach((panel) => panel.show()), 200);
  });
}

function compare() {
  const [{ values }] = panels;
  const other = values.system === "nonmonotonic" ? "arc-eager" : "nonmonotonic";
  showPanels(panels.length > 1 ? [values] : [values, { system: other, path: [] }]);
  writeAddress(true);
}

function press(event) {
  const { target } = event;
  if (event.ctrlKey || event.metaKey || event.altKey || target.matches("input, textarea, select")) return;
  if (target.closest(".scroll, .picture") && event.key.startsWith("Arrow") && target.scrollWidth > target.clientWidth) return;
  const panel = panels.find(({ element }) => element.contains(target)) ?? panels[0];
  const does = {
    ArrowLeft: () => panel.undo(),
    ArrowRight: () => panel.redo(),
    ArrowUp: () => panel.moveFocus(-1),
    ArrowDown: () => panel.moveFocus(1),
    Home: () => panel.go([]),
    p: () => panel.player.toggle(),
  }[event.key];
  if (!does) return;
  event.preventDefault();
  does();
}

async function begin() {
  options(find("example"), ["", ...Object.keys(EXAMPLES)], "", ["choose…", ...Object.keys(EXAMPLES)]);
  try {
    [page.systems, known] = await Promise.all([get("api/systems"), get("api/models")]);
  } catch (error) {
    showError(find("error"), error);
    return;
  }
  listen();
  readAddress();
  writeAddress(false);
}

begin();
