from tests.synth.render.conftest import chromium, fonts

__all__ = ["chromium", "fonts"]
