"""Parquet held in memory, read in the calling thread."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
import pyarrow.parquet as pq


def table_in(data: bytes, columns: Sequence[str] | None = None) -> pa.Table:
    """The table in the bytes of a Parquet file. pyarrow.ArrowException if they are none.

    Not `pq.read_table(io.BytesIO(...))`: Arrow's threads then hold a Python object, and a short process may abort at
    its end (exit code 134).
    """
    return pq.ParquetFile(pa.BufferReader(data)).read(columns=columns, use_threads=False)
