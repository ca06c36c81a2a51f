"""Independent runtimes that edgegen's results are compared with."""
