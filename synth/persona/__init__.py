"""Personas that a document is written for: drawn from a grammar of our own, or read from the user's folder."""
