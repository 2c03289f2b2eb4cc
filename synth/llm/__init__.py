"""Language models, seen from one call: prompts, requests, answers read under a schema, prices. No network here."""
