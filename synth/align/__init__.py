"""Alignment without a chain: lines of any PDF to blocks of any HTML, after MosaicDoc's Algorithm 1 and beyond it."""
