"""The trainer, its callbacks, and checkpoints from which a run goes on bit for bit."""

from edgegen.frontend.trainer.callbacks import Callback, CsvLog, PrometheusFile
from edgegen.frontend.trainer.history import EpochRecord, StepRecord
from edgegen.frontend.trainer.progress import ProgressBar
from edgegen.frontend.trainer.stopping import EarlyStopping
from edgegen.frontend.trainer.trainer import Outcome, Trainer

__all__ = [
    "Callback",
    "CsvLog",
    "EarlyStopping",
    "EpochRecord",
    "Outcome",
    "ProgressBar",
    "PrometheusFile",
    "StepRecord",
    "Trainer",
]
