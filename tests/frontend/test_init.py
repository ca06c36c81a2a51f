"""Initialisers: the variance that each promises, and the same values by the same generator."""

from __future__ import annotations

import numpy as np
import pytest

from edgegen.errors import ModelError
from edgegen.frontend.nn import init

VARIANCES = {"he": 2 / 300, "glorot": 2 / 400, "lecun": 1 / 300}


def draw(name: str, seed: int = 0) -> np.ndarray:
    return init.by_name(name, (100, 300), fan_in=300, fan_out=100, rng=np.random.default_rng(seed))


@pytest.mark.parametrize("kind", ["uniform", "normal"])
@pytest.mark.parametrize("family", VARIANCES)
def test_variance_and_shape(family: str, kind: str) -> None:
    values = draw(f"{family}_{kind}")
    assert values.shape == (100, 300) and values.dtype == np.float32
    assert values.var() == pytest.approx(VARIANCES[family], rel=0.05)
    limit = np.sqrt(3 * VARIANCES[family])
    assert (np.abs(values).max() <= limit * (1 + 1e-6)) == (kind == "uniform")
    assert np.array_equal(values, draw(f"{family}_{kind}"))
    assert not np.array_equal(values, draw(f"{family}_{kind}", seed=1))


def test_he_uniform_is_the_one_of_the_layers() -> None:
    assert np.array_equal(draw("he_uniform"), init.he_uniform((100, 300), 300, np.random.default_rng(0)))


def test_constants_and_every_name() -> None:
    assert (draw("zeros") == 0).all() and (draw("ones") == 1).all()
    families = {f"{family}_{kind}" for family in VARIANCES for kind in ("uniform", "normal")}
    assert set(init.NAMES) == families | {"zeros", "ones"}


def test_misuse() -> None:
    with pytest.raises(ModelError, match=r"takes one of glorot_normal, .*, got 'xavier'"):
        draw("xavier")
    with pytest.raises(ModelError, match="fan_in and fan_out take positive numbers, got 0 and 2"):
        init.by_name("ones", (2,), fan_in=0, fan_out=2, rng=np.random.default_rng(0))
