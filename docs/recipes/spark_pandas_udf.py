import pandas as pd
import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.functions import pandas_udf

import dodona.arrow as da

spark = SparkSession.builder.getOrCreate()


@pandas_udf("string")  # one value per text, as a new column
def conllu(texts: pd.Series) -> pd.Series:
    made = da.Mapper("en", level="conllu")(pa.table({"text": pa.array(texts, pa.string())}))
    return made["conllu"].combine_chunks().to_pandas()  # Spark takes no series of several chunks


texts = spark.read.parquet("texts.parquet")
texts.select("doc_id", conllu("text").alias("conllu")).write.parquet(
    "words.parquet", compression="zstd"
)
