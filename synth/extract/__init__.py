"""What common extractors of text make of a printed page."""
