// The paths that were visited, as a tree: a line for each way, a new one where ways part.
import { element } from "./shared.js";

const MOST_WAYS = 12; // kept in an address, the latest ones

export class Ways {
  constructor(go) {
    this.go = go;
    this.clear();
  }

  clear() {
    this.root = { action: null, cost: null, path: [], children: [], time: 0 };
    this.time = 0;
  }

  // Add a path with the choices that were taken on it.
  add(history) {
    let node = this.root;
    this.time += 1;
    for (const { action, cost } of history) {
      let next = node.children.find((child) => child.action === action);
      if (!next) {
        next = { action, cost, path: [...node.path, action], children: [] };
        node.children.push(next);
      }
      next.cost = cost;
      next.time = this.time;
      node.last = next;
      node = next;
    }
  }

  node(path) {
    return path.reduce((node, action) => node?.children.find((c) => c.action === action), this.root);
  }

  // What was last done after this path.
  next(path) {
    return this.node(path)?.last?.action ?? null;
  }

  // The way through this state, to where it last led.
  through(path) {
    let node = this.node(path);
    while (node?.last) node = node.last;
    return node?.path ?? path;
  }

  // The ends of all ways but this path, the latest last.
  others(path) {
    const ends = [];
    const walk = (node) => {
      if (!node.children.length && node.path.length && node.path.join(" ") !== path.join(" ")) ends.push(node);
      node.children.forEach(walk);
    };
    walk(this.root);
    return ends.sort((a, b) => a.time - b.time).slice(-MOST_WAYS).map((node) => node.path);
  }

  // For an address: each other way as the number of actions that it shares with this, and the rest.
  encode(path) {
    return this.others(path).map((other) => {
      let shared = 0;
      while (shared < path.length && path[shared] === other[shared]) shared += 1;
      return [shared, ...other.slice(shared)].join(" ");
    }).join("\n");
  }

  static decode(text, path) {
    return (text ?? "").split("\n").filter(Boolean).slice(0, MOST_WAYS).map((line) => {
      const [shared, ...rest] = line.split(" ");
      return [...path.slice(0, Number(shared) || 0), ...rest.filter(Boolean)];
    });
  }

  draw(holder, path) {
    const here = path.join(" ");
    holder.replaceChildren(this.way(this.root, here));
  }

  way(node, here) {
    const line = element("span.way", {}, this.chip(node, here));
    while (node.children.length === 1) {
      [node] = node.children;
      line.append(this.chip(node, here));
    }
    if (!node.children.length) return line;
    const branches = node.children.map((child) => element("li", {}, this.way(child, here)));
    return element("div", {}, line, element("ul.branches", {}, ...branches));
  }

  chip(node, here) {
    const isHere = node.path.join(" ") === here;
    const isOn = isHere || `${here} `.startsWith(`${node.path.join(" ")} `) || !node.path.length;
    const cost = node.cost ? element("span.cost", {}, element("span.visually-hidden", {}, ", cost "), `+${node.cost}`) : null;
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
