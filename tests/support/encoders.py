"""Tiny pretrained encoders, made on the spot, of several architectures and tokenizers."""

from __future__ import annotations

import string
from pathlib import Path
from typing import Any

SIZES: dict[str, Any] = {
    "hidden_size": 32,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "intermediate_size": 64,
    "initializer_range": 0.5,  # so that the context matters
}
SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
LETTERS = string.ascii_lowercase + string.digits + string.punctuation


def tiny_bert(folder: Path, *, seed: int = 1, positions: int = 80, kind: str = "Bert") -> Path:
    """Write an encoder with random weights, whose word pieces are single letters."""
    import torch
    import transformers
    from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, processors

    folder.mkdir(exist_ok=True, parents=True)
    pieces = [*SPECIAL, *LETTERS, *(f"##{letter}" for letter in LETTERS)]
    core = Tokenizer(
        models.WordPiece({piece: i for i, piece in enumerate(pieces)}, unk_token="[UNK]")
    )
    core.normalizer, core.pre_tokenizer = (
        normalizers.BertNormalizer(),
        pre_tokenizers.BertPreTokenizer(),
    )
    core.post_processor = processors.BertProcessing(("[SEP]", 3), ("[CLS]", 2))
    names = {"pad": "[PAD]", "unk": "[UNK]", "cls": "[CLS]", "sep": "[SEP]", "mask": "[MASK]"}
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=core, **{f"{name}_token": piece for name, piece in names.items()}
    )
    tokenizer.save_pretrained(folder)
    torch.manual_seed(seed)
    config = getattr(transformers, f"{kind}Config")(
        vocab_size=len(pieces), max_position_embeddings=positions, **SIZES
    )
    getattr(transformers, f"{kind}Model")(config).save_pretrained(folder)
    return folder


def tiny_roberta(folder: Path, *, positions: int = 80, kind: str = "Roberta") -> Path:
    """Write an encoder with random weights, whose byte pairs are single bytes."""
    import torch
    import transformers
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors

    folder.mkdir(exist_ok=True, parents=True)
    letters = sorted(pre_tokenizers.ByteLevel.alphabet())
    pieces = ["<s>", "<pad>", "</s>", "<unk>", "<mask>", *letters]
    core = Tokenizer(models.BPE({piece: i for i, piece in enumerate(pieces)}, []))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    core.decoder = decoders.ByteLevel()
    core.post_processor = processors.RobertaProcessing(("</s>", 2), ("<s>", 0))
    tokenizer = transformers.PreTrainedTokenizerFast(
        tokenizer_object=core,
        bos_token="<s>",
        eos_token="</s>",
        pad_token="<pad>",
        unk_token="<unk>",
        mask_token="<mask>",
    )
    tokenizer.save_pretrained(folder)
    torch.manual_seed(1)
    config = getattr(transformers, f"{kind}Config")(
        vocab_size=len(pieces), max_position_embeddings=positions, **SIZES
    )
    getattr(transformers, f"{kind}Model")(config).save_pretrained(folder)
    return folder
