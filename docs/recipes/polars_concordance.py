import polars as pl

words = pl.scan_parquet("out/**/*.parquet").filter(pl.col("id").is_not_null())
where = ["doc_key", "sent_id"]
hits = words.filter(pl.col("lemma") == "oak").select(*where, hit="id")
lines = (
    words.join(hits, on=where)
    .sort(*where, "hit", "id")
    .group_by(*where, "hit", maintain_order=True)
    .agg(
        left=pl.col("form").filter(pl.col("id") < pl.col("hit")).str.join(" "),
        word=pl.col("form").filter(pl.col("id") == pl.col("hit")).first(),
        right=pl.col("form").filter(pl.col("id") > pl.col("hit")).str.join(" "),
    )
)
print(lines.collect())
