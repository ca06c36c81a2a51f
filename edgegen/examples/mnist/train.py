"""Trains the digits network from a seed and writes weights.safetensors beside this file.

    python train.py [--seed 0] [--epochs 45] [--output weights.safetensors] [--resume]

The same seed gives the same weights on the same machine, interrupted and resumed or not.
"""

from __future__ import annotations

import os

# Before NumPy is loaded: these matrices are too small to share among threads, and sums split among them would
# make the weights depend on the number of cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from data import training  # type: ignore[import-not-found]  # beside this file
from model import model  # type: ignore[import-not-found]

from edgegen.cli.recipe import Options, recipe
from edgegen.frontend import Trainer, weights
from edgegen.frontend.data import ArrayDataset, DataLoader, RandomAffine
from edgegen.frontend.metrics import Accuracy
from edgegen.frontend.optim import SGD, one_cycle
from edgegen.frontend.record import Recorder


def loader(rng: np.random.Generator) -> DataLoader:
    """Shuffled batches of training digits, each slightly moved, turned and scaled."""
    augment = RandomAffine(shift=2.0, degrees=12.0, scale=0.12, shear=0.15)
    return DataLoader(
        ArrayDataset(*training()),
        batch_size=50,
        shuffle=rng,
        drop_last=True,
        transform=lambda batch: (augment(batch[0], rng), *batch[1:]),
    )


def train(options: Options) -> None:
    """Train a fresh network and write its weights; the held-out digits are left to `edgegen eval`."""
    rng = np.random.default_rng(options.seed)
    digits = model(rng)
    recorder = Recorder(options.run_folder(), name="mnist", seeds={"all": options.seed})
    trainer = Trainer(
        digits,
        SGD(digits.parameters(), lr=0.1, momentum=0.9, nesterov=True, weight_decay=5e-4),
        forward=digits.logits,
        metrics=(Accuracy(),),
        schedule=one_cycle(),
        checkpoint=recorder.checkpoint,
        callbacks=[recorder],
    )
    trainer.fit(loader(rng), epochs=options.epochs, resume=recorder.checkpoint if options.resume else None)
    weights.save(options.output, digits)


if __name__ == "__main__":
    recipe(train, epochs=45, file=__file__)
