"""What made the models and weights that are shipped: from named data to the files of the package."""
