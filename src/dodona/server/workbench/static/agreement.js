// Comparison with the file of another annotator, and settling word by word.
import { button, count, element } from "./shared.js";
import { read } from "./requests.js";

const MOST_SHOWN = 200;
const kappa = (value) => (value === null ? "–" : value.toFixed(3));

export function showAgreement(holder, workbench, name) {
	const told = element("p", { role: "status" });
	const list = element("ol.matches");
	const compare = () => workbench.attempt(async () => {
		const found = await read("compare");
		const { differences, unmatched } = found;
		told.textContent = `${count(found.n_sentences, "sentence")}, ${count(found.n_words, "word")}: UAS ${found.uas.toFixed(1)}, LAS ${found.las.toFixed(1)}; Cohen’s kappa of heads ${kappa(found.head_kappa)}, relations ${kappa(found.label_kappa)}, tags ${kappa(found.tag_kappa)}. ${count(differences.length, "word")} to settle${differences.length > MOST_SHOWN ? `, the first ${MOST_SHOWN} below` : ""}${unmatched.length ? `; ${count(unmatched.length, "sentence")} without a counterpart` : ""}.`;
		list.replaceChildren(...differences.slice(0, MOST_SHOWN).map(line));
	});
	const first = button("Compare", compare);

	function line(difference) {
		const { index, word, form, fields, mine, theirs } = difference;
		const choice = (name, does, values) => [button(name, () => settle(made, difference, values), { "aria-label": `${does}: ${values.join(" ")}` }), element("code", {}, element("bdi", {}, values.join(" ")))];
		const made = element("li.row", {},
			button(`${index + 1}:${word} ${form}`, () => workbench.go(index, word), { "aria-label": `Go to word ${word} ${form} of sentence ${index + 1}` }),
			element("span.hint", {}, fields.join(", ")), ...choice("Mine", "Keep mine", mine), ...choice("Theirs", "Take theirs", theirs));
		return made;
	}

	// Decide a word as one of the two annotators did.
	async function settle(made, { index, word, fields }, [head, deprel, upos]) {
		await workbench.go(index, word);
		const changes = [];
		if (fields.includes("head") || fields.includes("deprel")) changes.push(head === "_" ? { kind: "clear-arc", word } : { kind: "set-arc", word, head: Number(head), deprel: deprel === "_" ? null : deprel });
		if (fields.includes("upos")) changes.push({ kind: "set-field", word, field: "upos", value: upos });
		for (const change of changes) if (!await workbench.send(change)) return;
		(made.nextElementSibling?.querySelector("button") ?? first).focus();
		made.remove();
	}

	holder.append(element("div.row", {}, first, element("span.hint", {}, "with ", element("bdi", {}, name))), told, list);
	holder.hidden = false;
}
