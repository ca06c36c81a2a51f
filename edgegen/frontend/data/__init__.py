"""Data sets, batches and augmentation."""

from edgegen.frontend.data.augment import RandomAffine
from edgegen.frontend.data.dataset import ArrayDataset, Dataset
from edgegen.frontend.data.loader import DataLoader

__all__ = ["ArrayDataset", "DataLoader", "Dataset", "RandomAffine"]
