"""What is heavy and kept warm: thin Ray actors, each holding one engine. Imports schemas, synth, ray."""
