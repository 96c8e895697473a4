// Example texts by language; English ones in several registers.
export const TEXTS = {
	en: {
		"A report": "The council voted on Tuesday to restore the old theatre, which has been closed since the flood. Work should begin in spring and is expected to cost four million.",
		"A story": "When the wind rose, the oak began to whisper. Nobody in the valley understood it except an old woman who had once been a priestess.",
		"A chat": "omg did u see that?? the dog just stole my sandwich lol. can't even be mad tbh",
		"A question": "Who told you that the train to the coast leaves at nine, and why didn't you ask when it comes back?",
		"A recipe": "Chop two onions finely. Fry them in butter until they turn golden, then stir in the flour and let it cool.",
		"A contract": "The tenant shall not sublet the premises or any part thereof without the prior written consent of the landlord, which shall not be unreasonably withheld.",
		"A garden path": "The old man the boats. The complex houses married and single soldiers and their families.",
	},
	de: { "Ein Bericht": "Der Rat hat am Dienstag beschlossen, das alte Theater wieder zu öffnen. Die Arbeiten beginnen im Frühling." },
	es: { "Una noticia": "El ayuntamiento decidió el martes abrir de nuevo el viejo teatro. Las obras empezarán en primavera." },
	fr: { "Une nouvelle": "La mairie a décidé mardi de rouvrir le vieux théâtre. Les travaux commenceront au printemps." },
	it: { "Una notizia": "Il comune ha deciso martedì di riaprire il vecchio teatro. I lavori cominceranno in primavera." },
	nl: { "Een bericht": "De raad besloot dinsdag het oude theater weer te openen. Het werk begint in het voorjaar." },
	sv: { "En nyhet": "Rådet beslutade i tisdags att öppna den gamla teatern igen. Arbetet börjar till våren." },
	tr: { "Bir haber": "Belediye eski tiyatroyu yeniden açmaya karar verdi. Çalışmalar ilkbaharda başlayacak." },
	ar: { "خبر": "قررت المدينة فتح المسرح القديم من جديد. يبدأ العمل في الربيع." },
	zh: { "消息": "市政府星期二决定重新开放老剧院。工程将在春天开始。" },
};

export function textsFor(language) {
	return TEXTS[language] ?? Object.assign({}, ...Object.values(TEXTS));
}

export function languageName(code) {
	try {
		return new Intl.DisplayNames(["en"], { type: "language" }).of(code);
	} catch {
		return code;
	}
}
