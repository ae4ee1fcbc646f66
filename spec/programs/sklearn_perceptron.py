"""scikit-learn's perceptron: refmc run --plain --persistent -- python sklearn_perceptron.py"""

import json

from sklearn.linear_model import Perceptron

knows = ["epochs", "bias", "eta"]
told = {"implementation": "scikit-learn", "supports": {"perceptron.binary": knows}}

while (asked := json.loads(input()))["cmd"] != "stop":
    if asked["cmd"] == "run":
        p = asked["problem"]
        told = {"seq": asked["seq"], "skip": "one class alone"}
        if len({*p["y"]}) == 2:
            model = Perceptron(max_iter=p["epochs"], eta0=p["eta"], fit_intercept=p["bias"],
                               shuffle=False, tol=None).fit(p["X"], p["y"])  # fmt: skip
            answer = {"w": model.coef_[0].tolist()}
            if p["bias"]:
                answer["b"] = float(model.intercept_[0])
            told = {"seq": asked["seq"], "answer": answer}
    print(json.dumps(told), flush=True)
