"""Questions written and judged by language models, after MosaicDoc's DocWeaver."""
