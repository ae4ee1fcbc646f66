"""Problems that do not show a mistake which every vector shows.

For the other mistakes a vector is such a problem. Some have none: every value of a logistic loss
changes with the base of its logarithm, and every margin bound with its term of δ.
"""

from __future__ import annotations

from refmc.core.records import Record

ALWAYS_SHOWN = (
    "loss.base_two", "loss.sigmoid", "loss.slope_of_sigmoid", "loss.softmax",
    "bound.two_sided_delta", "bound.log_ten", "bound.rows_not_doubled",
    "bound.log_two", "bound.root_of_logarithm", "bound.chance_left_out", "bound.vacuous_reversed",
)  # fmt: skip

FLAT: Record = {
    "family": "sgd.binary", "X": [["1"]], "y": [1], "C": "1", "eta": "1/2", "start": ["4"],
}  # fmt: skip
ONE_CLASS: Record = {"family": "code.decode", "code": [["1"]], "f": [["1"]]}
THREE: Record = {"family": "perceptron.multiclass", "X": [["1"]], "y": ["a"], "classes": [*"abc"]}
DELTA: Record = {"empirical": "0", "k": 3, "rho": "1", "m": 100, "delta": "1/20"}
LEAF: Record = {
    "family": "tree.prune", "X": [["1"], ["1"]], "y": ["a", "b"], "tree": {"nodes": [{}]},
    "risk": "misclassification",
}  # fmt: skip

QUIET: dict[str, Record] = {
    "svm.missing_one": {"family": "svm.binary", "X": [["1"], ["1"]], "y": [1, -1], "C": "1"},
    "svm.own_class_sign": {
        "family": "svm.multiclass", "X": [["0"]], "y": ["a"], "classes": ["a", "b"], "C": "1",
    },
    "perceptron.strict_at_zero": {
        "family": "perceptron.binary", "X": [["1"]], "y": [1], "start": ["1"],
    },
    "perceptron.rivals_strict": {**THREE, "tau": "all_rivals", "start": [["0"], ["1"], ["-1"]]},
    "perceptron.learning_rate": {"family": "perceptron.binary", "X": [["0"]], "y": [1]},
    "sgd.plus_sign": FLAT,
    "sgd.margin_forgotten": FLAT,
    "sgd.without_x": FLAT,
    "sgd.shrink_after": FLAT,
    "sgd.squared_slope": FLAT,
    "sgd.softmax_slope": {
        "family": "sgd.multiclass", "X": [["0"]], "y": ["a"], "classes": ["a", "b"], "lam": "1",
        "T": 1,
    },
    "prune.leaves_not_less_one": LEAF,
    "prune.all_nodes_counted": LEAF,
    "prune.root_left_out": LEAF,
    "prune.lam_of_next": LEAF,
    "prune.penalty_in_risk": LEAF,
    "prune.interval_ends": LEAF,
    "prune.between_breakpoints": LEAF,
    "prune.larger_of_the_tied": LEAF,
    "prune.risk_scale": LEAF,
    "code.euclidean": ONE_CLASS,
    "code.product": {"family": "code.decode", "code": [["1"]], "f": [["-1"]]},
    "code.distances_doubled": ONE_CLASS,
    "code.mean_distance": ONE_CLASS,
    "ova.smallest": {"family": "ova.decode", "scores": [["1", "1"]]},
    "code.other_decoding": ONE_CLASS,
    "code.mean_of_nonzero": ONE_CLASS,
    "code.nonzero_alone": ONE_CLASS,
    "ovo.sums_of_wins": {"family": "ovo.decode", "pairs": [["0", "0", "0"]]},
    "ovo.mean_sums": {"family": "ovo.decode", "pairs": [["2"]]},
    "ovo.sums_of_first": {"family": "ovo.decode", "pairs": [["0", "0", "0"]]},
    "ovo.lost_subtracted": {"family": "ovo.decode", "w": [[["0"]]]},
    "ovo.pair_sign": {"family": "ovo.decode", "pairs": [["0", "0", "0"]]},
    "ovo.first_pair_left_out": {"family": "ovo.decode", "w": [[["0"]]]},
    "ovo.last_pair_left_out": {"family": "ovo.decode", "w": [[["0"]]]},
    "loss.margin_missing": {"family": "loss.hinge", "z": ["2"]},
    "loss.other_of_margins": {"family": "loss.hinge", "z": ["2"]},
    "loss.margin_added": {"family": "loss.perceptron", "z": ["2"]},
    "loss.reversed_margin": {"family": "loss.hinge", "z": ["0"]},
    "loss.rho_ignored": {"family": "loss.margin", "z": ["1/2"], "rho": "1"},
    "loss.power_of_two": {"family": "loss.exponential", "z": ["0"]},
    "loss.margin_not_capped": {"family": "loss.margin", "z": ["1/2"]},
    "loss.hinge_not_cut": {"family": "loss.hinge", "z": ["1/2"]},
    "loss.perceptron_not_cut": {"family": "loss.perceptron", "z": ["-1"]},
    "loss.margin_scaled": {"family": "loss.exponential", "z": ["0"]},
    "loss.rho_not_divided": {"family": "loss.margin", "z": ["1/2"], "rho": "1"},
    "loss.step_at_rho": {"family": "loss.margin", "z": ["2"]},
    "loss.any_place": {"family": "loss.hamming", "predicted": [[1]], "y": [[-1]]},
    "loss.hamming_count": {"family": "loss.hamming", "predicted": [[1]], "y": [[-1]]},
    **{
        f"bound.{name}": {"family": "bound.margin", "expected_complexity": "0", **DELTA}
        for name in ("rivals_counted", "classes_squared_once", "complexity_left_out")
    },
    "bound.chance_of_success": {
        "family": "bound.margin", "expected_complexity": "0", **DELTA, "delta": "1/2",
    },
    **{
        f"bound.{name}": {
            "family": "bound.kernel_rademacher", "r_squared": "4", "Lambda_squared": "1", "m": 1,
        }
        for name in ("rows_outside_root", "rows_forgotten")
    },
    **{
        f"bound.{name}": {"family": "bound.rademacher", "values": [["0"]]}
        for name in ("first_sign_fixed", "largest_of_signs")
    },
    **{
        f"bound.{name}": {
            "family": "bound.perceptron", "X": [["1"]], "y": [1], "w": ["1"], "classes": [-1, 1],
        }
        for name in ("least_radius", "ratio_rooted")
    },
    "bound.product_not_rooted": {"family": "bound.adaboost", "epsilons": ["0"]},
    "bound.classes_power": {"family": "bound.margin", "expected_complexity": "0", **DELTA},
    "bound.ordered_pairs": {"family": "bound.margin", "expected_complexity": "0", **DELTA},
    "bound.no_root": {  # ln(1/δ) is 2m within the allowed gap
        "family": "bound.margin", "expected_complexity": "0", **DELTA,
        "m": 1, "delta": "0.1353352832366127",
    },
    "bound.edge_not_squared": {"family": "bound.adaboost", "epsilons": ["1/2"]},
    "bound.radius_squared": {
        "family": "bound.kernel_rademacher", "r_squared": "4", "Lambda_squared": "1/4", "m": 3,
    },
    "bound.mean_radius": {
        "family": "bound.perceptron", "X": [["1"], ["-1"]], "y": [1, -1], "w": ["2"],
    },
    "bound.unit_separator": {
        "family": "bound.perceptron", "X": [["1"], ["-2"]], "y": [1, -1], "w": ["1"],
    },
    "bound.two_missing": {"family": "bound.adaboost", "epsilons": ["0"]},
    "bound.root_forgotten": {
        "family": "bound.kernel_rademacher", "r_squared": "4", "Lambda_squared": "1", "m": 4,
    },
}  # fmt: skip
