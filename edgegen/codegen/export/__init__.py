"""Graphs written as files that other tools read."""
