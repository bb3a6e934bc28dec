"""Files: one module per format, each a read/write pair."""
