from tests.synth.truth.test_scripts import polyglot

__all__ = ["polyglot"]
