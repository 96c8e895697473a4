// A state, drawn: arcs, stack and buffer, what is lost, what never was in reach, the best that is left.
import { arcNames, count, element, picture } from "./shared.js";

const MOST_ACTIONS = 24; // named of the way to the best tree

// Arcs that were not there before are marked, so that one sees what an action did.
export function drawPicture(panel) {
  const holder = panel.find(".picture");
  const known = panel.knownArcs ?? new Set();
  picture(holder, panel.view.svg);
  const drawn = holder.querySelector("svg");
  const said = panel.view.arcs.map((arc) => panel.arc(arc).textContent).join(", ");
  drawn.setAttribute("aria-label", `Arcs: ${said || "none yet"}`);
  panel.find(".configuration").dir = drawn.getAttribute("direction") ?? "ltr";
  panel.knownArcs = new Set(panel.view.arcs.map((arc) => arc.join(" ")));
  for (const arc of holder.querySelectorAll(".arc.built, .arc.wrong")) {
    const { head, label, dependent } = arc.dataset;
    if (!known.has([head, label, dependent].join(" "))) arc.classList.add("fresh");
  }
  panel.find(".legend").hidden = !panel.view.has_gold;
  panel.find(".legend .never").hidden = !panel.view.never?.length;
  follow(panel, holder, drawn);
}

// Keep the words in sight that the next action is about.
function follow(panel, holder, drawn) {
  const word = (id) => drawn.querySelector(`.word[data-id="${id}"]`);
  const front = word(panel.view.buffer.find(Boolean));
  const top = word(panel.view.stack.at(-1));
  front?.classList.add("front");
  top?.classList.add("top");
  const near = front ?? top;
  if (!near || holder.scrollHeight <= holder.clientHeight) return;
  const middle = near.getBoundingClientRect().bottom - drawn.getBoundingClientRect().top;
  holder.scrollTop = middle - holder.clientHeight + 24;
}

export function drawWords(panel, side, words) {
  const holder = panel.find(`${side} ol`);
  const named = words.map((word, i) =>
    element(
      `li${word ? "" : ".root"}${i ? "" : ".chief"}`,
      {},
      element("bdi.form", {}, panel.word(word)),
      word ? element("span.id", {}, String(word)) : null,
    ),
  );
  holder.replaceChildren(...(named.length ? named : [element("li.empty", {}, "empty")]));
  panel.find(`${side} .count`).textContent = words.length > 1 ? String(words.length) : "";
  holder.scrollLeft = 0;
  const isLong = holder.scrollWidth > holder.clientWidth; // then it can be scrolled by keys
  holder.classList.toggle("long", isLong);
  if (isLong) holder.tabIndex = 0;
  else holder.removeAttribute("tabindex");
}

export function tally(panel) {
  const { view } = panel;
  const parts = [element("span", {}, view.is_final ? `final, after ${count(view.history.length, "action")}` : count(view.history.length, "action"))];
  if (!view.has_gold) return [...parts, element("span", {}, "no gold tree, so no costs")];
  const spent = view.history.reduce((sum, choice) => sum + choice.cost, 0);
  parts.push(
    element(`span.spent${spent ? ".bad" : ""}`, {}, "cost so far ", element("b", {}, String(spent))),
    element(`span.loss${view.loss ? ".bad" : ""}`, {}, view.is_final ? "loss " : "smallest loss in reach ", element("b", {}, String(view.loss))),
  );
  if (view.lost.length) {
    parts.push(element("span.lost", {}, "lost: ", ...arcNames(view.lost, (arc) => panel.arc(arc))));
  }
  return parts;
}

// Arcs that the system could not build from the start; another system may.
export function drawUnreachable(panel) {
  const holder = panel.find(".unreachable");
  const { never = [] } = panel.view;
  holder.hidden = !never.length;
  if (!never.length) return;
  const crossing = never.flatMap(({ crosses }) => crosses).length > 0;
  const why = crossing ? ", where arcs of the gold tree cross" : "";
  holder.replaceChildren(
    element("p", {}, "Never in reach: ", ...arcNames(never.map(({ arc }) => arc), (arc) => panel.arc(arc)), `. This system cannot build ${never.length > 1 ? "them" : "it"} beside the others${why}.`),
  );
  const canSwap = crossing && !panel.system.builds_graphs && !panel.model;
  if (canSwap) {
    holder.append(element("button", { type: "button", onclick: () => panel.choose("system", "swap") }, "Use swap, which builds every tree"));
  }
}

export function drawMoves(panel) {
  panel.find(".moves b").textContent = panel.system.name;
  panel.find(".moves .paper").textContent = panel.system.paper ?? "";
  panel.find(".moves dl").replaceChildren(
    ...panel.system.moves.map(({ name, does, needs }) =>
      element("div", { "data-move": name }, element("dt", {}, name, element("span.now")), element("dd", {}, does ? `${does}. ` : "", element("span.needs", {}, `Needs ${needs}.`))),
    ),
  );
}

export function markMoves(panel) {
  const valid = new Set(panel.view.choices.map(({ move }) => move));
  for (const row of panel.find(".moves dl").children) {
    row.querySelector(".now").textContent = valid.has(row.dataset.move) ? "" : " not possible now";
  }
}

// The best tree in reach, or the one that an action leaves.
export function drawBest(panel, best = panel.view.best, loss = panel.view.loss, action = null) {
  const holder = panel.find(".best");
  holder.hidden = !best;
  if (!best) return;
  const isGold = !loss;
  picture(holder.querySelector(".picture"), isGold ? "" : best.svg);
  holder.querySelector(".picture").hidden = isGold;
  holder.classList.toggle("preview", action !== null);
  holder.querySelector("summary span").textContent = action ? `The best tree in reach after ${action}` : "The best tree still in reach";
  holder.querySelector(".legend").hidden = !holder.querySelector(".arc.still");
  holder.querySelector(".loss").textContent = isGold ? "the gold tree itself" : `loss ${loss}`;
  const shown = best.actions.slice(0, MOST_ACTIONS).join(", ");
  const more = best.actions.length - MOST_ACTIONS;
  const rest = shown ? `By ${shown}${more > 0 ? ` and ${more} more` : ""}.` : "It is the one that was built.";
  holder.querySelector(".completion").textContent = rest;
}
