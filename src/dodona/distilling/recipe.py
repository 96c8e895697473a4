"""From treebanks and raw text to a student: the steps of `dodona distil`, kept when they are done.

  segmenter   cuts text into sentences and words; a part of the model, too
  lemmas      learned from gold: teachers say nothing of them
  sentences   of the text, those that are worth annotating
  teachers    large networks that learn from gold
  silver      the sentences, annotated by all teachers together
  student     a network for parsing that learns from gold and silver

The first three need no GPU, nor does the last, which is quicker with one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from dodona.core.tagging.tag_templates import LEMMA
from dodona.core.transitions.registry import find_system
from dodona.distilling.parts import Tell, annotate_parts, file_checksum, write_sentences
from dodona.distilling.text import Filter, find_texts, scripts_of
from dodona.distilling.work import Step
from dodona.extras import require
from dodona.parsing.parser import Parser
from dodona.parsing.preparation import load_trees
from dodona.parsing.trainer import score_trees
from dodona.pipeline.segmenting import SegmenterSource
from dodona.pipeline.sources import NONE, TRAIN, PartSources
from dodona.segmentation.segmenter import Segmenter
from dodona.settings import NEURAL, Settings
from dodona.tagging.lemma_lexicon import NO_LEMMAS
from dodona.training.loop import Epoch, Report
from dodona.training.treebanks import checksum
from dodona.treebank.conllu.reader import read
from dodona.treebank.sentence import Sentence
from dodona.treebank.trees.projectivity import is_projective

if TYPE_CHECKING:
    from dodona.distilling.annotating import Teachers
    from dodona.distilling.subject import Subject
    from dodona.distilling.teaching import Teacher, TeacherSettings, TeacherTrainer
    from dodona.pipeline.text_trainer import TextTrainer
    from dodona.training.neural.gold_treebanks import GoldTreebanks

STEPS = ("segmenter", "lemmas", "sentences", "teachers", "silver", "student")
KEPT_EVERY = 60  # seconds, of a teacher on its way
CROSSING = 0.05  # of sentences with crossing arcs, from which on teachers build such arcs


@dataclass(frozen=True)
class Recipe:
    """What to make, of what."""

    train: Sequence[str]  # treebanks; the first says which labels and tags there are
    work: Path  # what the steps keep
    dev: str | None = None
    text: Sequence[str] = ()  # files and folders
    held_out: Sequence[str] = ()  # files whose sentences nobody may have seen
    silver: Sequence[str] = ()  # that is there already
    segmenter: str = TRAIN  # or none, or a model to take it from
    raw: Sequence[str] = ()  # files of text that it learns from, too …
    abbreviations: str = ""  # … and a list
    lexicon: str = ""  # a list of words with their lemmas
    n_teachers: int = 1
    teacher: dict[str, Any] = field(default_factory=dict)  # settings of TeacherSettings
    per_gold: float = 2.0
    soft: bool = False  # learn how probable heads and tags are …
    votes: bool = False  # … and what each teacher holds to be right in a state
    longest: int = 100
    settings: Settings = field(default_factory=lambda: Settings(scorer=NEURAL))

    def __post_init__(self) -> None:
        if not self.train:
            raise ValueError("no treebank to learn from")
        if bool(self.text) == bool(self.silver):
            raise ValueError("give either text for teachers to annotate, or silver that is there")
        if self.settings.scorer != NEURAL:
            raise ValueError("a student is a network: scorer='neural'")
        if (self.raw or self.abbreviations) and self.segmenter != TRAIN:
            raise ValueError("raw text and abbreviations are for a segmenter that is trained")
        if self.n_teachers < 1:
            raise ValueError(f"teachers: at least 1, not {self.n_teachers}")
        if self.votes and self.text and self.n_teachers < 2:
            raise ValueError("votes need two teachers at least")


class Distillation:
    """A recipe at work. Steps that are done are not done again."""

    def __init__(self, recipe: Recipe, tell: Tell = lambda _: None) -> None:
        require("jax", "neural")
        self.recipe, self.tell = recipe, tell
        self.texts = find_texts(recipe.text)
        given = (*recipe.train, *recipe.held_out, *recipe.silver, *recipe.raw)
        for path in (*given, recipe.abbreviations, recipe.lexicon, recipe.dev):
            if path and not Path(path).is_file():
                raise ValueError(f"{path}: no such file")

    def run(self, until: str = STEPS[-1]) -> None:
        """What this step needs, and the step itself; that of the student is `student`."""
        if self.recipe.lexicon and not self._has_lemmas:
            raise ValueError(NO_LEMMAS)  # before the hours that other steps take
        if until == "lemmas":  # which nothing waits for but the student
            self.lemmas()
        elif until == "segmenter" or self.recipe.silver:
            self.segmenter()
        elif until == "sentences":
            self.sentences()
        elif until == "teachers":
            self.teachers()
        else:
            self.silver()

    # --- what is learned from

    @cached_property
    def gold(self) -> GoldTreebanks:
        """The treebanks."""
        from dodona.training.neural.gold_treebanks import GoldTreebanks

        first, *more = self.recipe.train
        return GoldTreebanks.load(first, more)

    @cached_property
    def dev(self) -> list[Sentence]:
        """The dev set, if there is one."""
        return load_trees(self.recipe.dev) if self.recipe.dev is not None else []

    @cached_property
    def subject(self) -> Subject:
        """What teachers teach."""
        from dodona.distilling.subject import Subject
        from dodona.training.neural.vectors import read_vectors

        vectors = self.recipe.settings.vectors
        return Subject(self.gold, read_vectors(vectors) if vectors else None)

    @property
    def _has_lemmas(self) -> bool:
        from dodona.training.neural.tag_heads import find_tags

        return LEMMA in find_tags(self.gold.first)

    @cached_property
    def _checksum_gold(self) -> str:
        return checksum(map(bytes, chain(self.gold.sentences, self.dev)))

    def _step(self, name: str, **made_from: Any) -> Step:
        return Step.open(self.recipe.work / name, made_from)

    def _epoch(self, epoch: Epoch) -> None:
        scores = " ".join(f"{name} {score:.2f}" for name, score in epoch.scores.items())
        of_dev = f"  dev {scores}" if scores else ""
        speed = f"{epoch.words_per_second:,.0f} words/s"
        self.tell(f"{epoch.part}, epoch {epoch.number}  {speed}{of_dev}")

    # --- the steps

    def segmenter(self) -> Path | None:
        """The file of the segmenter, or none."""
        recipe = self.recipe
        if recipe.segmenter == NONE:
            return None
        step = self._step(
            "segmenter",
            gold=self._checksum_gold,
            source=self._segmented_by(),
            seed=recipe.settings.seed,
        )
        path = step.folder / "segmenter.dodona"
        if not step.is_done:
            parts = PartSources(
                recipe.segmenter, raw=tuple(recipe.raw), abbreviations=recipe.abbreviations
            )
            seed = recipe.settings.seed
            source = SegmenterSource(parts, self.gold.sentences, self.dev or None, seed)
            if source.trainer is not None:
                for epoch in source.trainer.epochs():
                    self._epoch(epoch)
            found = source.segmenter()
            assert found is not None  # it was trained or taken
            found.save(path)
            step.note(path.name, {})
            step.finish({})
        return path

    def lemmas(self) -> Path | None:
        """The checkpoint of lemmas all of whose epochs are done; none where gold has none."""
        from dodona.training.neural.strategy import lemma_trainer

        if not self._has_lemmas:
            return None
        seed = self.recipe.settings.seed
        lexicon = self.recipe.lexicon
        listed = {"lexicon": file_checksum(Path(lexicon))} if lexicon else {}
        step = self._step("lemmas", gold=self._checksum_gold, seed=seed, **listed)
        path = step.folder / "lemmas.checkpoint"
        if not step.is_done:
            trainer = lemma_trainer(self.gold, self.dev, seed, lexicon)
            if path.exists():
                trainer.resume(path)
            for epoch in trainer.epochs(checkpoint=path):
                self._epoch(epoch)
            step.note(path.name, {})
            step.finish({})
        return path

    def sentences(self) -> Step:
        """The sentences of the text that are worth annotating."""
        step = self._step(
            "sentences",
            text={path.name: file_checksum(path) for path in self.texts},
            held_out=sorted(file_checksum(Path(path)) for path in self.recipe.held_out),
            gold=self._checksum_gold,
            segmenter=self._segmented_by(),
            longest=self.recipe.longest,
        )
        if not step.is_done:
            path = self.segmenter()
            segmenter = Segmenter.load(path) if path else None
            write_sentences(step, self.texts, segmenter, self._filter(), self.tell)
        return step

    def _segmented_by(self) -> list[str]:
        recipe = self.recipe
        beside = [Path(path) for path in (*recipe.raw, recipe.abbreviations) if path]
        taken = PartSources(recipe.segmenter).checksums().values()
        return [Path(recipe.segmenter).name, *taken, *map(file_checksum, beside)]

    def _filter(self) -> Filter:
        found = Filter(scripts_of(self.gold.sentences), self.recipe.longest)
        found.hold_out(self.gold.sentences)
        found.hold_out(self.dev)
        for path in self.recipe.held_out:
            found.hold_out(read(path, trees="ignored"))
        return found

    def teacher_settings(self) -> list[TeacherSettings]:
        """Those of each teacher: they differ in their seeds."""
        from dodona.distilling.teaching import TeacherSettings

        base = TeacherSettings(**{"seed": self.recipe.settings.seed, **self.recipe.teacher})
        return [replace(base, seed=base.seed + i) for i in range(self.recipe.n_teachers)]

    def teachers(self) -> list[Teacher]:
        """All teachers; those that are not there yet are trained."""
        return [self._teacher(number, chosen) for number, chosen in self._numbered()]

    def _numbered(self) -> Iterable[tuple[int, TeacherSettings]]:
        return enumerate(self.teacher_settings(), 1)

    def _teacher(self, number: int, settings: TeacherSettings) -> Teacher:
        from dodona.distilling.teaching import Teacher, TeacherTrainer, about_teacher

        about = about_teacher(self.subject, settings)
        step = self._step(f"teachers/{number}", **about)
        path = step.folder / "teacher.dodona"
        if step.is_done:
            return Teacher.load(path, self.subject, settings)
        self.tell(f"teacher {number} of {self.recipe.n_teachers}")
        trainer = TeacherTrainer(self.subject, settings)
        checkpoint = step.folder / "teacher.checkpoint"
        self._learn(trainer, checkpoint)
        teacher = trainer.teacher()
        teacher.save(path, about)
        step.note(path.name, {"sha256": file_checksum(path)})
        checkpoint.unlink(missing_ok=True)
        scores = self._score([teacher])
        step.finish({"dev": scores})
        self.tell(f"teacher {number}: {_said(scores)}")
        return teacher

    def _learn(self, trainer: TeacherTrainer, checkpoint: Path) -> None:
        """All epochs that are left. A teacher on its way is large: it is not kept at every epoch,
        which on a GPU takes seconds, but often enough that little is lost."""
        if checkpoint.exists():
            trainer.resume(checkpoint)
        kept = monotonic()
        for epoch in trainer.epochs():
            if monotonic() - kept >= KEPT_EVERY:
                trainer.save_checkpoint(checkpoint)
                kept = monotonic()
            self._epoch(epoch)

    def _together(self, teachers: list[Teacher]) -> Teachers:
        from dodona.distilling.annotating import Teachers

        return Teachers(self.subject, teachers, projective=self.is_projective)

    @cached_property
    def is_projective(self) -> bool:
        """Whether teachers build projective trees: where the student can build no others, and gold
        has next to none."""
        sentences = [s for s in self.gold.first if None not in s.heads]
        n_crossing = sum(not is_projective([head or 0 for head in s.heads]) for s in sentences)
        few = n_crossing < CROSSING * len(sentences)
        return find_system(self.recipe.settings.system).projective_only and few

    def _score(self, teachers: list[Teacher]) -> dict[str, float]:
        """How good they are together on the dev set."""
        if not self.dev:
            return {}
        columns = [answers.column for answers in self.subject.tags.tag_classes]
        parsed = self._together(teachers).sentences(self.dev)
        return score_trees(self.dev, parsed, self.recipe.settings, columns)

    def silver(self) -> Step:
        """The sentences, annotated."""
        sentences = self.sentences()
        step = self._step(
            "silver",
            sentences={name: about["sha256"] for name, about in sentences.parts.items()},
            teachers=[asdict(settings) for settings in self.teacher_settings()],
            taught=self.subject.checksums(),
            projective=self.is_projective,
        )
        if step.is_done:
            return step
        teachers = self.teachers()
        scores = self._score(teachers)
        if len(teachers) > 1 and scores:
            self.tell(f"all teachers together: {_said(scores)}")
        annotate_parts(step, sentences, self._together(teachers), self.tell)
        words = sum(about["words"] for about in step.parts.values())
        step.finish({"dev": scores, "words": words})
        return step

    # --- the student

    def student(self) -> TextTrainer:
        """What trains the student; lemmas and segmenter are there."""
        from dodona.parsing.trainer import Trainer
        from dodona.pipeline.text_trainer import TextTrainer
        from dodona.training.neural.silver import SilverFiles
        from dodona.training.neural.strategy import NeuralStrategy

        recipe = self.recipe
        segmenter, lemmas = self.segmenter(), self.lemmas()
        paths = [Path(path) for path in recipe.silver] or self.silver().paths()
        strategy = NeuralStrategy(
            more=recipe.train[1:],
            silver=SilverFiles(tuple(paths), recipe.per_gold, recipe.soft, recipe.votes),
            lexicon=recipe.lexicon,
        )
        settings = replace(recipe.settings, tags="predicted")
        trainer = Trainer(recipe.train[0], recipe.dev, settings, strategy)
        if lemmas is not None and strategy.lemma_trainer is not None:
            strategy.lemma_trainer.resume(lemmas)
        return TextTrainer(trainer, PartSources(segmenter=str(segmenter) if segmenter else NONE))

    def epochs(
        self, trainer: TextTrainer, model: Path, report: Report | None = None
    ) -> Iterator[Epoch]:
        """Run what is left of the training of a student that becomes this model."""
        checkpoint = self.checkpoint(model)
        if checkpoint.exists():
            trainer.resume(checkpoint)
        yield from trainer.epochs(report, checkpoint)

    def checkpoint(self, model: Path) -> Path:
        """Where the student that becomes this model keeps its state."""
        folder = self.recipe.work / "students"
        folder.mkdir(parents=True, exist_ok=True)
        return folder / f"{model.stem}.checkpoint"

    def with_record(self, parser: Parser) -> Parser:
        """The parser, which says what it learned from."""
        parser.record["learned_from"] = [*self._sources()]
        return parser

    def _sources(self) -> Iterable[dict[str, Any]]:
        treebanks = [self.gold.first, *self.gold.others]
        for path, sentences in zip(self.recipe.train, treebanks, strict=True):
            name = "/".join(Path(path).parts[-2:])  # files of many treebanks have the same names
            yield _source("gold", Path(path), sum(map(len, sentences))) | {"file": name}
        lists = {"abbreviations": self.recipe.abbreviations, "lexicon": self.recipe.lexicon}
        for kind, file in lists.items():
            if file:
                yield _source(kind, Path(file))
        if silver := [Path(path) for path in self.recipe.silver]:
            digest = checksum(path.read_bytes() for path in silver)
            name = silver[0].name if len(silver) == 1 else f"{len(silver)} files"
            yield {"kind": "silver", "file": name, "sha256": digest}
            return
        words = self.sentences().summary or {}
        for text in self.texts:
            yield _source("text", text, words.get("words", {}).get(text.name))
        for number, settings in self._numbered():
            folder = self.recipe.work / "teachers" / str(number)
            about = {"settings": asdict(settings), "checksums": self.subject.checksums()}
            step = Step.open(folder, about)
            for name in step.parts:
                dev = (step.summary or {}).get("dev", {})
                yield _source("teacher", folder / name) | {"file": f"teacher {number}", "dev": dev}


def _source(kind: str, path: Path, n_words: int | None = None) -> dict[str, Any]:
    found: dict[str, Any] = {"kind": kind, "file": path.name, "sha256": file_checksum(path)}
    return found if n_words is None else found | {"words": n_words}


def _said(scores: dict[str, float]) -> str:
    return ", ".join(f"{name} {score:.2f}" for name, score in scores.items()) or "no dev set"
