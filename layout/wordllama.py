"""Static word vectors out of a wheel: the mean of WordLlama's token vectors (256 dimensions, PyPI `wordllama`, MIT).

Its own loader looks for models in a hub and sets up logging; the two files of the wheel are read here instead, without importing it.
Of use where latent semantic analysis cannot learn: a few hundred papers, or mixed vocabularies.
"""

from __future__ import annotations

from functools import cache
from importlib import metadata
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from corpus.errors import BadSetting

_BATCH: Final = 256
_TENSOR: Final = "embedding.weight"


def vectors(texts: list[str]) -> NDArray[np.float32]:
    """float32 (n, 256); zeros for a text without tokens. Raises `BadSetting` where the package is absent."""
    tokenizer, weights = _model()
    result = np.zeros((len(texts), weights.shape[1]), np.float32)
    for start in range(0, len(texts), _BATCH):
        for at, one in enumerate(tokenizer.encode_batch(texts[start : start + _BATCH], add_special_tokens=False)):
            if one.ids:
                result[start + at] = weights[one.ids].mean(axis=0)
    return result


@cache
def _model() -> tuple[Any, NDArray[np.float32]]:
    try:
        from safetensors.numpy import load_file
        from tokenizers import Tokenizer

        files = metadata.files("wordllama") or []
    except (ImportError, metadata.PackageNotFoundError) as error:
        raise BadSetting("layout.wordllama needs its package: pip install 'paperatlas[wordllama]'") from error
    weights = load_file(_one(files, "weights", ".safetensors"))[_TENSOR]
    tokenizer = Tokenizer.from_file(str(_one(files, "tokenizers", ".json")))
    tokenizer.no_padding()
    tokenizer.no_truncation()
    return tokenizer, np.ascontiguousarray(weights, np.float32)


def _one(files: list[metadata.PackagePath], folder: str, ending: str) -> Path:
    found = sorted(str(file.locate()) for file in files if file.parent.name == folder and file.name.endswith(ending))
    if not found:
        raise BadSetting(f"this version of wordllama carries no {folder}; 0.4 does")
    return Path(found[0])
