"""Data sets, batches and augmentation; `ready` has well-known sets to download."""

from edgegen.frontend.data.augment import Augment
from edgegen.frontend.data.batches import Batch
from edgegen.frontend.data.dataset import ArrayDataset, Dataset, Subset, split
from edgegen.frontend.data.digest import dataset_digest
from edgegen.frontend.data.download import RemoteFile, fetch
from edgegen.frontend.data.images import Cutout, RandomAffine, RandomFlip, RandomShift
from edgegen.frontend.data.loader import DataLoader
from edgegen.frontend.data.windows import Gain, Noise, TimeMask, TimeShift

__all__ = [
    "ArrayDataset",
    "Augment",
    "Batch",
    "Cutout",
    "DataLoader",
    "Dataset",
    "Gain",
    "Noise",
    "RandomAffine",
    "RandomFlip",
    "RandomShift",
    "RemoteFile",
    "Subset",
    "TimeMask",
    "TimeShift",
    "dataset_digest",
    "fetch",
    "split",
]
