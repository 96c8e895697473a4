"""The resumable steps of `dodona distil`, from treebanks and raw text to a student.

  segmenter   splits text into sentences and words; also a part of the model
  lemmas      a lemmatiser trained on gold, as teachers do not lemmatise
  sentences   the sentences of the text that are worth annotating
  teachers    large networks trained on gold, perhaps on top of pretrained transformers
  silver      the sentences, annotated by the ensemble of teachers, or by models that are given
  student     a small network trained on gold and silver

Only teachers and silver need a GPU; the student trains faster with one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import chain
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from dodona.core.base.values import to_float, to_int
from dodona.core.tagging.tag_templates import LEMMA
from dodona.core.transitions.registry import find_system
from dodona.distilling.silver_parts import (
    Annotator,
    Report,
    annotate_parts,
    file_checksum,
    write_sentences,
)
from dodona.distilling.step_folder import StepFolder
from dodona.distilling.teacher_settings import TeacherSettings
from dodona.distilling.text_selection import SentenceFilter, find_scripts, find_texts, name_texts
from dodona.extras import require
from dodona.models import locate
from dodona.parsing.parser import Parser
from dodona.parsing.preparation import load_trees
from dodona.parsing.trainer import score_trees
from dodona.pipeline.assembly import SegmenterSource
from dodona.pipeline.sources import NONE, TRAIN, PartSources
from dodona.segmentation.segmenter import Segmenter
from dodona.settings import NEURAL, Settings
from dodona.tagging.lemma_lexicon import NO_LEMMAS
from dodona.training.harmony_list import read_harmony
from dodona.training.loop import Epoch
from dodona.training.loop import Report as EpochReport
from dodona.training.treebanks import checksum
from dodona.treebank.conllu.reader import read
from dodona.treebank.sentence import Sentence
from dodona.treebank.trees.projectivity import is_projective

if TYPE_CHECKING:
    from dodona.distilling.ensemble import TeacherEnsemble
    from dodona.distilling.teacher_inventory import TeacherInventory
    from dodona.distilling.teacher_training import Teacher
    from dodona.pipeline.text_trainer import TextTrainer
    from dodona.training.neural.gold_treebanks import GoldTreebanks

STEPS = ("segmenter", "lemmas", "sentences", "teachers", "silver", "student")
CHECKPOINT_SECONDS = 120  # between checkpoints of a teacher: it is large, and epochs are short
NON_PROJECTIVE = 0.05  # share of gold sentences from which on teachers build crossing arcs


@dataclass(frozen=True)
class Recipe:
    """Data and settings of a distillation."""

    train: Sequence[str]  # treebanks; the first defines labels and tags
    work: Path  # folder of the steps
    dev: str | None = None
    text: Sequence[str] = ()  # files and folders
    held_out: Sequence[str] = ()  # files whose sentences are left out of the text
    silver: Sequence[str] = ()  # annotated files, instead of text
    by: Sequence[str] = ()  # models that annotate the text by vote, instead of teachers
    segmenter: str = TRAIN  # or "none", or a model with one
    raw: Sequence[str] = ()  # files of text for training the segmenter …
    abbreviations: str = ""  # … and a list of abbreviations
    segmenter_size: int = 0  # of its file, in kB; 0: any
    lemma_size: int = 0  # of the weights of lemmas, in kB; 0: any
    lexicon: str = ""  # a list of words with their lemmas
    harmony: str = ""  # a list of decisions where treebanks disagree
    n_teachers: int = 1
    encoders: Sequence[str] = ()  # pretrained transformers, under the teachers in turn
    teacher: dict[str, Any] = field(default_factory=dict)  # settings of TeacherSettings
    per_gold: float = 2.0
    soft: bool = False  # learn the teachers' probabilities of heads and tags …
    votes: bool = False  # … and the optimal actions by the tree of each teacher
    variants: float = 0.0  # share of sentences learned from in another casing, or without marks
    longest: int = 100
    settings: Settings = field(default_factory=lambda: Settings(scorer=NEURAL))

    def __post_init__(self) -> None:
        if not self.train:
            raise ValueError("no treebank to learn from")
        if bool(self.text) == bool(self.silver):
            raise ValueError("give either text for teachers to annotate, or annotated silver")
        if self.by and (self.silver or self.encoders or self.teacher or self.n_teachers > 1):
            raise ValueError("models that annotate take the place of teachers and of given silver")
        if self.by and (self.soft or self.votes):
            raise ValueError("soft targets and votes are those of teachers, not of models")
        if self.settings.scorer != NEURAL:
            raise ValueError("a student is a network: scorer='neural'")
        if (self.raw or self.abbreviations or self.segmenter_size) and self.segmenter != TRAIN:
            raise ValueError(
                "raw text, abbreviations and a size are for a segmenter that is trained"
            )
        vars(self).update(  # plain values, for records
            segmenter_size=to_int(self.segmenter_size, "segmenter_size"),
            lemma_size=to_int(self.lemma_size, "lemma_size"),
            n_teachers=to_int(self.n_teachers, "teachers"),
            longest=to_int(self.longest, "longest"),
            per_gold=to_float(self.per_gold, "per_gold"),
        )
        if self.n_teachers < 1:
            raise ValueError(f"teachers: at least 1, not {self.n_teachers}")
        if min(self.segmenter_size, self.lemma_size) < 0:
            raise ValueError("sizes are at least 0")
        if not 0 <= self.variants <= 1:
            raise ValueError(f"variants: a share from 0 to 1, not {self.variants}")
        if len(self.encoders) > self.n_teachers:
            raise ValueError(f"{len(self.encoders)} encoders, but {self.n_teachers} teachers")
        if self.votes and self.text and self.n_teachers < 2:
            raise ValueError("votes need at least two teachers")


class Distillation:
    """The execution of a recipe; complete steps are not repeated. `report` takes progress lines."""

    def __init__(self, recipe: Recipe, report: Report = lambda _: None) -> None:
        require("jax", "neural")
        self.recipe, self.report = recipe, report
        self.texts = find_texts(recipe.text)
        given = (*recipe.train, *recipe.held_out, *recipe.silver, *recipe.raw)
        lists = recipe.abbreviations, recipe.lexicon, recipe.harmony
        for path in (*given, *lists, recipe.dev):
            if path and not Path(path).is_file():
                raise ValueError(f"{path}: no such file")

    def run(self, until: str = STEPS[-1]) -> None:
        """Run the steps up to `until`, without the training of the student (see `student`)."""
        if self.recipe.lexicon and not self._has_lemmas:
            raise ValueError(NO_LEMMAS)  # before the other steps take hours
        if self.recipe.silver and until != "lemmas":
            until = "segmenter"
        step = "silver" if until == "student" else until
        if self.recipe.by and step == "teachers":
            raise ValueError("there is no step of teachers: given models annotate the text")
        if step == "silver":
            for name in self.recipe.by:
                locate(name)  # a missing one is named before the other steps take hours
        if step in ("teachers", "silver") and not self.recipe.by:
            require("torch", "teachers")
            if self.recipe.encoders:
                require("transformers", "teachers")
        getattr(self, step)()

    # --- data

    @cached_property
    def gold(self) -> GoldTreebanks:
        """Return the treebanks."""
        from dodona.training.neural.gold_treebanks import GoldTreebanks

        first, *more = self.recipe.train
        decided = read_harmony(self.recipe.harmony) if self.recipe.harmony else None
        return GoldTreebanks.load(first, more, decided)

    @cached_property
    def dev(self) -> list[Sentence]:
        """Return the dev set; empty if there is none."""
        return load_trees(self.recipe.dev) if self.recipe.dev is not None else []

    @cached_property
    def inventory(self) -> TeacherInventory:
        """Return the words, labels and tags that all teachers share."""
        from dodona.distilling.teacher_inventory import TeacherInventory
        from dodona.training.neural.network import read_vectors

        vectors = self.recipe.settings.network.vectors
        return TeacherInventory(self.gold, read_vectors(vectors) if vectors else None)

    @cached_property
    def _gold_columns(self) -> Sequence[str]:
        """The columns of tags and lemmas that the treebanks have."""
        from dodona.tagging.word_learning import find_tags

        return find_tags(self.gold.first, self.gold.sentences)

    @property
    def _has_lemmas(self) -> bool:
        return LEMMA in self._gold_columns

    @cached_property
    def _checksum_gold(self) -> str:
        return checksum(map(bytes, chain(self.gold.sentences, self.dev)))

    def _step(self, name: str, **made_from: Any) -> StepFolder:
        return StepFolder(self.recipe.work / name, made_from)

    def _report_epoch(self, epoch: Epoch) -> None:
        dev = " ".join(f"{name} {score:.2f}" for name, score in epoch.scores.items())
        speed = f"{epoch.words_per_second:,.0f} words/s"
        shown = f"  dev {dev}" if dev else ""
        self.report(f"{epoch.part}, epoch {epoch.number}  {speed}{shown}")

    # --- the steps

    def segmenter(self) -> Path | None:
        """Train or copy the segmenter and return its file; None if the recipe has none."""
        recipe, seed = self.recipe, self.recipe.settings.seed
        if recipe.segmenter == NONE:
            return None

        def make(path: Path) -> None:
            raw, listed = tuple(recipe.raw), recipe.abbreviations
            parts = PartSources(
                recipe.segmenter,
                raw=raw,
                abbreviations=listed,
                segmenter_size=recipe.segmenter_size,
            )
            source = SegmenterSource(parts, self.gold.with_spacing, self.dev or None, seed)
            for epoch in source.trainer.epochs() if source.trainer is not None else ():
                self._report_epoch(epoch)
            found = source.segmenter()
            assert found is not None  # the recipe has one
            found.save(path)

        made_from = {"gold": self._checksum_gold, "source": self._segmented_by(), "seed": seed}
        return self._step("segmenter", **made_from).single_file("segmenter.dodona", make)

    def lemmas(self) -> Path | None:
        """Train the lemmatiser and return its last checkpoint; None if gold has no lemmas."""
        from dodona.training.neural.strategy import lemma_trainer

        if not self._has_lemmas:
            return None
        seed, lexicon = self.recipe.settings.seed, self.recipe.lexicon
        size = self.recipe.lemma_size

        def make(path: Path) -> None:
            trainer = lemma_trainer(self.gold, self.dev, seed, lexicon, 1000 * size)
            if path.exists():
                trainer.resume(path)
            for epoch in trainer.epochs(checkpoint=path):
                self._report_epoch(epoch)

        listed = {"lexicon": file_checksum(Path(lexicon))} if lexicon else {}
        within = {"size": size} if size else {}
        step = self._step("lemmas", gold=self._checksum_gold, seed=seed, **listed, **within)
        return step.single_file("lemmas.checkpoint", make)

    def sentences(self) -> StepFolder:
        """Select the sentences of the text that are worth annotating."""
        step = self._step(
            "sentences",
            text={name: file_checksum(path) for path, name in name_texts(self.texts).items()},
            held_out=sorted(file_checksum(Path(path)) for path in self.recipe.held_out),
            gold=self._checksum_gold,
            segmenter=self._segmented_by(),
            longest=self.recipe.longest,
        )
        if not step.is_done:
            path = self.segmenter()
            segmenter = Segmenter.load(path) if path else None
            wanted = SentenceFilter(find_scripts(self.gold.sentences), self.recipe.longest)
            others = chain.from_iterable(read(p, trees="ignored") for p in self.recipe.held_out)
            wanted.hold_out(chain(self.gold.sentences, self.dev, others))
            write_sentences(step, self.texts, segmenter, wanted, self.report)
        return step

    def _segmented_by(self) -> list[str]:
        recipe = self.recipe
        beside = map(Path, filter(None, (*recipe.raw, recipe.abbreviations)))
        taken = PartSources(recipe.segmenter).checksums().values()
        size = [f"{recipe.segmenter_size} kB"] if recipe.segmenter_size else []
        return [Path(recipe.segmenter).name, *taken, *map(file_checksum, beside), *size]

    def teacher_settings(self) -> list[TeacherSettings]:
        """Return the settings of each teacher; they differ in their seeds and encoders."""
        base = TeacherSettings(**{"seed": self.recipe.settings.seed, **self.recipe.teacher})
        encoders = self.recipe.encoders or [""]
        return [
            replace(base, seed=base.seed + i, encoder=encoders[i % len(encoders)])
            for i in range(self.recipe.n_teachers)
        ]

    def teachers(self) -> list[Teacher]:
        """Load the teachers, and train those that are missing."""
        return [self._teacher(*numbered) for numbered in enumerate(self.teacher_settings(), 1)]

    def _teacher_step(self, number: int, settings: TeacherSettings) -> StepFolder:
        from dodona.distilling.teacher_training import describe_teacher

        return self._step(f"teachers/{number}", **describe_teacher(self.inventory, settings))

    def _teacher(self, number: int, settings: TeacherSettings) -> Teacher:
        from dodona.distilling.teacher_training import Teacher, TeacherTrainer, describe_teacher

        step = self._teacher_step(number, settings)
        path = step.folder / "teacher.dodona"
        if step.is_done:
            return Teacher.load(path, self.inventory, settings)
        trainer = TeacherTrainer(self.inventory, settings)
        on = f" on {Path(settings.encoder).name}" if settings.encoder else ""
        self.report(f"teacher {number} of {self.recipe.n_teachers}{on}, {trainer.cost()}")
        checkpoint = step.folder / "teacher.checkpoint"
        if checkpoint.exists():
            trainer.resume(checkpoint)
        saved = monotonic()
        for epoch in trainer.epochs():
            if monotonic() - saved >= CHECKPOINT_SECONDS:
                trainer.save_checkpoint(checkpoint)
                saved = monotonic()
            self._report_epoch(epoch)
            if epoch.number == 1:
                self.report(f"teacher {number}: {trainer.time_left(epoch)}")
        teacher = trainer.teacher()
        teacher.save(path, describe_teacher(self.inventory, settings))
        step.add(path.name, sha256=file_checksum(path))
        checkpoint.unlink(missing_ok=True)
        scores = self._score([teacher])
        step.finish(dev=scores)
        self.report(f"teacher {number}: {_shown(scores)}")
        return teacher

    def _ensemble(self, teachers: list[Teacher]) -> TeacherEnsemble:
        from dodona.distilling.ensemble import TeacherEnsemble

        return TeacherEnsemble(self.inventory, teachers, projective=self.is_projective)

    @cached_property
    def is_projective(self) -> bool:
        """Return whether teachers build only projective trees: student and gold allow it."""
        sentences = [s for s in self.gold.first if None not in s.heads]
        n_crossing = sum(not is_projective([head or 0 for head in s.heads]) for s in sentences)
        few = n_crossing < NON_PROJECTIVE * len(sentences)
        return find_system(self.recipe.settings.system).projective_only and few

    def _score(self, teachers: list[Teacher]) -> dict[str, float]:
        """Score an ensemble of teachers on the dev set."""
        if not self.dev:
            return {}
        columns = [answers.column for answers in self.inventory.tags.tag_classes]
        parsed = self._ensemble(teachers).sentences(self.dev)
        return score_trees(self.dev, parsed, self.recipe.settings, columns)

    def silver(self) -> StepFolder:
        """Annotate the sentences by all teachers, or by the models that are given."""
        sentences = self.sentences()
        files = {name: about["sha256"] for name, about in sentences.files.items()}
        step = self._step("silver", sentences=files, **self._annotated_by())
        if step.is_done:
            return step
        annotator, scores = self._committee() if self.recipe.by else self._taught()
        annotate_parts(step, sentences, annotator, self.report)
        step.finish(dev=scores, words=sum(about["words"] for about in step.files.values()))
        return step

    def _annotated_by(self) -> dict[str, Any]:
        """Return what determines the annotation."""
        if self.recipe.by:
            models = [file_checksum(locate(name)) for name in self.recipe.by]
            return {"by": models, "projective": self.is_projective}
        from dodona.distilling.teacher_training import describe_teacher

        settings = [describe_teacher(self.inventory, one) for one in self.teacher_settings()]
        return {
            "teachers": [one["settings"] for one in settings],
            "taught": self.inventory.checksums(),
            "projective": self.is_projective,
        }

    def _taught(self) -> tuple[Annotator[Any], dict[str, float]]:
        """Return the ensemble of teachers, and its scores."""
        teachers = self.teachers()
        scores = self._score(teachers)
        if len(teachers) > 1 and scores:
            self.report(f"ensemble of all teachers: {_shown(scores)}")
        return self._ensemble(teachers), scores

    def _committee(self) -> tuple[Annotator[Any], dict[str, float]]:
        """Return the committee of the given models, and its scores."""
        from dodona.distilling.committee import COLUMNS, Committee

        parsers = [Parser.load(locate(name)) for name in self.recipe.by]
        committee = Committee(parsers, projective=self.is_projective)
        if not self.dev:
            return committee, {}
        columns = [column for column in COLUMNS if column in self._gold_columns]
        parsed = committee.annotate(self.dev)
        scores = score_trees(self.dev, parsed, self.recipe.settings, columns)
        self.report(f"committee of {len(parsers)}: {_shown(scores)}")
        return committee, scores

    # --- the student

    def student(self) -> TextTrainer:
        """Return the trainer of the student, with segmenter and lemmatiser complete."""
        from dodona.parsing.trainer import Trainer
        from dodona.pipeline.text_trainer import TextTrainer
        from dodona.training.neural.silver import SilverFiles
        from dodona.training.neural.strategy import NeuralStrategy

        recipe = self.recipe
        segmenter, lemmas = self.segmenter(), self.lemmas()
        paths = [Path(path) for path in recipe.silver] or self.silver().paths()
        silver = SilverFiles(
            tuple(paths), recipe.per_gold, recipe.soft, recipe.votes, recipe.variants
        )
        strategy = NeuralStrategy(
            more=recipe.train[1:],
            silver=silver,
            lexicon=recipe.lexicon,
            harmony=recipe.harmony,
            variants=recipe.variants,
        )
        settings = recipe.settings.replace(tags="predicted")
        trainer = Trainer(recipe.train[0], recipe.dev, settings, strategy)
        if lemmas is not None and strategy.lemma_trainer is not None:
            strategy.lemma_trainer.resume(lemmas)
        return TextTrainer(trainer, PartSources(segmenter=str(segmenter) if segmenter else NONE))

    def epochs(
        self, trainer: TextTrainer, model: Path, report: EpochReport | None = None
    ) -> Iterator[Epoch]:
        """Run the remaining epochs of the student that becomes `model`, with checkpoints."""
        checkpoint = self.recipe.work / "students" / f"{model.stem}.checkpoint"
        checkpoint.parent.mkdir(parents=True, exist_ok=True)
        if checkpoint.exists():
            trainer.resume(checkpoint)
        yield from trainer.epochs(report, checkpoint)

    def with_record(self, parser: Parser) -> Parser:
        """Add the data that the parser learned from to its record, and return the parser."""
        parser.record["learned_from"] = [*self._sources()]
        return parser

    def _sources(self) -> Iterator[dict[str, Any]]:
        treebanks = [self.gold.first, *self.gold.others]
        for path, sentences in zip(self.recipe.train, treebanks, strict=True):
            name = "/".join(Path(path).parts[-2:])  # files of many treebanks have equal names
            yield _source("gold", Path(path), sum(map(len, sentences))) | {"file": name}
        for kind in ("abbreviations", "lexicon", "harmony"):
            if listed := getattr(self.recipe, kind):
                yield _source(kind, Path(listed))
        if silver := [Path(path) for path in self.recipe.silver]:
            digest = checksum(path.read_bytes() for path in silver)
            name = silver[0].name if len(silver) == 1 else f"{len(silver)} files"
            yield {"kind": "silver", "file": name, "sha256": digest}
            return
        n_words = self.sentences().summary.get("words", {})
        for text, name in name_texts(self.texts).items():
            yield _source("text", text, n_words.get(name)) | {"file": name}
        for name in self.recipe.by:
            yield _source("teacher", locate(name))
        for number, settings in enumerate(self.teacher_settings() if not self.recipe.by else (), 1):
            step = self._teacher_step(number, settings)
            dev = step.summary.get("dev", {})
            on = {"encoder": Path(settings.encoder).name} if settings.encoder else {}
            for file in step.paths():
                yield _source("teacher", file) | {"file": f"teacher {number}", "dev": dev} | on


def _source(kind: str, path: Path, n_words: int | None = None) -> dict[str, Any]:
    found: dict[str, Any] = {"kind": kind, "file": path.name, "sha256": file_checksum(path)}
    return found if n_words is None else found | {"words": n_words}


def _shown(scores: dict[str, float]) -> str:
    return ", ".join(f"{name} {score:.2f}" for name, score in scores.items()) or "no dev set"
