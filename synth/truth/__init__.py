"""Labels: whose each painted glyph is, and what words, lines, blocks, cells, fields and relations follow."""
