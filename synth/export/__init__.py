"""A release's tables in the formats of others: one module a format, each a pure function of rows to files."""
