"""HTTP server and web pages (the extra `server`).

`app` consists of `routes`: an endpoint reads the request (`requests`), and worker threads or
processes write the answer (`answers`). This package runs them and bounds their time and memory;
`pages` holds the files for browsers.
"""
