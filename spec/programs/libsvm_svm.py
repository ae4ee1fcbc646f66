"""LIBSVM's soft SVMs: refmc run --plain --persistent -- python libsvm_svm.py"""

import json

from libsvm.svmutil import svm_train

told = {"implementation": "LIBSVM", "supports": {"svm.binary": ["kernel"]}}

while (asked := json.loads(input()))["cmd"] != "stop":
    if asked["cmd"] == "run":
        p = asked["problem"]
        options, kernel = f"-q -e 1e-9 -c {p['C']!r}", p.get("kernel", "linear")
        if kernel == "linear":
            options += " -t 0"
        else:
            options += f" -t 1 -d {kernel['degree']} -r {kernel['offset']} -g {1 / kernel['scale']}"
        alpha = [0.0] * len(p["y"])
        if len({*p["y"]}) == 2:
            model = svm_train(p["y"], p["X"], options)
            for i, (signed,) in zip(model.get_sv_indices(), model.get_sv_coef()):
                alpha[i - 1] = abs(signed)
        told = {"seq": asked["seq"], "answer": {"alpha": alpha}}
    print(json.dumps(told), flush=True)
