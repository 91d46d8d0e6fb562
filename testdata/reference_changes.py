"""Prints the p-values of McNemar's exact test that metrics/internal/baselinechanges is tested with.

Made with statsmodels 0.14 and SciPy, whose versions it prints.
"""

import scipy
import statsmodels
from statsmodels.stats.contingency_tables import mcnemar

print("//", "statsmodels", statsmodels.__version__, "SciPy", scipy.__version__)
for a, b in [(0, 1), (0, 7), (2, 9), (6, 16), (16, 16), (59, 6), (121, 59), (400, 500), (10_300, 10_000), (1_000_000, 1_002_000)]:
    print(f"{{{a}, {b}, {mcnemar([[3, a], [b, 5]], exact=True).pvalue!r}}},".replace("np.float64(", "").replace(")", ""))
