import duckdb

pairs = duckdb.sql(
    """
    SELECT verb.lemma AS verb, object.lemma AS object, count(*) AS n
    FROM 'out/**/*.parquet' AS object JOIN 'out/**/*.parquet' AS verb
      ON verb.doc_key = object.doc_key AND verb.sent_id = object.sent_id AND verb.id = object.head
    WHERE object.deprel = 'obj' AND object.upos = 'NOUN' AND verb.upos = 'VERB'
    GROUP BY ALL ORDER BY n DESC, verb, object LIMIT 20
    """
)
print(pairs)
