"""Scenes, their baked maps, and the camera that takes a printed page through them."""
