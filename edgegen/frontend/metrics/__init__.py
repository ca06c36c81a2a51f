"""Measures of how well a model does."""

from edgegen.frontend.metrics.classification import F1, Accuracy, ConfusionMatrix, Precision, Recall, TopK
from edgegen.frontend.metrics.metric import Metric
from edgegen.frontend.metrics.ranking import AUC
from edgegen.frontend.metrics.regression import MAE

__all__ = ["AUC", "F1", "MAE", "Accuracy", "ConfusionMatrix", "Metric", "Precision", "Recall", "TopK"]
