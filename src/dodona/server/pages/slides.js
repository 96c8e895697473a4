// Pictures of a state or path for slides: SVG, PNG, animated SVG.
import { announce, download, post, showError } from "./shared.js";

const SCALE = 2; // of a PNG, so that it is sharp on a large screen

export function offerSlides(panel) {
	for (const button of panel.element.querySelectorAll("[data-slide]")) {
		button.addEventListener("click", () => save(panel, button.dataset.slide));
	}
}

async function save(panel, kind) {
	const width = Math.max(480, panel.find(".picture").clientWidth);
	try {
		const { svg } = await post("api/explore/slide", { ...panel.request(), width, film: kind === "film" });
		const name = `dodona-${panel.values.system}-${panel.values.path.length}`;
		if (kind === "png") download(`${name}.png`, await rasterise(svg));
		else download(`${name}${kind === "film" ? "-film" : ""}.svg`, svg, "image/svg+xml");
		announce("Saved.");
	} catch (error) {
		showError(panel.find(".error"), error);
	}
}

async function rasterise(svg) {
	const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
	try {
		const image = new Image();
		image.src = url;
		await image.decode();
		const canvas = document.createElement("canvas");
		canvas.width = image.naturalWidth * SCALE;
		canvas.height = image.naturalHeight * SCALE;
		canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
		return await new Promise((resolve) => { canvas.toBlob(resolve, "image/png"); });
	} finally {
		URL.revokeObjectURL(url);
	}
}
