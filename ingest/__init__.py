"""Bibliographic sources to the corpus: every record is counted, with a reason."""
