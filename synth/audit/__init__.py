"""Labels held against the printed page by other means than those that made them."""
