"""Writes disparity.json: decisions about people of groups, and what Fairlearn says of them.

    pip install fairlearn==0.15.0
    python disparity.py > disparity.json
"""

import json
import random

import fairlearn
import fairlearn.metrics as fm
import sklearn.metrics as skm

random.seed(15)
rows = []
for _ in range(120):
    group = random.choices(["a", "b", "c"], [6, 3, 2])[0]
    label = int(random.random() < {"a": 0.5, "b": 0.4, "c": 0.3}[group])
    decision = int(random.random() < (0.75 if label else {"a": 0.2, "b": 0.3, "c": 0.1}[group]))
    rows.append([label, decision, group])
y, p, g = zip(*rows)

want = {}
for name in ["demographic_parity", "equalized_odds", "equal_opportunity"]:
    for kind in ["difference", "ratio"]:
        want[f"{name}_{kind}"] = getattr(fm, f"{name}_{kind}")(y, p, sensitive_features=g)
metrics = {
    "accuracy": skm.accuracy_score,
    "fnr": fm.false_negative_rate,
    "fpr": fm.false_positive_rate,
    "predicted_positive_rate": fm.selection_rate,
    "recall": fm.true_positive_rate,
    "mcc": skm.matthews_corrcoef,
}
frame = fm.MetricFrame(metrics=metrics, y_true=y, y_pred=p, sensitive_features=g)
for name in metrics:
    want[f"{name}_difference"] = frame.difference(method="between_groups")[name]
    want[f"{name}_ratio"] = frame.ratio(method="between_groups")[name]
    want[f"{name}_group_min"] = frame.group_min()[name]
    want[f"{name}_group_max"] = frame.group_max()[name]
    for group in "bc":
        value, reference = frame.by_group[name][group], frame.by_group[name]["a"]
        want[f"{group}: {name}_difference_to_reference"] = value - reference
        want[f"{group}: {name}_ratio_to_reference"] = value / reference
print(json.dumps({"fairlearn": fairlearn.__version__, "rows": rows, "want": {k: float(v) for k, v in want.items()}}))
