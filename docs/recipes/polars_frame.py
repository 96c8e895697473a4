import polars as pl

import dodona.arrow as da

texts = pl.read_parquet("texts.parquet")
parse = da.Mapper("en", text="text", keep=["doc_id"], threads=2)
words = pl.from_arrow(parse(texts.to_arrow()))
words.write_parquet("words.parquet")
