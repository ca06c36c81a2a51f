"""The recipe that `edgegen train` runs; `python train.py --help` names its options.

Everything random is drawn from generators of one seed, so the same seed gives the same weights. Ctrl-C stops
at the end of a step, and `edgegen train --resume` goes on to the weights that it would have come to anyway.
"""

from __future__ import annotations

import os

# Before NumPy is loaded: sums split among threads would make the weights depend on the number of cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from data import training
from model import model

from edgegen.cli.recipe import Options, recipe
from edgegen.frontend import Trainer, weights
from edgegen.frontend.data import ArrayDataset, Augment, DataLoader, RandomShift, split
from edgegen.frontend.metrics import Accuracy
from edgegen.frontend.optim import AdamW, one_cycle
from edgegen.frontend.record import Recorder

BATCH_SIZE = 50


def train(options: Options) -> None:
    """Train a fresh network and write its weights."""
    rng = np.random.default_rng(options.seed)
    network = model(rng)
    inputs, labels = training()
    held_out = len(inputs) // 5
    learn, validate = split(ArrayDataset(inputs, labels), len(inputs) - held_out, held_out, rng=rng)
    recorder = Recorder(options.run_folder(), seeds={"all": options.seed})
    trainer = Trainer(
        network,
        AdamW(network.parameters(), lr=0.01),
        forward=network.logits,
        metrics=(Accuracy(),),
        schedule=one_cycle(),
        checkpoint=recorder.checkpoint,
        callbacks=[recorder],
    )
    trainer.fit(
        DataLoader(learn, batch_size=BATCH_SIZE, shuffle=rng, augment=Augment(RandomShift(1))),
        validation=DataLoader(validate, batch_size=BATCH_SIZE),
        epochs=options.epochs,
        resume=recorder.checkpoint if options.resume else None,
    )
    weights.save(options.output, network)


if __name__ == "__main__":
    recipe(train, epochs=10, file=__file__)
