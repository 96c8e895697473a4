"""The workbench's page: `dodona.annotate` over HTTP, for the people of one machine."""
