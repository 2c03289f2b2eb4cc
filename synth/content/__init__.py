"""The template writer: documents from layout families, content models, wordings and personas; no model, no network."""
