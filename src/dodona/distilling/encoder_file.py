"""Encoders in one file of a quarter of their size: matrices as int8 with a scale for each row.

The file is a zip archive of `config.json` and `tokenizer.json`, as `transformers` writes them, and
of the weights in the layout of model files. Teachers go on learning from such an encoder, which
makes up for the rounding.
"""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import torch

from dodona.extras import require
from dodona.storage import container
from dodona.storage.atomic import atomic_write
from dodona.storage.container import Array

SUFFIX = ".encoder"
KIND, VERSION = "encoder", 1
CONFIG, TOKENIZER, WEIGHTS = "config.json", "tokenizer.json", "weights"
SPECIAL = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
LARGEST = 300_000_000  # bytes of a part
EPOCH = (1980, 1, 1, 0, 0, 0)  # of all parts, so that equal encoders give equal bytes

AnyArray = Any  # of NumPy


def pack_encoder(folder: Path, path: Path) -> None:
    """Write the encoder of a folder as one file."""
    transformers = require("transformers", "teachers")
    model = transformers.AutoModel.from_pretrained(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    arrays: dict[str, Array] = {}
    sizes: dict[str, list[int]] = {}
    for name, value in model.state_dict().items():
        if value.is_floating_point():
            sizes[name] = list(value.shape)
            arrays |= _packed(name, value.float().numpy())
    special = {name: getattr(tokenizer, name) for name in SPECIAL}
    about = {"model_type": model.config.model_type, "special": special, "sizes": sizes}
    parts = {
        CONFIG: json.dumps(model.config.to_diff_dict(), sort_keys=True).encode(),
        TOKENIZER: tokenizer.backend_tokenizer.to_str().encode(),
        WEIGHTS: container.to_bytes(KIND, VERSION, about, arrays),
    }
    with atomic_write(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(zipfile.ZipInfo(name, EPOCH), data, zipfile.ZIP_DEFLATED)


def _packed(name: str, value: AnyArray) -> dict[str, Array]:
    """Return a matrix as int8 with scales, anything else as it is."""
    if value.ndim != 2:
        return {name: Array("F32", memoryview(np.ascontiguousarray(value).ravel()).cast("B"))}
    scale = np.maximum(np.abs(value).max(axis=1), 1e-12).astype(np.float32) / 127
    rows = np.rint(value / scale[:, None]).astype(np.int8)
    return {
        name: Array("I8", memoryview(rows.ravel()).cast("B")),
        f"{name}.scale": Array("F32", memoryview(scale).cast("B")),
    }


def unpack_encoder(path: Path) -> tuple[Any, Any]:
    """Return the model and the tokenizer of a file."""
    transformers, tokenizers = require("transformers", "teachers"), require("tokenizers", "teachers")
    try:
        with zipfile.ZipFile(path) as archive:
            if any(part.file_size > LARGEST for part in archive.infolist()):
                raise ValueError("a part is too large")
            config, pieces, weights = (archive.read(n) for n in (CONFIG, TOKENIZER, WEIGHTS))
        about, arrays = container.from_bytes(weights, KIND, VERSION, VERSION)
        settings = json.loads(config)
        kind = transformers.CONFIG_MAPPING[about["model_type"]]
        model = transformers.AutoModel.from_config(kind.from_dict(settings))
        found = {name: _unpacked(name, size, arrays) for name, size in about["sizes"].items()}
        model.load_state_dict({k: torch.from_numpy(v) for k, v in found.items()}, strict=False)
        tokenizer = transformers.PreTrainedTokenizerFast(
            tokenizer_object=tokenizers.Tokenizer.from_str(pieces.decode()), **about["special"]
        )
    except (OSError, zipfile.BadZipFile, KeyError, ValueError, RuntimeError) as error:
        raise ValueError(f"{path}: not an encoder that can be read ({error})") from error
    return model, tokenizer


def _unpacked(name: str, size: list[int], arrays: dict[str, memoryview]) -> AnyArray:
    if f"{name}.scale" not in arrays:
        return np.frombuffer(arrays[name], np.float32).reshape(size).copy()
    scale = np.frombuffer(arrays[f"{name}.scale"], np.float32)
    rows = np.frombuffer(arrays[name], np.int8).reshape(size)
    return rows * scale[:, None]
