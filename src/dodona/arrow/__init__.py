"""Parsing of Arrow data: record batches of texts in, record batches of trees out.

Spark, Ray, Polars, DuckDB and other engines pass data as Arrow. `mapper` and `Mapper` parse it in
the engine's worker processes; `schema` and `spark_schema` return the schema of the output.
"""

from dodona.extras import require

require("pyarrow", "arrow")

from dodona.arrow.conllu import to_conllu  # noqa: E402
from dodona.arrow.mapping import Mapper, mapper  # noqa: E402
from dodona.arrow.schema import LEVELS, schema, spark_schema  # noqa: E402

__all__ = ["LEVELS", "Mapper", "mapper", "schema", "spark_schema", "to_conllu"]
