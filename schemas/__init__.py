"""Contracts shared by all rooms. Imports nothing of ours."""
