// The lesson beside the sentence, where the workbench was started with one.
import { button, element } from "./shared.js";
import { read } from "./requests.js";

export async function showLesson(holder, workbench) {
	let at = 0;
	const [title, text] = [element("h2"), element("p", { role: "status" })];
	const turn = (by) => { at += by; workbench.attempt(draw); };
	const [back, next] = [button("Back", () => turn(-1)), button("Next step", () => turn(1))];
	async function draw() {
		const { steps, done } = await read("lesson", { index: workbench.view.index });
		title.textContent = `From nothing to a parser: step ${at + 1} of ${steps.length}${done[at] ? " ✓ done" : ""}`;
		if (text.textContent !== steps[at]) text.textContent = steps[at];
		next.classList.toggle("primary", done[at]);
		back.disabled = at === 0;
		next.disabled = at === steps.length - 1;
	}
	holder.append(title, text, element("div.row", {}, back, next));
	await draw();
	holder.hidden = false;
	return draw;
}
