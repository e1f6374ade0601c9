"""FastAPI over the corpus and the current build."""
