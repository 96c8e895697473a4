from pyspark.sql import SparkSession

import dodona.arrow as da

spark = SparkSession.builder.getOrCreate()
texts = spark.read.parquet("texts.parquet")
words = texts.mapInArrow(
    da.mapper("en", text="text", keep=["doc_id"]),
    da.spark_schema("en", keep=texts.select("doc_id").schema),
)
words.write.parquet("words.parquet", compression="zstd")
