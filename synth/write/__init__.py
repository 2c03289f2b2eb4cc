"""The writer that asks a model: description, persona, HTML with marks, print, faults, repair (UniKIE-Bench, A.4)."""
