// Comparison with the file of another annotator, and settling word by word.
import { button, count, element, find } from "./shared.js";
import { read } from "./requests.js";

const MOST_SHOWN = 200;
const kappa = (value) => (value === null ? "–" : value.toFixed(3));

class Agreement {
	constructor(holder, workbench, name) {
		this.workbench = workbench;
		this.name = name;
		this.told = element("p", { role: "status" });
		this.list = element("ol.matches");
		holder.append(element("div.row", {}, button("Compare", () => this.compare()), element("span.hint", {}, "with ", element("bdi", {}, name))), this.told, this.list);
	}

	compare() {
		return this.workbench.attempt(async () => {
			const found = await read("compare");
			this.told.textContent = `${count(found.n_sentences, "sentence")}, ${count(found.n_words, "word")}: UAS ${found.uas.toFixed(1)}, LAS ${found.las.toFixed(1)}; Cohen’s kappa of heads ${kappa(found.head_kappa)}, relations ${kappa(found.label_kappa)}, tags ${kappa(found.tag_kappa)}. ${count(found.differences.length, "word")} to settle${found.unmatched.length ? `; ${count(found.unmatched.length, "sentence")} without a counterpart of the same words` : ""}.`;
			this.list.replaceChildren(...found.differences.slice(0, MOST_SHOWN).map((difference) => this.line(difference)));
			if (found.differences.length > MOST_SHOWN) this.list.append(element("li", {}, `and ${found.differences.length - MOST_SHOWN} more: settle these, and compare again`));
		});
	}

	line(difference) {
		const { index, word, form, fields, mine, theirs } = difference;
		const shown = ([head, deprel, upos]) => element("code", {}, element("bdi", {}, `${head} ${deprel} ${upos}`));
		const line = element("li.row", {},
			button(`${index + 1}:${word} ${form}`, () => this.workbench.go(index, word), { "aria-label": `Go to word ${word} ${form} of sentence ${index + 1}` }),
			element("span.hint", {}, fields.join(", ")),
			button("Mine", () => this.settle(line, difference, mine), { "aria-label": `Keep mine: ${mine.join(" ")}` }), shown(mine),
			button("Theirs", () => this.settle(line, difference, theirs), { "aria-label": `Take theirs: ${theirs.join(" ")}` }), shown(theirs));
		return line;
	}

	// Decide a word as one of the two annotators did.
	async settle(line, { index, word, fields }, [head, deprel, upos]) {
		const { workbench } = this;
		await workbench.go(index, word);
		const changes = [];
		if (fields.includes("head") || fields.includes("deprel")) changes.push(head === "_" ? { kind: "clear-arc", word } : { kind: "set-arc", word, head: Number(head), deprel: deprel === "_" ? null : deprel });
		if (fields.includes("upos")) changes.push({ kind: "set-field", word, field: "upos", value: upos });
		for (const change of changes) if (!await workbench.send(change)) return;
		(line.nextElementSibling?.querySelector("button") ?? find("agreement").querySelector("button")).focus();
		line.remove();
	}
}

export function showAgreement(holder, workbench, name) {
	holder.hidden = false;
	return new Agreement(holder, workbench, name);
}
