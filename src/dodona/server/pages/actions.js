// Every valid action as a button: its cost, whether it is optimal, its score.
import { element } from "./shared.js";

const MOST_LABELS = 8; // of a move, before the rest is folded away

export function drawActions(holder, view, take) {
  const best = favourite(view.choices);
  const moves = new Map();
  for (const choice of view.choices) {
    if (!moves.has(choice.move)) moves.set(choice.move, []);
    moves.get(choice.move).push(choice);
  }
  holder.replaceChildren(
    ...[...moves].map(([move, choices]) => drawMove(move, choices, best, take)),
  );
  if (!moves.size) holder.append(element("p.final", {}, "This state is final: no action is left."));
}

// The action that the model would take.
function favourite(choices) {
  const scored = choices.filter((choice) => choice.score !== null && !choice.forbidden);
  return scored.reduce((best, choice) => (best && best.score >= choice.score ? best : choice), null);
}

function drawMove(move, choices, best, take) {
  const buttons = choices.map((choice) => drawChoice(choice, choice === best, take));
  if (choices.length === 1 && choices[0].label === null) {
    return element("div.move.single", { role: "group", "aria-label": move }, ...buttons);
  }
  const group = element("div.move", { role: "group", "aria-label": move }, element("h3", {}, move));
  // the model's choice is never folded away
  const shown = choices.map((choice, i) => i < MOST_LABELS || choice === best);
  group.append(...buttons.filter((_, i) => shown[i]));
  const folded = buttons.filter((_, i) => !shown[i]);
  if (folded.length) {
    group.append(element("details", {}, element("summary", {}, `${folded.length} more`), ...folded));
  }
  return group;
}

function drawChoice(choice, isFavourite, take) {
  const { action, label, move, cost, optimal, score, forbidden } = choice;
  const said = [
    label === null ? move : `${move} ${label}`,
    cost === null ? "" : `cost ${cost}`,
    optimal ? "optimal" : "",
    score === null ? "" : `score ${score}`,
    isFavourite ? "the model's choice" : "",
    forbidden ? `forbidden: ${forbidden}` : "",
  ];
  const parts = [element("span.name", {}, label ?? move)];
  if (isFavourite) parts.push(element("span.favourite", { title: "the model's choice" }, "◆"));
  if (score !== null) parts.push(element("span.score", { title: "score" }, String(score)));
  if (cost !== null) {
    parts.push(element(`span.cost${cost ? "" : ".zero"}`, { title: "cost" }, String(cost)));
  }
  return element(
    `button.action${optimal ? ".optimal" : ""}${forbidden ? ".forbidden" : ""}`,
    {
      type: "button",
      title: forbidden ?? "",
      "data-action": action,
      "aria-label": said.filter(Boolean).join(", "),
      onclick: () => take(action),
    },
    ...parts,
  );
}

// The buttons that can be seen, in order.
export function visibleActions(holder) {
  return [...holder.querySelectorAll("button.action")].filter(
    (button) => !button.closest("details:not([open])"),
  );
}
