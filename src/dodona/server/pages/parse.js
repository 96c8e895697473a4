// The parse page: text in, trees out.
import { withoutComments } from "./sentences.js";
import { announce, copy, count, element, get, hashOf, hashValues, Notice, options, picture, post, showError, text } from "./shared.js";

const find = (id) => document.getElementById(id);
const COLUMNS = ["id", "form", "lemma", "upos", "xpos", "feats", "head", "deprel", "deps", "misc"];

function values() {
  return { text: find("text").value, model: find("model").value, input: find("input").value };
}

async function parse() {
  const asked = values();
  showError(find("error"), null);
  if (!asked.text.trim()) {
    showError(find("error"), new Notice("There is no text yet."));
    return;
  }
  document.body.setAttribute("aria-busy", "true");
  try {
    const width = Math.max(280, find("form").clientWidth - 34);
    draw(await post("api/parse", { ...asked, model: asked.model || null, svg: true, width }));
  } catch (error) {
    showError(find("error"), error);
    find("result").hidden = true;
  } finally {
    document.body.removeAttribute("aria-busy");
  }
}

function draw(answer) {
  const parts = answer.conllu.split(/\n\n/).filter((part) => part.trim());
  find("count").textContent = count(answer.sentences.length, "sentence");
  find("copy-conllu").onclick = ({ target }) => copy(target, answer.conllu);
  find("sentences").replaceChildren(
    ...answer.sentences.map((sentence, i) => drawSentence(sentence, `${parts[i]}\n\n`, answer.model)),
  );
  find("result").hidden = false;
  announce(`${count(answer.sentences.length, "tree")} drawn.`);
}

function drawSentence(sentence, conllu, model) {
  const holder = element("div.picture");
  const details = element("div.word-columns", { role: "region", "aria-label": "Columns of a word", "aria-live": "polite", hidden: true });
  picture(holder, sentence.svg, (word) => {
    const row = sentence.words.find(({ id }) => String(id) === word.dataset.id);
    if (row) drawColumns(details, row, holder, word);
  });
  const address = `explore${hashOf({ sentence: withoutComments(conllu), model })}`;
  return element(
    "li.card.tree",
    {},
    element("p.sentence", {}, sentence.text ?? ""),
    holder,
    details,
    element(
      "div.row",
      {},
      element("button", { type: "button", onclick: ({ target }) => copy(target, conllu) }, "Copy CoNLL-U"),
      element("button", { type: "button", onclick: ({ target }) => copyPicture(target, sentence.svg) }, "Copy SVG"),
      element("a.button", { href: address }, "Open in explorer"),
    ),
  );
}

// Elsewhere a picture needs the style that here the page has.
async function copyPicture(button, svg) {
  const style = svg.includes("<style>") ? "" : `<style>${await text("static/picture.css")}</style>`;
  await copy(button, svg.replace(/^<svg[^>]*>/, (begin) => begin + style));
}

function drawColumns(details, row, holder, word) {
  for (const other of holder.querySelectorAll(".word.chosen")) other.classList.remove("chosen");
  word.classList.add("chosen");
  const shown = COLUMNS.filter((name) => row[name] !== null && row[name] !== undefined && row[name] !== "_");
  details.hidden = false;
  details.replaceChildren(
    element(
      "dl",
      {},
      ...shown.map((name) => element("div", {}, element("dt", {}, name), element("dd", {}, String(row[name])))),
    ),
  );
}

function readAddress() {
  const { text, model, input } = hashValues();
  find("text").value = text ?? find("text").value;
  if (model) find("model").value = model;
  find("input").value = input ?? "text";
  if (text) parse();
}

function submit() {
  const address = hashOf(values());
  if (address !== location.hash) history.pushState(null, "", address);
  parse();
}

async function begin() {
  find("form").addEventListener("submit", (event) => {
    event.preventDefault();
    submit();
  });
  find("text").addEventListener("keydown", (event) => {
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) submit();
  });
  find("copy-link").addEventListener("click", ({ target }) => copy(target, location.href));
  addEventListener("popstate", readAddress);
  try {
    const names = (await get("api/models")).map(({ name }) => name);
    options(find("model"), names, names[0]);
  } catch (error) {
    showError(find("error"), error);
  }
  readAddress();
}

begin();
