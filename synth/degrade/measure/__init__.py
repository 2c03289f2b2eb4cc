"""How hard faults make it to read: sheets of lines, what engines and strokes say of them, and the calibration file."""
