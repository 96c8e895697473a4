"""Encoders in one file of a quarter of their size: matrices as int8 with a scale for each row.

The file is a zip archive of `config.json` and `tokenizer.json`, as `transformers` writes them, of
the weights in the layout of model files, and perhaps of the layers of a teacher of many treebanks
(`joint_layers`). Teachers go on learning from such an encoder, which makes up for the rounding.
"""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
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
CONFIG, TOKENIZER, WEIGHTS, LAYERS = "config.json", "tokenizer.json", "weights", "layers"
SPECIAL = ("pad_token", "unk_token", "cls_token", "sep_token", "mask_token")
LARGEST = 300_000_000  # bytes of a part
EPOCH = (1980, 1, 1, 0, 0, 0)  # of all parts, so that equal encoders give equal bytes

AnyArray = Any  # of NumPy
Layers = tuple[dict[str, Any], dict[str, AnyArray]]  # a description, and arrays


def pack_encoder(folder: Path, path: Path, layers: Layers | None = None) -> None:
    """Write the encoder of a folder as one file, perhaps with the layers of a teacher."""
    transformers = require("transformers", "teachers")
    model = transformers.AutoModel.from_pretrained(folder)
    tokenizer = transformers.AutoTokenizer.from_pretrained(folder)
    weights = {
        name: value.float().numpy()
        for name, value in model.state_dict().items()
        if value.is_floating_point()
    }
    special = {name: getattr(tokenizer, name) for name in SPECIAL}
    about = {"model_type": model.config.model_type, "special": special}
    parts = {
        CONFIG: json.dumps(model.config.to_diff_dict(), sort_keys=True).encode(),
        TOKENIZER: tokenizer.backend_tokenizer.to_str().encode(),
        WEIGHTS: _to_bytes(about, weights),
    }
    if layers is not None:
        parts[LAYERS] = _to_bytes(*layers)
    with atomic_write(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(zipfile.ZipInfo(name, EPOCH), data, zipfile.ZIP_DEFLATED)


def _to_bytes(about: dict[str, Any], arrays: dict[str, AnyArray]) -> bytes:
    sizes = {name: list(value.shape) for name, value in arrays.items()}
    packed: dict[str, Array] = {}
    for name, value in arrays.items():
        packed |= _packed(name, value)
    return container.to_bytes(KIND, VERSION, {**about, "sizes": sizes}, packed)


def _packed(name: str, value: AnyArray) -> dict[str, Array]:
    """Return matrices as int8 with scales, anything else as it is."""
    if value.ndim < 2:
        return {name: Array("F32", memoryview(np.ascontiguousarray(value).ravel()).cast("B"))}
    plain = np.ascontiguousarray(value).reshape(-1, value.shape[-1])
    scale = np.maximum(np.abs(plain).max(axis=1), 1e-12).astype(np.float32) / 127
    rows = np.rint(plain / scale[:, None]).astype(np.int8)
    return {
        name: Array("I8", memoryview(rows.ravel()).cast("B")),
        f"{name}.scale": Array("F32", memoryview(scale).cast("B")),
    }


def unpack_encoder(path: Path) -> tuple[Any, Any]:
    """Return the model and the tokenizer of a file."""
    transformers, tokenizers = (
        require("transformers", "teachers"),
        require("tokenizers", "teachers"),
    )
    with _naming(path), zipfile.ZipFile(path) as archive:
        about, weights = _from_bytes(_read(archive, WEIGHTS))
        kind = transformers.CONFIG_MAPPING[about["model_type"]]
        model = transformers.AutoModel.from_config(
            kind.from_dict(json.loads(_read(archive, CONFIG)))
        )
        loaded = {name: torch.from_numpy(value) for name, value in weights.items()}
        missing, _ = model.load_state_dict(loaded, strict=False)
        if missing := [name for name in missing if "pooler" not in name]:
            raise ValueError(f"no {missing[0]}")
        pieces = tokenizers.Tokenizer.from_str(_read(archive, TOKENIZER).decode())
        special = {name: about["special"][name] for name in SPECIAL}
        return model, transformers.PreTrainedTokenizerFast(tokenizer_object=pieces, **special)


def unpack_layers(path: Path) -> Layers | None:
    """Return the layers of a file; None if it has none."""
    with _naming(path), zipfile.ZipFile(path) as archive:
        return _from_bytes(_read(archive, LAYERS)) if LAYERS in archive.namelist() else None


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """Name the file in errors of damaged ones."""
    try:
        yield
    except (OSError, zipfile.BadZipFile, zlib.error, KeyError, ValueError, RuntimeError) as error:
        raise ValueError(f"{path}: not an encoder that can be read ({error})") from error


def _read(archive: zipfile.ZipFile, name: str) -> bytes:
    if archive.getinfo(name).file_size > LARGEST:
        raise ValueError(f"{name} is too large")
    return archive.read(name)


def _from_bytes(data: bytes) -> Layers:
    about, arrays = container.from_bytes(data, KIND, VERSION, VERSION)
    sizes = about.pop("sizes")
    return about, {name: _unpacked(name, size, arrays) for name, size in sizes.items()}


def _unpacked(name: str, size: list[int], arrays: dict[str, memoryview]) -> AnyArray:
    if f"{name}.scale" not in arrays:
        return np.frombuffer(arrays[name], np.float32).reshape(size).copy()
    scale = np.frombuffer(arrays[f"{name}.scale"], np.float32)
    rows = np.frombuffer(arrays[name], np.int8).reshape(len(scale), -1)
    return (rows * scale[:, None]).reshape(size)
