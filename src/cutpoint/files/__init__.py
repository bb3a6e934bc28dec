"""Files: models and samples, one module per format."""
