"""Trains the digits network from a seed and writes weights.safetensors beside this file.

    python train.py [--seed 0] [--epochs 45] [--output weights.safetensors]

The same seed gives the same weights on the same machine.
"""

from __future__ import annotations

import argparse
import os
from pathlib import Path

# Before NumPy is loaded: these matrices are too small to share among threads, and sums split among them would
# make the weights depend on the number of cores.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from data import evaluation, training  # type: ignore[import-not-found]  # beside this file
from model import Digits, model  # type: ignore[import-not-found]
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from edgegen.frontend import Epoch, Evaluation, Step, evaluate, fit, weights
from edgegen.frontend.data import ArrayDataset, DataLoader, RandomAffine
from edgegen.frontend.optim import SGD, one_cycle

HERE = Path(__file__).parent


def held_out(digits: Digits) -> Evaluation:
    """Loss and accuracy on the 1,000 held-out digits."""
    images, labels = evaluation()
    return evaluate(digits, images, labels, forward=digits.logits)


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


def train(digits: Digits, batches: DataLoader, *, epochs: int, progress: Progress) -> tuple[Epoch, ...]:
    """Train with a progress bar; gives the history, one entry an epoch."""
    task = progress.add_task("training", total=epochs * len(batches))
    optimizer = SGD(digits.parameters(), lr=0.1, momentum=0.9, nesterov=True, weight_decay=5e-4)

    def on_step(step: Step) -> None:
        progress.update(
            task, completed=step.index + 1, description=f"epoch {step.epoch + 1}, loss {step.loss:.3f}"
        )

    return fit(
        digits,
        batches,
        optimizer,
        epochs=epochs,
        forward=digits.logits,
        schedule=one_cycle(),
        on_step=on_step,
    )


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--epochs", type=int, default=45)
    parser.add_argument("--output", type=Path, default=HERE / "weights.safetensors")
    options = parser.parse_args()
    rng = np.random.default_rng(options.seed)
    digits = model(rng)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns) as progress:
        train(digits, loader(rng), epochs=options.epochs, progress=progress)
        weights.save(options.output, digits)
        result = held_out(digits)
        progress.console.print(
            f"{result.accuracy:.2%} of {result.count} held-out digits, loss {result.loss:.4f}"
        )
        progress.console.print(f"weights written to {options.output}")


if __name__ == "__main__":
    main()
