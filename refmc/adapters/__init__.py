"""What others hold, as problems and answers: fitted estimators, model files, data files."""
