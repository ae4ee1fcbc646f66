"""LIBLINEAR's multi-class SVMs: refmc run --plain --persistent -- python liblinear_svm.py"""

import json

from liblinear.liblinearutil import train

told = {"implementation": "LIBLINEAR", "supports": {"svm.multiclass": []}}

while (asked := json.loads(input()))["cmd"] != "stop":
    if asked["cmd"] == "run":
        p = asked["problem"]
        told = {"seq": asked["seq"], "skip": "a class without rows"}
        if {*p["y"]} == {*p["classes"]}:
            model = train(p["y"], p["X"], f"-q -s 4 -e 1e-9 -c {p['C']!r}")
            at, columns = model.get_labels().index, range(1, len(p["X"][0]) + 1)
            W = [[model.get_decfun_coef(j, at(c)) for j in columns] for c in p["classes"]]
            told = {"seq": asked["seq"], "answer": {"W": W}}
    print(json.dumps(told), flush=True)
