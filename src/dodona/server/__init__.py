"""Dodona over HTTP and in the browser (the extra `server`).

`app` is made of `routes`: an endpoint reads what is asked (`requests`) and has the workers write
the answer (`answers`). What runs all this, and keeps it fair and bounded, is here; `pages` are the
files for browsers.
"""
