import ray

import dodona.arrow as da

texts = ray.data.read_parquet("texts.parquet")
words = texts.map_batches(
    da.Mapper,
    fn_constructor_args=["en"],
    fn_constructor_kwargs={"text": "text", "keep": ["doc_id"]},
    batch_format="pyarrow",
    compute=ray.data.ActorPoolStrategy(min_size=1, max_size=8),  # each process loads the model once
)
words.write_parquet(
    "words.parquet",
    min_rows_per_file=1_000_000,
    compression="zstd",
    compression_level=9,
    data_page_size=64 << 20,
)
