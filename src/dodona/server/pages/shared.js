// Functions for both pages: requests, elements, messages, copying.

// An error for the user, not a bug in the scripts.
export class Notice extends Error {}

async function answer(response, progress) {
	const isJson = (response.headers.get("content-type") || "").includes("json");
	const data = isJson ? await (progress ? readPieces(response, progress) : response.json()) : null;
	if (!response.ok || data === null) {
		throw new Notice(data?.error || `The server answered ${response.status}.`);
	}
	return data;
}

// Read a long answer and report each piece of its text.
async function readPieces(response, progress) {
	const pieces = [];
	const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
	for (let piece = await reader.read(); !piece.done; piece = await reader.read()) {
		pieces.push(piece.value);
		progress(piece.value);
	}
	return JSON.parse(pieces.join(""));
}

async function send(path, options) {
	try {
		return await fetch(path, options);
	} catch {
		throw new Notice(options?.signal?.aborted ? "Cancelled." : "The server cannot be reached. Is it running?");
	}
}

export async function post(path, data, { signal = null, progress = null } = {}) {
	const headers = { "Content-Type": "application/json" };
	const response = await send(path, { method: "POST", headers, body: JSON.stringify(data), signal });
	try {
		return await answer(response, progress);
	} catch (error) {
		if (signal?.aborted) throw new Notice("Cancelled.");
		throw error instanceof Notice ? error : new Notice("The server broke off its answer. Perhaps this takes longer than it allows; try a part of the text.");
	}
}

export async function get(path) {
	return answer(await send(path));
}

export async function text(path) {
	return (await send(path)).text();
}

export const find = (id) => document.getElementById(id);
export const listen = (id, kind, action) => find(id).addEventListener(kind, action);

// Show whether a switch is on.
export function press(button, isOn) {
	button.setAttribute("aria-pressed", String(isOn));
}

// element("button.primary", {type: "button", onclick: f}, "Go", otherElement)
export function element(kind, properties = {}, ...children) {
	const [tag, ...classes] = kind.split(".");
	const made = document.createElement(tag);
	made.classList.add(...classes);
	for (const [name, value] of Object.entries(properties)) {
		if (name in made && !name.startsWith("aria")) made[name] = value;
		else if (value !== null && value !== undefined) made.setAttribute(name, value);
	}
	made.append(...children.filter((child) => child !== null && child !== undefined));
	return made;
}

// Describe an arc, with isolated text directions: wrote → her (IOBJ)
export function arcName(head, label, dependent) {
	const parts = [element("bdi", {}, head), " → ", element("bdi", {}, dependent)];
	if (label) parts.push(" (", element("bdi", {}, label), ")");
	return element("span.arc-name", { dir: "ltr" }, ...parts);
}

// List arcs separated by commas; beyond `most`, only their number.
export function arcNames(arcs, name, most = 8) {
	const parts = arcs.slice(0, most).flatMap((arc, i) => (i ? [", ", name(arc)] : [name(arc)]));
	return arcs.length > most ? [...parts, ` and ${arcs.length - most} more`] : parts;
}

export function button(text, onclick, properties = {}) {
	return element("button", { type: "button", onclick, ...properties }, text);
}

export function options(select, values, chosen, names = values) {
	select.replaceChildren(
		...values.map((value, i) => element("option", { value, textContent: names[i] })),
	);
	if (values.includes(chosen)) select.value = chosen;
}

// Insert a picture from the server; with `press`, its words are buttons.
export function picture(holder, svg, press = null) {
	holder.replaceChildren();
	if (!svg) return;
	const bare = svg.replace(/<style>[^<]*<\/style>/, ""); // the page has its own
	const parsed = new DOMParser().parseFromString(bare, "image/svg+xml");
	const drawn = document.importNode(parsed.documentElement, true);
	if (press) drawn.setAttribute("role", "group"); // an image would hide its words from screen readers
	const words = [...drawn.querySelectorAll(".word")];
	for (const word of words) {
		if (!press) word.removeAttribute("tabindex");
		else makeButton(word, () => press(word));
	}
	const direction = drawn.getAttribute("direction") ?? "ltr";
	if (press) rove(drawn, words, direction);
	holder.dir = direction; // wide drawings are scrolled to their first word
	holder.append(drawn);
}

// Make a group one tab stop; arrow keys move between its items.
export function rove(group, items, direction = "ltr") {
	const choose = (chosen) => items.forEach((item) => { item.tabIndex = item === chosen ? 0 : -1; });
	choose(items[0]);
	group.addEventListener("focusin", ({ target }) => items.includes(target) && choose(target));
	group.addEventListener("keydown", (event) => {
		const at = items.indexOf(event.target);
		const on = direction === "rtl" ? -1 : 1;
		const to = { ArrowRight: at + on, ArrowLeft: at - on, Home: 0, End: items.length - 1 }[event.key];
		if (at < 0 || to === undefined) return;
		event.preventDefault();
		items[(to + items.length) % items.length].focus();
	});
}

function makeButton(thing, press) {
	thing.setAttribute("role", "button");
	thing.addEventListener("click", press);
	thing.addEventListener("keydown", (event) => {
		if (event.key !== "Enter" && event.key !== " ") return;
		event.preventDefault();
		press();
	});
}

// Work that takes time: what is done is shown after a moment, and can be cancelled. Starting again
// cancels what was under way, so that its answer cannot replace a newer one.
export class Work {
	constructor(box) {
		this.box = box;
		this.current = null;
		this.shown = element("span", { role: "status" });
		box.replaceChildren(element("progress", { "aria-label": "Progress" }), this.shown, button("Cancel", () => this.cancel()));
	}

	start(text) {
		this.drop();
		this.current = new AbortController();
		this.report(text);
		this.timer = setTimeout(() => { this.box.hidden = false; }, 400);
		return this.current.signal;
	}

	report(text) {
		this.shown.textContent = text;
	}

	// Whether nothing newer was started; then the work is over.
	end(signal) {
		if (this.current?.signal !== signal) return false;
		this.current = null;
		this.hide();
		return true;
	}

	cancel() {
		this.current?.abort();
	}

	// Cancel without a word.
	drop() {
		this.cancel();
		this.current = null;
		this.hide();
	}

	hide() {
		clearTimeout(this.timer);
		this.box.hidden = true;
	}
}

export function showError(box, error) {
	box.hidden = !error;
	box.textContent = error ? error.message : "";
	if (error && !(error instanceof Notice)) console.error(error);
}

export const complain = (error) => showError(find("error"), error);

// Announce a text to screen readers.
export function announce(text) {
	find("status").textContent = text;
}

// Let the browser save a file.
export function download(name, content, type = "text/plain;charset=utf-8") {
	const url = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type }));
	const link = element("a", { href: url, download: name });
	link.click();
	setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

// Values kept in the browser's local storage, which private windows may not have.
export const memory = {
	get(key, otherwise) {
		try {
			return JSON.parse(localStorage.getItem(`dodona.${key}`)) ?? otherwise;
		} catch {
			return otherwise;
		}
	},
	set(key, value) {
		try {
			localStorage.setItem(`dodona.${key}`, JSON.stringify(value));
		} catch { /* not available */ }
	},
};

export async function copy(button, text) {
	const before = button.textContent;
	try {
		await navigator.clipboard.writeText(text);
		button.textContent = "Copied";
	} catch {
		button.textContent = "Copying is not allowed";
	}
	announce(button.textContent);
	setTimeout(() => { button.textContent = before; }, 1500);
}

export function count(n, one, many = `${one}s`) {
	return `${n} ${n === 1 ? one : many}`;
}

export function hashValues() {
	return Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
}

export function hashOf(values) {
	const kept = Object.entries(values).filter(([, value]) => value !== "" && value != null);
	return `#${new URLSearchParams(kept)}`;
}
