"""Print: an HtmlDocument becomes a PDF, a probe PDF that tells whose each glyph is, and a snapshot of the DOM."""
