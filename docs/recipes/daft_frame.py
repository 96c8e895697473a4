import daft
import pyarrow as pa
from daft import DataType, Series

import dodona.arrow as da


@daft.func.batch(return_dtype=DataType.string())
def conllu(texts: Series) -> Series:
    made = da.Mapper("en", level="conllu")(pa.table({"text": texts.to_arrow()}))
    return Series.from_arrow(made["conllu"].combine_chunks())


texts = daft.read_parquet("texts.parquet")
texts.select("doc_id", conllu(texts["text"]).alias("conllu")).write_parquet("words.parquet")
