"""Record batches of texts in, record batches of trees out: the kernel that engines run.

Spark, Ray, Polars, DuckDB and others hand over data as Arrow. `mapper` and `Mapper` parse it where
it is, in as many processes as there are; `schema` and `spark_schema` say what comes out.
"""

from dodona.extras import require

require("pyarrow", "arrow")

from dodona.arrow.conllu import to_conllu  # noqa: E402
from dodona.arrow.mapping import Mapper, mapper  # noqa: E402
from dodona.arrow.schema import LEVELS, schema, spark_schema  # noqa: E402

__all__ = ["LEVELS", "Mapper", "mapper", "schema", "spark_schema", "to_conllu"]
