import duckdb
import pyarrow as pa

import dodona.arrow as da

source = duckdb.connect()  # a separate connection: each has one open result at a time
texts = source.sql("SELECT doc_id, text FROM 'texts.parquet'").to_arrow_reader(1000)
parse = da.mapper("en", text="text", keep=["doc_id"], threads=2)
schema = da.schema("en", keep=pa.schema([texts.schema.field("doc_id")]))
words = pa.RecordBatchReader.from_batches(schema, parse(texts))  # lazy: nothing is read yet
duckdb.sql("COPY (SELECT * FROM words) TO 'words.parquet'")  # reads and parses
