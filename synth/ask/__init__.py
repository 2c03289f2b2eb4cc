"""Questions about a document: made by rules from its structure, and judged from its words alone."""
