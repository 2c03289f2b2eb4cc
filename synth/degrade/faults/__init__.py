"""Faults of print, paper, camera and file, each with an amount from 0 (none) to 1 (beyond reading)."""
