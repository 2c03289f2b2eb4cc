"""What an OCR engine reads on a finished picture, and how well."""
