"""Workbenches for the tests of their pages: a small treebank, a small model, a server."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from dodona.server.http.guard import ConnectionGuard
from dodona.server.http.serving import serve
from dodona.server.limits import Limits
from dodona.server.workbench.endpoints import Endpoints
from dodona.server.workbench.site import make_site
from dodona.synthetic.generator import synthetic_treebank, to_conllu
from support import small

TOKEN = "whispered-by-oaks"
PRIEST = """\
# sent_id = priest
# text = The old priests sleep.
1\tThe\tthe\tDET\t_\t_\t3\tdet\t_\t_
2\told\told\tADJ\t_\t_\t3\tamod\t_\t_
3\tpriests\tpriest\tNOUN\t_\tNumber=Plur\t4\tnsubj\t_\t_
4\tsleep\tsleep\tVERB\t_\t_\t0\troot\t_\tSpaceAfter=No
5\t.\t.\tPUNCT\t_\t_\t4\tpunct\t_\t_

"""
HEBREW = """\
# text = עץ גבה מדבר
1\tעץ\t_\tNOUN\t_\t_\t3\tnsubj\t_\t_
2\tגבה\t_\tADJ\t_\t_\t1\tamod\t_\t_
3\tמדבר\t_\tVERB\t_\t_\t0\troot\t_\t_

"""
HOSTILE = """\
# note = <img src=x onerror=alert(1)>
# text = <b>oak</b> &amp;
1\t<b>oak</b>\t<script>alert(1)</script>\tNOUN\t<i>\t_\t2\tnsubj:"><u>\t_\t_
2\t&amp;\t_\tVERB\t_\t_\t0\troot\t_\tGloss=<s>

"""


def bare(n_words: int, sent_id: str = "bare") -> str:
    """Words without tags and heads."""
    words = [f"w{i}" for i in range(1, n_words + 1)]
    rows = [f"{i}\t{word}" + "\t_" * 8 for i, word in enumerate(words, 1)]
    head = [f"# sent_id = {sent_id}", f"# text = {' '.join(words)}"]
    return "\n".join([*head, *rows, "", ""])


def invented(n_sentences: int, *, seed: int = 5, is_bare: bool = False) -> str:
    """Sentences of the invented language, with trees or without tags and trees."""
    found = synthetic_treebank(n_sentences, seed, nonprojective=0)
    text = "".join(to_conllu(sentence, f"s{i}") for i, sentence in enumerate(found, 1))
    if not is_bare:
        return text
    lines = (line.split("\t") for line in text.split("\n"))
    return "\n".join("\t".join([*x[:2], *"_" * 6, *x[8:]] if x[1:] else x) for x in lines)


def long_sentence(n_words: int) -> str:
    """A sentence of the invented language with at least so many words, without tags and trees."""
    forms: list[str] = []
    for sentence in synthetic_treebank(n_words, 3, nonprojective=0):
        forms += sentence.forms[:-1]
        if len(forms) >= n_words:
            break
    rows = [f"{i}\t{form}" + "\t_" * 8 for i, form in enumerate(forms[:n_words], 1)]
    return "\n".join([f"# text = {' '.join(forms[:n_words])}", *rows, "", ""])


def save_model(folder: Path) -> Path:
    """Write a small model that tags and parses the invented language."""
    path = folder / "small.dodona"
    if not path.exists():
        small.train(small.treebank(80, 1, 0.0), tags="predicted").save(path)
    return path


@contextmanager
def opened(served: Endpoints) -> Iterator[str]:
    """Serve a workbench; yield its address, without the token."""
    listening = socket.create_server(("127.0.0.1", 0))
    loop, end = asyncio.new_event_loop(), asyncio.Event()
    site = make_site(served, TOKEN, ["127.0.0.1"])
    running = serve(site, listening, ConnectionGuard(Limits()), end=end)
    thread = threading.Thread(target=loop.run_until_complete, args=(running,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        loop.call_soon_threadsafe(end.set)
        thread.join()
        loop.close()
        served.workbench.close()
