"""Train the models of tests/data/models anew, where LIBSVM and LIBLINEAR are installed.

    python -m tests.adapters.make_models tests/data/models

The labels of the rows of `make_estimators` are 1, 2, 3 there, or 1 and −1 for setosa and others.
The files *.rpart are of the snippet in spec/python-tools.md: for columns 3 to 5 of iris.csv with
minsplit = 20 and cp = -1, and for lenses.csv with minsplit = 2, minbucket = 1 and cp = -1.
LIBSVM 3.37, LIBLINEAR 2.50 and rpart 4.1.19 made those that are kept. LIBLINEAR takes the order of
its rows from rand(), which goes on from model to model unless it is seeded before each.
"""

import sys
from ctypes import CDLL
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.adapters.make_estimators import rows


def main(folder: Path) -> None:
    libsvm: Any = import_module("libsvm.svmutil")
    liblinear: Any = import_module("liblinear.liblinearutil")
    X, names = rows()
    y = [1 + sorted(set(names)).index(name) for name in names]
    signs = [1 if label == 1 else -1 for label in y]
    for name, labels, options in (
        ("linear.libsvm", y, "-t 0 -c 1 -q"),
        ("rbf.libsvm", y, "-t 2 -g 0.5 -c 1 -q"),
        ("two.libsvm", signs, "-t 1 -d 2 -g 1 -r 1 -q"),
    ):
        libsvm.svm_save_model(str(folder / name), libsvm.svm_train(labels, X, options))
    for name, labels, options in (
        ("s1.liblinear", y, "-s 1 -c 1 -B 1 -e 0.001 -q"),
        ("s4.liblinear", y, "-s 4 -c 1 -B 1 -e 0.001 -q"),
        ("two.liblinear", signs, "-s 2 -e 0.0001 -q"),
    ):
        CDLL(None).srand(1)
        liblinear.save_model(str(folder / name), liblinear.train(labels, X, options))


if __name__ == "__main__":
    main(Path(sys.argv[1]))
