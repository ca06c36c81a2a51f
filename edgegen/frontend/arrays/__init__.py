"""The arithmetic of the eager operators on plain arrays: forward and gradient, no tape."""
