// A quiz: choose an optimal action in each state up to the end; first attempts count.
import { arcNames, count, element, find, Notice, press, showError } from "./shared.js";

export class Quiz {
	constructor({ box, panel, buttons }) {
		this.box = box;
		this.panel = panel;
		this.buttons = buttons;
		this.isOn = false;
		for (const button of buttons) button.addEventListener("click", () => (this.isOn ? this.stop() : this.start()));
	}

	start() {
		const panel = this.panel();
		if (!panel.view?.has_gold || panel.view.is_final) {
			const why = panel.view?.is_final ? "This state is final; go back to start a quiz." : "A quiz needs a gold tree.";
			showError(panel.find(".error"), new Notice(why));
			return;
		}
		[this.isOn, this.nAsked, this.nRight, this.isFirst] = [true, 0, 0, true];
		panel.isGuess = true;
		panel.draw();
		this.say("Which action is optimal?");
		panel.moveFocus(1);
	}

	// Leave the quiz; the score stays.
	stop() {
		if (!this.isOn) return;
		const panel = this.panel();
		this.isOn = false;
		panel.isGuess = false;
		this.say(`${panel.view.is_final ? "The end" : "Stopped"}.`);
		find("lesson-try").disabled = panel.view.is_final;
		panel.draw();
	}

	hide() {
		this.stop();
		this.box.hidden = true;
	}

	say(...parts) {
		this.box.hidden = false;
		const score = this.nAsked ? element("b", {}, `${this.nRight} of ${count(this.nAsked, "question")} right at the first attempt.`) : null;
		this.box.replaceChildren(element("p", { role: "status" }, ...parts, " ", score));
		for (const button of this.buttons) press(button, this.isOn);
		document.body.classList.toggle("quiz", this.isOn);
		find("lesson-try").disabled ||= this.isOn;
	}

	shown(panel) {
		if (!this.isOn || panel !== this.panel()) return;
		find("lesson-try").disabled = this.isFirst = true;
		if (panel.view.is_final) this.stop();
	}

	// Judge an action; only optimal ones are taken.
	async tried(panel, action) {
		const { optimal, cost, n_wasted: nWasted, is_estimate: isEstimate } = panel.view.choices.find((choice) => choice.action === action);
		const isRight = optimal;
		if (this.isFirst) {
			this.nAsked += 1;
			this.nRight += isRight ? 1 : 0;
		}
		this.isFirst = false;
		if (isRight) {
			this.say(`✓ ${action} is optimal.`);
			await panel.go([...panel.shownPath(), action]);
			return;
		}
		panel.find(`button.action[data-action="${CSS.escape(action)}"]`).disabled = true;
		const why = nWasted ? `loses nothing, but wastes ${count(nWasted, "action")}` : cost ? `costs ${isEstimate ? "about " : ""}${cost}` : "loses nothing, but needs a repair later";
		this.say(`✗ ${action} ${why}. Try again.`);
		panel.moveFocus(1);
		if (!cost) return;
		const { loses } = await panel.why.ask(panel.shownPath(), action);
		if (this.isOn && loses.length) this.say(`✗ ${action} ${why}: it loses `, ...arcNames(loses, (arc) => panel.arc(arc)), ". Try again.");
	}
}
