"""Models made elsewhere, as graphs."""
