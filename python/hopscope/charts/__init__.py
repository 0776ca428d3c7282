"""Charts as Altair objects: one figure serves the notebook, the report and image files."""
