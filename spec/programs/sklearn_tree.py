"""scikit-learn's trees: refmc run --plain --persistent -- python sklearn_tree.py"""

import json

from sklearn.tree import DecisionTreeClassifier

KNOWN = ["impurity=entropy", "max_depth", "min_leaf", "min_split", "thresholds", "weights"]
NAMES = ["children_left", "children_right", "feature", "threshold"]

told = {"implementation": "scikit-learn", "supports": {"tree.grow": KNOWN}}

while (asked := json.loads(input()))["cmd"] != "stop":
    if asked["cmd"] == "run":
        p = asked["problem"]
        model = DecisionTreeClassifier(
            criterion=p["impurity"], max_depth=p.get("max_depth"),
            min_samples_leaf=p["min_leaf"], min_samples_split=p["min_split"],
        )  # fmt: skip
        try:
            tree = model.fit(p["X"], p["y"], p.get("weights")).tree_
            answer = {"tree": {name: getattr(tree, name).tolist() for name in NAMES}}
            told = {"seq": asked["seq"], "answer": answer}
        except ValueError as error:  # a depth of 0, or a number beyond single precision
            told = {"seq": asked["seq"], "skip": str(error)}
    print(json.dumps(told), flush=True)
