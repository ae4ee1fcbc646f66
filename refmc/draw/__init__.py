"""Pictures of problems, models and runs, as plain SVG."""
