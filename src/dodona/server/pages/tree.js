// The paths that were visited, as a tree: a line for each way, a new one where ways part.
import { element } from "./shared.js";

export class Ways {
  constructor(go) {
    this.go = go;
    this.clear();
  }

  clear() {
    this.root = { action: null, cost: null, path: [], children: [] };
  }

  // Add a path with the choices that were taken on it.
  add(history) {
    let node = this.root;
    for (const { action, cost } of history) {
      let next = node.children.find((child) => child.action === action);
      if (!next) {
        next = { action, cost, path: [...node.path, action], children: [] };
        node.children.push(next);
      }
      next.cost = cost;
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
    const cost = node.cost ? element("span.cost", { "aria-label": `, cost ${node.cost}` }, `+${node.cost}`) : null;
    return element(
      `button.chip${isOn ? ".on" : ""}${node.cost ? ".bad" : ""}`,
      {
        type: "button",
        "aria-current": isHere ? "step" : null,
        onclick: () => this.go(node.path),
      },
      node.action ?? "start",
      cost,
    );
  }
}
