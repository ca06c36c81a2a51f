"""edgegen: train small neural networks, emit int8 C firmware, prove that both compute the same bytes."""

__version__ = "0.1.0"
