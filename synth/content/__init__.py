"""The template writer: documents from layout families, content models, wordings and personas, with no model and no network."""
