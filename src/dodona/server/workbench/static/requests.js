// Requests to the workbench: changes go one after the other, each to the sentence as it is by then.
import { Notice } from "./shared.js";

// Another page was faster; `view` is the sentence as it is now.
export class Conflict extends Notice {
	constructor(message, view) {
		super(message);
		this.view = view;
	}
}

async function send(path, options) {
	let response;
	try {
		response = await fetch(path, options);
	} catch {
		throw new Notice("The workbench cannot be reached. Is “dodona annotate” still running?");
	}
	const isJson = (response.headers.get("content-type") ?? "").includes("json");
	const data = isJson ? await response.json() : {};
	if (response.status === 401) throw new Notice("This page belongs to a workbench that has ended. Open the address that “dodona annotate” printed.");
	if (response.status === 409) throw new Conflict(data.error, data.view);
	if (!response.ok) throw new Notice(data.error ?? `The workbench answered ${response.status}.`);
	return data;
}

export const read = (name, query = {}) => send(`api/${name}?${new URLSearchParams(query)}`);

export const write = (name, data = {}) => send(`api/${name}`, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(data) });

let last = Promise.resolve();

// Run a task after those before it, whether they failed or not.
export function inTurn(task) {
	last = last.catch(() => {}).then(task);
	return last;
}
