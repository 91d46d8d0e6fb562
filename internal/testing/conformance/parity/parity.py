"""Compares metrics with what peers compute in their own tests and examples, and writes a table into a page.

parity.py CORPORA PAGE runs the tests of scikit-learn, which its package brings, and of the peers that are checked out in
CORPORA, records their calls of metrics, and has beameval compute the same.
"""

import collections
import math
import os
import pathlib
import pickle
import subprocess
import sys
import tempfile
from importlib import metadata

import beameval
import fairlearn_calls
import scoringrules_calls
import sklearn_calls
import trec_files
from cases import Case, Unsupported, close

HERE = pathlib.Path(__file__).resolve().parent
BEGIN, END = "<!-- metrics: written by make conformance -->\n", "<!-- end of metrics -->\n"
# How many data sets are evaluated for each metric of a peer, the first that its tests use.
MOST = 25
# What an error says of labels that a metric of two classes cannot use.
ONE_CLASS = "no row is positive"
# The module whose calls are recorded, what pytest runs for it, and what translates its calls.
RECORDED = {
    "scikit-learn": ("sklearn.metrics", ["--pyargs", *(f"sklearn.metrics.tests.test_{of}" for of in ("classification", "ranking", "regression"))], sklearn_calls),
    "Fairlearn": ("fairlearn.metrics", ["{corpora}/fairlearn/test/unit/metrics"], fairlearn_calls),
    "scoringrules": ("scoringrules", ["{corpora}/scoringrules/tests"], scoringrules_calls),
}


def calls(module, targets):
    """Runs tests, and returns the recorded calls: name, arguments, result."""
    with tempfile.NamedTemporaryFile() as file:
        environment = {**os.environ, "PARITY_MODULE": module, "PARITY_CALLS": file.name, "PYTHONPATH": f"{HERE}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
        command = [sys.executable, "-m", "pytest", "-q", "--continue-on-collection-errors", "-p", "record", "-p", "no:cacheprovider", "--rootdir", "/", *targets]
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        try:
            recorded = pickle.load(open(file.name, "rb"))
        except EOFError:
            sys.exit(f"{' '.join(command)}:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
    print(f"{module}: {done.stdout.strip().splitlines()[-1]}; {len(recorded)} calls", file=sys.stderr)
    for name, given, result in recorded:
        try:
            yield name, pickle.loads(given), pickle.loads(result)
        except Exception:  # of a class of the tests
            continue


class Tally:
    """Counts cases by peer, and the reasons why they differ or are unsupported."""

    def __init__(self):
        self.cases = collections.Counter()
        self.reasons = collections.defaultdict(set)
        self.wrong = []

    def add(self, peer, metric, kind, why=""):
        self.cases[peer, kind] += 1
        if kind != "agreed":
            self.reasons[peer, kind, why].add(metric)
            self.cases[peer, kind, why] += 1


def translated(translator, peer, recorded, tally):
    """Yields the cases of calls, and counts what is unsupported."""
    for name, given, result in recorded:
        try:
            yield from translator.cases(name, given, result)
        except Unsupported as why:
            tally.add(peer, name, "unsupported", str(why))
        except (KeyError, TypeError, ValueError, AttributeError) as why:
            tally.add(peer, name, "unsupported", f"arguments that are no data ({type(why).__name__})")


def together(cases):
    """Groups cases of the same data and settings, but for metrics: they are one evaluation."""
    groups, of_metric = {}, collections.Counter()
    for case in cases:
        keywords = {key: value for key, value in case.keywords.items() if key != "metrics"}
        key = pickle.dumps(keywords)
        if key not in groups and of_metric[case.metric] >= MOST:
            continue
        of_metric[case.metric] += key not in groups or case.metric not in {other.metric for other in groups[key][1]}
        groups.setdefault(key, (keywords, []))[1].append(case)
    return groups.values()


def evaluate(keywords, cases):
    metrics = sorted({metric for case in cases for metric in case.keywords.get("metrics", [])})
    return beameval.evaluate(**keywords, **({"metrics": metrics} if metrics else {}), quiet=True)


def judge(peer, groups, tally):
    for keywords, cases in groups:
        try:
            report, refusal = evaluate(keywords, cases), None
        except beameval.Error as error:
            report, refusal = None, str(error)
        for case in cases:
            if report is None and len(cases) > 1:
                try:
                    judge_one(peer, case, evaluate(keywords, [case]), None, tally)
                except beameval.Error as error:
                    judge_one(peer, case, None, str(error), tally)
            else:
                judge_one(peer, case, report, refusal, tally)


def judge_one(peer, case, report, refusal, tally):
    if report is not None:
        try:
            got = case.value(report)
        except KeyError as missing:
            report, refusal = None, str(missing)
    if report is not None and (close(got, case.want) or math.isnan(case.want) and got is None):
        tally.add(peer, case.metric, "agreed")
        return
    if report is None and ONE_CLASS in refusal:
        tally.add(peer, case.metric, "unsupported", "labels of one class")
        return
    differs(peer, case, refusal if report is None else f"is {case.want}, and {got} here", tally)


def differs(peer, case, how, tally):
    if case.convention:
        tally.add(peer, case.metric, "differs", case.convention)
    else:
        tally.wrong.append(f"{peer}: {case.metric} {how}: {str(case.keywords)[-600:]}")


def trec(corpus, tally):
    for case in trec_files.cases(corpus):
        if not isinstance(case, Case):
            tally.add("trec_eval", case[0], "unsupported", case[1])
            continue
        got = case.value(None)
        agreed = got is not None and f"{got:.4f}" == f"{case.want:.4f}" or got is None and math.isnan(case.want)
        if agreed:
            tally.add("trec_eval", case.metric, "agreed")
        else:
            differs("trec_eval", case, f"is {case.want}, and {got} here", tally)


def version(peer):
    return "" if peer == "trec_eval" else " " + metadata.version(peer)


def section(tally):
    lines = ["| peer | cases | agreed | differ by convention | unsupported |", "|---|---|---|---|---|"]
    peers = list(dict.fromkeys(key[0] for key in tally.cases))
    for peer in peers:
        of = [tally.cases[peer, kind] for kind in ("agreed", "differs", "unsupported")]
        lines.append(f"| {peer}{version(peer)} | {sum(of):,} | {' | '.join(f'{n:,}' for n in of)} |")
    for kind, title in (("differs", "What differs, and by which convention:"), ("unsupported", "What is unsupported:")):
        lines += ["", title, "", "| peer | why | cases | metrics |", "|---|---|---|---|"]
        for (peer, of, why), names in sorted(tally.reasons.items(), key=lambda item: (item[0][0], -tally.cases[item[0]])):
            if of == kind:
                shown = ", ".join(f"`{name}`" for name in sorted(names)[:6]) + (f" and {len(names) - 6} more" if len(names) > 6 else "")
                lines.append(f"| {peer} | {why} | {tally.cases[peer, of, why]:,} | {shown} |")
    return "\n".join(lines) + "\n"


def publish(page, text):
    old = page.read_text()
    before, rest = old.split(BEGIN)
    _, after = rest.split(END)
    page.write_text(f"{before}{BEGIN}\n{text}\n{END}{after}")


def main():
    corpora, page = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2])
    tally = Tally()
    for peer, (module, targets, translator) in RECORDED.items():
        folders = [pathlib.Path(target.format(corpora=corpora)) for target in targets if "{corpora}" in target]
        if all(folder.exists() for folder in folders):
            recorded = calls(module, [target.format(corpora=corpora) for target in targets])
            judge(peer, together(translated(translator, peer, recorded, tally)), tally)
    if (corpora / "trec_eval").exists():
        trec(corpora / "trec_eval", tally)
    publish(page, section(tally))
    for line in tally.wrong[:100]:
        print(line)
    sys.exit(f"{len(tally.wrong)} values differ, and no convention says why" if tally.wrong else 0)


if __name__ == "__main__":
    main()
