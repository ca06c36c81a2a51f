"""Which kernels beside the portable ones a processor offers, and their packed constants."""
