"""What happens to one document, as plain functions. Imports schemas only."""
