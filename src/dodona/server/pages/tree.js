// The visited paths as a tree: a line for each path, a new one at each branch.
import { element } from "./shared.js";

const MAX_PATHS = 12; // in an address, the latest ones

export class PathTree {
	constructor(go) {
		this.go = go;
		this.clear();
	}

	clear() {
		this.root = { action: null, cost: null, path: [], children: [], time: 0 };
		this.time = 0;
	}

	// Add a path, given as its choices.
	add(history) {
		let node = this.root;
		this.time += 1;
		for (const { action, cost, n_wasted: nWasted, is_estimate: isEstimate } of history) {
			let next = node.children.find((child) => child.action === action);
			if (!next) {
				next = { action, cost, path: [...node.path, action], children: [] };
				node.children.push(next);
			}
			next.cost = cost;
			next.shown = cost ? `+${isEstimate ? "≈" : ""}${cost}` : nWasted ? `↷+${nWasted}` : "";
			next.time = this.time;
			node.last = next;
			node = next;
		}
	}

	node(path) {
		return path.reduce((node, action) => node?.children.find((c) => c.action === action), this.root);
	}

	// Return the action that was last taken after a path.
	next(path) {
		return this.node(path)?.last?.action ?? null;
	}

	// Return the latest path through a state to its end.
	through(path) {
		let node = this.node(path);
		while (node?.last) node = node.last;
		return node?.path ?? path;
	}

	// Return all paths but this one, latest last.
	others(path) {
		const ends = [];
		const visit = (node) => {
			if (!node.children.length && node.path.length && node.path.join(" ") !== path.join(" ")) ends.push(node);
			node.children.forEach(visit);
		};
		visit(this.root);
		return ends.sort((a, b) => a.time - b.time).slice(-MAX_PATHS).map((node) => node.path);
	}

	// Encode the other paths for an address: the number of shared actions, and the rest.
	encode(path) {
		return this.others(path).map((other) => {
			let shared = 0;
			while (shared < path.length && path[shared] === other[shared]) shared += 1;
			return [shared, ...other.slice(shared)].join(" ");
		}).join("\n");
	}

	static decode(text, path) {
		return (text ?? "").split("\n").filter(Boolean).slice(0, MAX_PATHS).map((line) => {
			const [shared, ...rest] = line.split(" ");
			return [...path.slice(0, Number(shared) || 0), ...rest.filter(Boolean)];
		});
	}

	draw(holder, path) {
		const here = path.join(" ");
		holder.replaceChildren(this.line(this.root, here));
	}

	line(node, here) {
		const line = element("span.way", {}, this.chip(node, here));
		while (node.children.length === 1) {
			[node] = node.children;
			line.append(this.chip(node, here));
		}
		if (!node.children.length) return line;
		const branches = node.children.map((child) => element("li", {}, this.line(child, here)));
		return element("div", {}, line, element("ul.branches", {}, ...branches));
	}

	chip(node, here) {
		const isHere = node.path.join(" ") === here;
		const isOn = isHere || `${here} `.startsWith(`${node.path.join(" ")} `) || !node.path.length;
		const cost = node.shown ? element(`span.cost${node.cost ? "" : ".waste"}`, {}, element("span.visually-hidden", {}, node.cost ? ", cost " : ", wasted actions "), node.shown) : null;
		return element(
			`button.chip${isOn ? ".on" : ""}${node.cost ? ".bad" : ""}${node.differs ? ".differs" : ""}`,
			{
				type: "button",
				"aria-current": isHere ? "step" : null,
				"data-step": String(node.path.length),
				onclick: () => this.go(node.path),
			},
			element("bdi", {}, node.action ?? "start"),
			cost,
		);
	}
}
