// One system at work on the sentence: its state, its actions, where it has been.
import { drawActions, visibleActions } from "./actions.js";
import { BeamView } from "./beam.js";
import { Player } from "./player.js";
import { announce, count, element, options, picture, post, showError } from "./shared.js";
import { Ways } from "./tree.js";

const SETTINGS = ["system", "root", "loss", "oracle", "constraints"];
const MOST_ACTIONS = 24; // named of the way to the best tree
const MOST_LOST = 8; // named of the arcs that are lost

export class Panel {
  // `page` gives the sentence, the model and the systems, and is told of changes.
  constructor(page, values) {
    this.page = page;
    this.element = document.getElementById("panel").content.cloneNode(true).firstElementChild;
    this.find = (selector) => this.element.querySelector(selector);
    this.values = { path: [] };
    this.cache = new Map();
    this.ways = new Ways((path) => this.go(path));
    this.player = new Player(this);
    this.beam = new BeamView(this.find(".beam"), () => this.request(), (path) => this.go(path));
    this.listen();
    this.set(values);
  }

  listen() {
    const does = { start: () => this.go([]), undo: () => this.undo(), redo: () => this.redo() };
    for (const [name, action] of Object.entries(does)) {
      this.find(`[data-do=${name}]`).addEventListener("click", action);
    }
    for (const name of SETTINGS) {
      this.find(`[data-setting=${name}]`).addEventListener("change", (event) => {
        const kept = name === "system" ? {} : this.values;
        this.set({ ...kept, system: this.values.system, [name]: event.target.value, path: [] });
        this.forget();
        this.page.changed();
        this.show();
      });
    }
  }

  // Take over system, options and path, wherever they come from.
  set(values) {
    const { systems } = this.page;
    const system = systems.find(({ name }) => name === values.system) ?? systems[0];
    const root = system.roots.includes(values.root) ? values.root : system.root;
    this.values = {
      system: system.name,
      root,
      loss: system.losses.includes(values.loss) ? values.loss : system.losses[0],
      oracle: system.oracles.includes(values.oracle) ? values.oracle : system.oracles[0],
      constraints: system.constraints.find((name) => name === values.constraints) ?? system.constraints[0],
      path: values.path ?? [],
    };
    options(this.find("[data-setting=system]"), systems.map(({ name }) => name), system.name);
    options(this.find("[data-setting=root]"), system.roots, root);
    options(this.find("[data-setting=loss]"), system.losses, this.values.loss);
    options(this.find("[data-setting=oracle]"), system.oracles, this.values.oracle);
    options(this.find("[data-setting=constraints]"), system.constraints, this.values.constraints);
    this.find("[data-oracle]").hidden = system.oracles.length === 1;
    this.find("[data-constraints]").hidden = system.constraints.length === 1;
    for (const name of ["root", "loss", "oracle"]) {
      this.find(`[data-setting=${name}]`).disabled = this.usesModel();
    }
    this.player.offer(system.oracles, this.usesModel());
    this.find(".beam").hidden = !this.usesModel();
    this.element.setAttribute("aria-label", system.name);
  }

  usesModel() {
    return this.page.model !== null && this.page.model.system === this.values.system;
  }

  // Another sentence, model or system: nothing that was visited is there any more.
  forget() {
    this.player.pause();
    this.cache.clear();
    this.ways.clear();
    this.beam.forget();
  }

  request() {
    const { system, root, loss, oracle, constraints, path } = this.values;
    const { sentence } = this.page;
    if (this.usesModel()) return { sentence, system, constraints, model: this.page.model.name, path };
    return { sentence, system, root, loss, static_oracle: oracle, constraints, path };
  }

  async go(path, { keepsPlaying = false } = {}) {
    if (!keepsPlaying) this.player.pause();
    if (path.join(" ") === this.values.path.join(" ")) return;
    this.values.path = path;
    this.page.changed();
    await this.show();
  }

  // From the state that is shown, which on a slow day is not yet the last one asked for.
  take(action) {
    return this.go([...this.view.history.map((choice) => choice.action), action]);
  }

  undo() {
    return this.go(this.values.path.slice(0, -1));
  }

  // Again what was undone, or else the first optimal action; as often as asked, one after the other.
  redo() {
    this.redoing = Promise.resolve(this.redoing).then(() => this.forward());
    return this.redoing;
  }

  async forward() {
    for (let last = null; last !== this.showing;) {
      last = this.showing;
      await last;
    }
    const choices = this.view?.choices ?? [];
    const optimal = choices.find((choice) => choice.optimal) ?? choices[0];
    const next = this.ways.next(this.values.path) ?? optimal?.action;
    if (next) await this.take(next);
  }

  async fetch() {
    const room = (selector) => Math.max(280, Math.floor(this.find(selector).clientWidth) - 2);
    const width = room(".picture");
    const request = { ...this.request(), width, best_width: room(".best .picture") };
    const key = JSON.stringify(request);
    if (!this.cache.has(key)) this.cache.set(key, await post("api/explore", request));
    return this.cache.get(key);
  }

  show() {
    this.showing = this.update();
    return this.showing;
  }

  async update() {
    const focused = [".actions", ".ways"].find((part) => this.find(part).contains(document.activeElement));
    const turn = this.turn = Symbol("the last one asked wins");
    let view = null;
    let error = null;
    try {
      view = await this.fetch();
    } catch (caught) {
      error = caught;
    }
    if (turn !== this.turn) return;
    showError(this.find(".error"), error);
    this.find(".state").hidden = error !== null;
    if (error) return;
    this.view = view;
    this.ways.add(view.history);
    this.draw();
    if (focused) this.focusAgain(focused);
  }

  // What had the focus was drawn anew: go to what is most like it.
  focusAgain(part) {
    const likely = part === ".ways" ? [".chip[aria-current]"] : [".action.optimal", ".action", "[data-do=undo]"];
    likely.map((selector) => this.find(selector)).find(Boolean)?.focus();
  }

  draw() {
    const { view } = this;
    this.drawPicture();
    this.drawWords(this.find(".stack ol"), [...view.stack].reverse()); // the top comes first
    this.drawWords(this.find(".buffer ol"), view.buffer);
    this.find(".tally").replaceChildren(...this.tally());
    drawActions(this.find(".actions"), view, (action) => this.take(action));
    this.ways.draw(this.find(".ways"), this.values.path);
    this.drawBest();
    this.find("[data-do=undo]").disabled = this.find("[data-do=start]").disabled = !view.history.length;
    this.find("[data-do=redo]").disabled = view.is_final;
    this.player.draw();
    for (const name of this.usesModel() ? ["root", "loss"] : []) {
      this.find(`[data-setting=${name}]`).value = view.system[name];
    }
    announce(this.spoken());
  }

  // Arcs that were not there before are marked, so that one sees what an action did.
  drawPicture() {
    const holder = this.find(".picture");
    const known = this.knownArcs ?? new Set();
    picture(holder, this.view.svg);
    holder.querySelector("svg").setAttribute("aria-label", `Arcs: ${this.view.arcs.map((arc) => this.arc(arc)).join(", ") || "none yet"}`);
    this.knownArcs = new Set(this.view.arcs.map((arc) => arc.join(" ")));
    for (const arc of holder.querySelectorAll(".arc.built, .arc.wrong")) {
      const { head, label, dependent } = arc.dataset;
      if (!known.has([head, label, dependent].join(" "))) arc.classList.add("fresh");
    }
    this.find(".legend").hidden = !this.view.has_gold;
  }

  drawWords(holder, words) {
    const named = words.map((word, i) =>
      element(
        `li${word ? "" : ".root"}${i ? "" : ".chief"}`,
        {},
        element("span.form", {}, this.word(word)),
        word ? element("span.id", {}, String(word)) : null,
      ),
    );
    holder.replaceChildren(...(named.length ? named : [element("li.empty", {}, "empty")]));
  }

  word(i) {
    return i ? this.view.forms[i - 1] : "ROOT";
  }

  arc([head, label, dependent]) {
    return `${this.word(head)} → ${this.word(dependent)}${label ? ` (${label})` : ""}`;
  }

  tally() {
    const { view } = this;
    const parts = [element("span", {}, view.is_final ? `final, after ${count(view.history.length, "action")}` : count(view.history.length, "action"))];
    if (!view.has_gold) return [...parts, element("span", {}, "no gold tree, so no costs")];
    const spent = view.history.reduce((sum, choice) => sum + choice.cost, 0);
    parts.push(
      element(`span.spent${spent ? ".bad" : ""}`, {}, "cost so far ", element("b", {}, String(spent))),
      element(`span.loss${view.loss ? ".bad" : ""}`, {}, view.is_final ? "loss " : "smallest loss in reach ", element("b", {}, String(view.loss))),
    );
    if (view.lost.length) {
      const named = view.lost.slice(0, MOST_LOST).map((arc) => this.arc(arc)).join(", ");
      const more = view.lost.length - MOST_LOST;
      parts.push(element("span.lost", {}, `lost: ${named}${more > 0 ? ` and ${more} more` : ""}`));
    }
    return parts;
  }

  drawBest() {
    const { best, loss } = this.view;
    const holder = this.find(".best");
    holder.hidden = !best;
    if (!best) return;
    const isGold = !this.view.lost.length;
    picture(holder.querySelector(".picture"), isGold ? "" : best.svg);
    holder.querySelector(".legend").hidden = !holder.querySelector(".arc.still");
    holder.querySelector(".loss").textContent = isGold ? "the gold tree itself" : `loss ${loss}`;
    const shown = best.actions.slice(0, MOST_ACTIONS).join(", ");
    const more = best.actions.length - MOST_ACTIONS;
    const rest = shown ? `By ${shown}${more > 0 ? ` and ${more} more` : ""}.` : "It is the one that was built.";
    holder.querySelector(".completion").textContent = rest;
  }

  spoken() {
    const { view } = this;
    const last = view.history.at(-1);
    const taken = last ? `${last.action}${last.cost === null ? "" : `, cost ${last.cost}`}. ` : "Start. ";
    const words = (list) => list.map((i) => this.word(i)).join(" ") || "empty";
    return `${taken}Stack: ${words(view.stack)}. Buffer: ${words(view.buffer)}. ${view.is_final ? "Final." : `${count(view.choices.length, "action")} to choose from.`}`;
  }

  // From action to action.
  moveFocus(by) {
    const buttons = visibleActions(this.find(".actions"));
    const at = buttons.indexOf(document.activeElement);
    const next = at < 0 ? (by > 0 ? 0 : buttons.length - 1) : (at + by + buttons.length) % buttons.length;
    buttons[next]?.focus();
  }
}
