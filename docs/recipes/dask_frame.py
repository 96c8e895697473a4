import dask.dataframe as dd
import pandas as pd
import pyarrow as pa

import dodona.arrow as da


def parse(frame: pd.DataFrame) -> pd.DataFrame:
    table = pa.Table.from_pandas(frame, preserve_index=False)
    words = da.Mapper("en", text="text", keep=["doc_id"])(table)
    return words.to_pandas(types_mapper=pd.ArrowDtype)


if __name__ == "__main__":  # Dask starts new processes
    texts = dd.read_parquet("texts.parquet")
    schema = da.schema("en", keep=pa.schema({"doc_id": pa.int64()}))
    columns = schema.empty_table().to_pandas(types_mapper=pd.ArrowDtype)
    words = texts.map_partitions(parse, meta=columns)
    words.to_parquet("words.parquet", write_index=False)
