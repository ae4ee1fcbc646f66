"""scikit-learn's soft SVMs: refmc run --plain --persistent -- python sklearn_svm.py"""

import json

from sklearn.svm import SVC

told = {"implementation": "scikit-learn", "supports": {"svm.binary": ["kernel"]}}

while (asked := json.loads(input()))["cmd"] != "stop":
    if asked["cmd"] == "run":
        p = asked["problem"]
        options, kernel = {"kernel": "linear"}, p.get("kernel", "linear")
        if kernel != "linear":
            options = {"kernel": "poly", "degree": kernel["degree"], "coef0": kernel["offset"]}
            options["gamma"] = 1 / kernel["scale"]
        alpha, one_class = [0.0] * len(p["y"]), len({*p["y"]}) == 1
        if not one_class:
            model = SVC(C=p["C"], tol=1e-9, **options).fit(p["X"], p["y"])
            for i, signed in zip(model.support_, model.dual_coef_[0]):
                alpha[i] = abs(signed)
        told = {"seq": asked["seq"], "answer": {"alpha": alpha}}
    print(json.dumps(told), flush=True)
