"""Fitted estimators, model files and data files of other libraries, as problems and answers."""
