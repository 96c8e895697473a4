// Matches of a pattern, and one decision for all of them, each shown before it changes.
import { button, count, element, options } from "./shared.js";
import { bare } from "./board.js";
import { read, write } from "./requests.js";

const FIELDS = ["deprel", "upos", "xpos", "lemma", "feats"];
const quoted = (value) => (/^[\w:]+$/.test(value) ? value : JSON.stringify(value));

// A sentence with some of its words in bold.
function shown(forms, words) {
	return forms.flatMap((form, i) => [element(words.includes(i + 1) ? "b" : "span", {}, element("bdi", {}, form)), " "]);
}

export class AlikePanel {
	constructor(holder, workbench) {
		this.workbench = workbench;
		this.holder = holder;
		const id = (name) => ({ id: `alike-${name}` });
		this.pattern = element("input", { ...id("pattern"), type: "search", spellcheck: false, placeholder: "upos=NOUN >obl *", size: 36 });
		this.word = element("input", { ...id("word"), type: "number", min: 1, value: 1 });
		this.field = element("select", id("field"));
		options(this.field, FIELDS, "deprel");
		this.value = element("input", { ...id("value"), type: "text", spellcheck: false });
		this.told = element("p", { role: "status" });
		this.list = element("ol.matches");
		this.applyButton = button("Apply to those ticked", () => this.apply(), { className: "primary", hidden: true });
		this.lastButton = button("As my last decision…", () => this.repeat(), { disabled: true });
		const submit = (action) => (event) => { event.preventDefault(); action(); };
		holder.append(
			element("form.row", { onsubmit: submit(() => this.find()) }, element("label", {}, "Pattern ", this.pattern), element("button", { type: "submit" }, "Find"), this.lastButton),
			element("form.row.bar", { onsubmit: submit(() => this.preview()) }, element("label", {}, "In each match, of word number ", this.word), element("label", {}, "of the pattern, set ", this.field), element("label", {}, "to ", this.value), element("button", { type: "submit" }, "Preview"), this.applyButton),
			this.told, this.list,
		);
	}

	// Keep the last decision on a relation or a tag, as a pattern of what it was before.
	remember(view, change) {
		const isArc = change.kind === "set-arc";
		const [field, value] = isArc ? ["deprel", change.deprel] : [change.field, change.value];
		const word = view.words[change.word - 1];
		if (!word || !value || !FIELDS.includes(field) || (isArc && word.head !== change.head) || bare(word[field]) === "") return;
		const head = view.words[(word.head ?? 0) - 1];
		const own = `${field}=${quoted(word[field])}${field === "deprel" && bare(word.upos) ? ` & upos=${word.upos}` : ""}`;
		const form = field === "deprel" ? "" : ` & form=${quoted(word.form)}`;
		const above = field === "deprel" && head && bare(head.upos) ? ` < upos=${head.upos}` : "";
		this.last = { pattern: `${own}${form}${above}`, field, value };
		this.lastButton.disabled = false;
	}

	repeat() {
		this.pattern.value = this.last.pattern;
		this.word.value = 1;
		this.field.value = this.last.field;
		this.value.value = this.last.value;
		this.preview();
	}

	find(pattern = this.pattern.value.trim()) {
		this.holder.open = true;
		this.pattern.value = pattern;
		this.applyButton.hidden = true;
		return this.workbench.attempt(async () => {
			const { matches, total } = await read("find", { pattern });
			this.told.textContent = `${count(total, "match", "matches")}${total > matches.length ? `; the first ${matches.length} are shown` : ""}.`;
			this.list.replaceChildren(...matches.map(({ index, text, words }) => element("li.row", {},
				button(`${index + 1}:${words.join(",")}`, () => this.workbench.go(index, words[0]), { "aria-label": `Go to words ${words.join(", ")} of sentence ${index + 1}` }),
				element("bdi", {}, text))));
		});
	}

	preview() {
		return this.workbench.attempt(async () => {
			const change = { kind: "set-field", word: Number(this.word.value), field: this.field.value, value: this.value.value.trim() || "_" };
			const { id, previews, has_more: hasMore } = await write("preview", { pattern: this.pattern.value.trim(), change });
			this.id = id;
			this.told.textContent = `${count(previews.length, "place")} would change${hasMore ? "; preview again for more" : ""}.`;
			this.boxes = previews.map((_, i) => element("input", { type: "checkbox", checked: true, value: String(i) }));
			this.list.replaceChildren(...previews.map(({ index, words, forms, changes }, i) => element("li", {}, element("label.row", {}, this.boxes[i], `${index + 1}: `, element("span", {}, ...shown(forms, words)), element("code", {}, element("bdi", {}, changes.join("; ")))))));
			this.applyButton.hidden = !previews.length;
		});
	}

	apply() {
		return this.workbench.attempt(async () => {
			const chosen = this.boxes.filter((box) => box.checked).map((box) => Number(box.value));
			const { n_applied: n } = await write("apply", { id: this.id, chosen });
			this.list.replaceChildren();
			this.applyButton.hidden = true;
			this.told.textContent = `${count(n, "change")} applied, in one step for Undo.${n < chosen.length ? ` ${chosen.length - n} were left out: their sentences had changed.` : ""}`;
			await this.workbench.open(this.workbench.view.index, this.workbench.chosen);
			await this.workbench.refresh(true);
			this.pattern.focus();
		});
	}
}
