"""Parquet and Arrow as a release writes and reads them, in memory and in the calling thread."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

# To look for equal pictures and PDFs costs time for nothing; a picture is compressed already, a PDF only in parts.
_BLOBS, _PACKED = ("pdf", "image.bytes"), ("image.bytes",)


def writer_options(schema: pa.Schema) -> dict[str, Any]:
    """Arguments of `pyarrow.parquet.ParquetWriter` for a table of a release."""
    leaves = [path for field in schema for path in _leaves(field.name, field.type)]
    light = [path for path in leaves if path not in _BLOBS]
    return {
        "compression": {path: "none" if path in _PACKED else "zstd" for path in leaves},
        "use_dictionary": light,
        "write_statistics": light,
    }


def _leaves(path: str, of: pa.DataType) -> list[str]:
    """Names of the columns that Parquet makes of an Arrow column."""
    if pa.types.is_struct(of):
        return [leaf for i in range(of.num_fields) for leaf in _leaves(f"{path}.{of.field(i).name}", of.field(i).type)]
    if pa.types.is_list(of) or pa.types.is_fixed_size_list(of):
        return _leaves(f"{path}.list.element", of.value_type)
    return [path]


def plain_rows(batch: pa.RecordBatch) -> list[dict[str, Any]]:
    """Rows as JSON holds them. Single precision numbers get the three decimals that they are exact to."""
    single = [field.name for field in batch.schema if _is_single(field.type)]
    rows = batch.to_pylist()
    for row in rows:
        row.update((name, _short(row[name])) for name in single)
    return rows


def _is_single(of: pa.DataType) -> bool:
    while pa.types.is_list(of) or pa.types.is_fixed_size_list(of):
        of = of.value_type
    return pa.types.is_float32(of)


def _short(value: Any) -> Any:
    if isinstance(value, list):
        return [_short(item) for item in value]
    return None if value is None else round(value, 3)


def table_in(data: bytes) -> pa.Table:
    """The table in the bytes of a Parquet file. pyarrow.ArrowException if they are none.

    Not `pq.read_table(io.BytesIO(...))`: Arrow's threads then hold a Python object, and a short process may abort at
    its end (exit code 134).
    """
    return pq.ParquetFile(pa.BufferReader(data)).read(use_threads=False)
