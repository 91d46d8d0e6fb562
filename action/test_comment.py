"""comment.py against a fake of GitHub's API on this machine: pytest action, with beameval on PATH."""

import http.server
import json
import os
import pathlib
import re
import subprocess
import threading
import urllib.parse

import comment
import pytest

HERE = pathlib.Path(__file__).parent
DATA = HERE.parent / "testdata/breast_cancer/config.yaml"
OF = "/repos/ada/models"
HEAD, NEWER = "a" * 40, "b" * 40


class FakeGitHub(http.server.ThreadingHTTPServer):
    """Pull request 7 of ada/models, which has pages of two comments."""

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.head = HEAD
        self.comments = {}
        self.asked = []  # of requests: what, and the body
        self.failures = []  # of the next requests with a method: (method, status, headers, whether it is done nevertheless)
        self.vanishing = False  # the comments, when the first is to be replaced
        self.next_page = None  # instead of this server's
        self.url = f"http://127.0.0.1:{self.server_port}"

    def add(self, body, of="Bot"):
        number = max(self.comments, default=100) + 1
        self.comments[number] = {"id": number, "body": body, "user": of and {"login": "x", "type": of}}
        return number

    def bodies(self):
        return [c["body"] for c in self.comments.values()]

    def written(self):
        return [method for method, _ in self.asked if method != "GET"]

    def answer(self, method, path, query, body):
        if (method, path) == ("GET", f"{OF}/pulls/7"):
            return 200, {"head": {"sha": self.head}}
        if (method, path) == ("GET", f"{OF}/issues/7/comments"):
            page = int(query.get("page", ["1"])[0])
            of_page = list(self.comments.values())[2 * page - 2 : 2 * page]
            link = {"Link": f'<{self.next_page or self.url}{path}?per_page=100&page={page + 1}>; rel="next", <{self.url}>; rel="last"'}
            return 200, of_page, link if 2 * page < len(self.comments) else {}
        if (method, path) == ("POST", f"{OF}/issues/7/comments"):
            return 201, {"id": self.add(body["body"])}
        number = int(path.removeprefix(f"{OF}/issues/comments/"))
        if self.vanishing:
            self.comments.clear()
        if number not in self.comments:
            return 404, {"message": "Not Found"}
        if method == "PATCH":
            self.comments[number]["body"] = body["body"]
            return 200, {}
        assert method == "DELETE"
        del self.comments[number]
        return 204, None


class Handler(http.server.BaseHTTPRequestHandler):
    def do(self):
        github, url = self.server, urllib.parse.urlsplit(self.path)
        body = json.loads(self.rfile.read(int(self.headers.get("Content-Length") or 0)) or "null")
        github.asked.append((self.command, self.path))
        assert self.headers["Authorization"] == "Bearer secret"
        failure = next((f for f in github.failures if f[0] == self.command), None)
        if failure:
            github.failures.remove(failure)
        status, content, *headers = (failure[1], {"message": "no luck"}, failure[2]) if failure else (200, None)
        if not failure or failure[3]:
            done = github.answer(self.command, url.path, urllib.parse.parse_qs(url.query), body)
            status, content, *headers = done if not failure else (status, content, *headers)
        data = b"" if content is None else json.dumps(content).encode()
        self.send_response(status)
        for name, value in (headers[0] if headers else {}).items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = do_PATCH = do_DELETE = do

    def log_message(self, *_):
        pass


@pytest.fixture
def github():
    server = FakeGitHub()
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture(scope="module")
def reports(tmp_path_factory):
    """A report that fails a gate, its comparison with a better one, and a report that has nothing to say."""
    root = tmp_path_factory.mktemp("reports")
    config = root / "config.yaml"
    config.write_text(DATA.read_text() + "confidence: {}\n")

    def evaluate(name, *more):
        done = subprocess.run(["beameval", "evaluate", "--quiet", "--config", config, "--output", root / name, *more], cwd=HERE.parent, capture_output=True, text=True)
        assert done.returncode in (0, 3), done.stderr

    evaluate("better")
    evaluate("worse", "--set", "decision.threshold=0.999", "--set", "gates=[{metric: accuracy, min: 0.95}]")
    subprocess.run(["beameval", "compare", root / "better", root / "worse", "--output", root / "compared"], check=True, capture_output=True)
    (root / "silent").mkdir()
    (root / "silent/report.md").write_text("# Evaluation report: binary\n\n7 of 7 rows evaluated.\n\n## Metrics\n\n| metric | value |\n| --- | ---:|\n| f1 | 1 |\n")
    return root


@pytest.fixture
def run(github, reports, tmp_path):
    """Runs the script as the action does."""

    def run(report="", comparison="", code="0", message="", commit=HEAD, event="pull_request", **more):
        (tmp_path / "event.json").write_text(json.dumps({event: {"number": 7, "head": {"sha": commit}}}))
        (tmp_path / "message").write_text(message)
        variables = {
            "COMMENT": "true", "NAME": "beameval-report", "BASELINE": "", "CODE": code, "MESSAGE": str(tmp_path / "message"), "ARTIFACT_URL": "https://github.test/artifact/5",
            "REPORT": str(reports / report) if report else "", "COMPARISON": str(reports / comparison) if comparison else "",
            "GITHUB_TOKEN": "secret", "GITHUB_API_URL": github.url, "GITHUB_SERVER_URL": "https://github.test", "GITHUB_REPOSITORY": "ada/models", "GITHUB_RUN_ID": "9",
            "GITHUB_WORKFLOW": "ci", "GITHUB_JOB": "evaluate", "GITHUB_EVENT_PATH": str(tmp_path / "event.json"), "no_proxy": "127.0.0.1", **more,
        }  # fmt: skip
        done = subprocess.run([HERE / "comment.py"], env={**os.environ, **variables}, capture_output=True, text=True)
        assert done.stderr == ""
        return done

    return run


def test_comment_is_the_summary(github, reports, run):
    done = run("worse", "compared", code="3")
    assert (done.returncode, done.stdout) == (0, "the comment is written\n")
    [body] = github.bodies()
    assert re.match(r"<!-- beameval [0-9a-f]{16} -->\n### Evaluation report: binary: a gate failed\n", body)
    assert re.search(r"^\| fail \| accuracy \| overall ", body, re.M)
    assert "#### What stands out\n\n- " in body
    compared = (reports / "compared/comparison.md").read_text()
    changed = re.findall(r"^\| accuracy \|.*\| worse \|.*$", compared, re.M)
    assert len(changed) == 1 and "±" in changed[0] and changed[0] in body
    assert not re.search(r"\| no significant change \|", body)
    assert compared.splitlines()[0].removeprefix("# ") in body
    assert body.endswith(f"\n\nCommit {HEAD} · [artifact with the whole report](https://github.test/artifact/5), [run](https://github.test/ada/models/actions/runs/9)")


def test_replaced_on_any_page(github, run):
    """The comment of an earlier run is found behind those of people, and what others have written stays."""
    run("worse", "compared", code="3")
    [first] = github.bodies()
    [number] = github.comments
    people = [github.add(text, of="User") for text in (first, "> " + first, "Looks good")] + [github.add(None, of=None), github.add("Coverage fell", of="Bot")]
    ours = github.comments.pop(number)
    github.comments[number] = ours  # is now on the third page
    for again in (github.add(first), github.add(first)):  # of two runs at once
        assert again in github.comments
    before = {n: github.comments[n]["body"] for n in people}
    done = run("worse", "", code="3", commit=HEAD)
    assert done.stdout == "the comment is replaced\n"
    assert {n: c["body"] for n, c in github.comments.items() if n != number} == before
    assert "Comparison" in first and "Comparison" not in github.comments[number]["body"]
    assert first.split("\n")[0] == github.comments[number]["body"].split("\n")[0]


@pytest.mark.parametrize("report", ["worse", "silent"])
def test_not_written_for_an_old_commit(github, run, report):
    run("worse", "compared", code="3")
    before = github.bodies()
    github.head = NEWER
    github.asked.clear()
    done = run(report)
    assert (done.returncode, done.stdout) == (0, f"no comment: the pull request has a newer commit, {NEWER}\n")
    assert github.written() == []
    assert github.bodies() == before
    assert run("worse", commit=NEWER).stdout == "the comment is replaced\n"
    assert NEWER in github.bodies()[0] and HEAD not in github.bodies()[0]


def test_retracted(github, run):
    assert run("silent").stdout == "no comment: there is nothing to say\n"
    assert github.written() == []
    kept = github.add("Looks good", of="User")
    run("worse", code="3")
    assert run("silent").stdout == "the comment is removed: there is nothing to say any more\n"
    assert list(github.comments) == [kept]


def test_each_job_has_its_comment(github, run):
    for more in ({}, {"GITHUB_JOB": "other"}, {"NAME": "other"}, {"GITHUB_WORKFLOW": "other"}, {}):
        run("worse", code="3", **more)
    assert len(set(body.split("\n")[0] for body in github.bodies())) == len(github.bodies()) == 4


def test_failures(github, run):
    """An evaluation and a comparison that failed say why."""
    run(code="2", message="evaluate: no ```file```: @team\n")
    assert "### beameval: the evaluation failed with exit code 2\n\n````\nevaluate: no ```file```: @team\n````\n" in github.bodies()[0]
    run("worse", code="2", message="compare: reports of different tasks\n", BASELINE="main")
    assert ": the comparison failed with exit code 2\n" in github.bodies()[0]
    assert "```\ncompare: reports of different tasks\n```" in github.bodies()[0]
    run("worse", code="0", BASELINE="main", ARTIFACT_URL="")
    assert "There is no report in the baseline yet, so nothing is compared." in github.bodies()[0]
    assert "artifact" not in github.bodies()[0].splitlines()[-1]


@pytest.mark.parametrize("failure", [("GET", 502, {}, False), ("GET", 403, {"Retry-After": "1"}, False), ("POST", 500, {}, True), ("POST", 429, {}, False)])
def test_another_attempt(github, run, failure):
    """Also if the first was done, and only the answer was lost, there is one comment."""
    github.failures.append(failure)
    done = run("worse", code="3")
    assert done.returncode == 0 and done.stdout.startswith("the comment is ")
    assert len(github.bodies()) == 1


def test_removed_by_somebody_else(github, run):
    """What is no longer there when it should be replaced is written anew."""
    run("worse", code="3")
    github.vanishing = True
    assert run("worse", code="3").stdout == "the comment is written\n"
    assert len(github.bodies()) == 1


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_without_permission(github, run, method):
    """The token of a pull request from a fork may not write: the job goes on, and says so."""
    github.failures.append((method, 403, {}, False))
    done = run("worse", code="3")
    assert done.returncode == 0
    assert re.fullmatch(rf"::warning::no comment on the pull request: {method} [^ ]*: 403 no luck; it takes the permission pull-requests: write, which [^\n]*\n", done.stdout)


def test_no_api(github, run, monkeypatch, capsys):
    """After some attempts it gives up."""
    monkeypatch.setattr(comment, "PAUSES", (0, 0))
    lost = comment.GitHub("http://127.0.0.1:1", "secret", "ada/models", 7)
    with pytest.raises(comment.Later, match="GET /repos/ada/models/issues/7/comments"):
        lost.write("text", "<!-- -->", HEAD)
    github.failures += 3 * [("GET", 503, {}, False)]
    reached = comment.GitHub(github.url, "secret", "ada/models", 7)
    for _ in range(3):
        with pytest.raises(comment.Later, match="503 no luck"):
            reached.comments("x")
    assert reached.comments("x") == []


@pytest.mark.parametrize("status", [301, 307])
def test_token_stays(github, run, status):
    """Neither a redirect nor a next page leads the token to another host."""
    github.failures.append(("GET", status, {"Location": "http://127.0.0.1:1/elsewhere"}, False))
    assert f": {status} no luck" in run("worse").stdout
    for _ in range(3):
        github.add("Looks good", of="User")
    github.next_page = "http://127.0.0.1:1"
    assert "the next page is elsewhere" in run("worse").stdout
    assert github.written() == []


def test_not_of_a_pull_request(github, run):
    assert run("worse", event="push").stdout == "no comment: the run is of no pull request\n"
    assert github.asked == []


def test_value_of_comment(github, run):
    done = run("worse", COMMENT="yes\n::error::x")
    assert (done.returncode, done.stdout) == (2, "::error::comment is true or false, not yes%0A::error::x\n")


def test_names_notify_nobody():
    report = "# R\n\n1 of 1 rows.\n\n## What stands out\n\n- org/@team, #12, GH-12: f1 0.5 ([Slices](#slices))\n- [x](#y)\n\n## Configuration\n\n```json\n{}\n```\n"
    text = comment.summary("0", report, "", "")
    assert "- org/@\u200bteam, #\u200b12, GH-\u200b12: f1 0.5\n" in text
    assert "Configuration" not in text


def test_long_reports_are_cut():
    rows = "".join(f"| fail | m{i} |\n" for i in range(500))
    text = comment.summary("3", f"# R\n\n1 of 1 rows.\n\n## Gates\n\nA note.\n\n| gate | metric |\n| --- | --- |\n{rows}\nAnother.\n", "", "")
    assert "A note." in text and "Another." in text and "The artifact has the others." in text
    assert "| m19 |" in text and "| m20 |" not in text
    environment = {"GITHUB_SERVER_URL": "s", "GITHUB_REPOSITORY": "r", "GITHUB_RUN_ID": "1"}
    stamped = comment.stamped("line\n" * 50_000, environment, HEAD)
    assert len(stamped) < 65_000 and stamped.endswith(f"\n\nThe rest is in the report.\n\nCommit {HEAD} · [run](s/r/actions/runs/1)")


def test_nothing_changed():
    row = "| a\\|b | 1 | 1 | 0 ± 1 | 1 | no significant change |  |"
    overall = f"| metric | a | b | difference | p | verdict | reason |\n{7 * '| --- '}|\n{row}\n\nWhere there is no change, 1.\n"
    text = comment.summary("0", "# R\n\n1 of 1 rows.\n", f"# Comparison: b with a\n\n1 difference: 0 worse.\n\n## Overall\n\n{overall}", "")
    assert text.startswith("### R: no gates\n\n1 of 1 rows.\n\n#### Comparison: b with a\n\n1 difference: 0 worse.\n\n")
    assert text.endswith("\n\nNo headline metric changed significantly.\n\nWhere there is no change, 1.")
    untested = comment.changed("| metric | a | b | difference |\n| --- | --- | --- | --- |\n| f1 | 1 | 0 | -1 |\n")
    assert "| f1 | 1 | 0 | -1 |" in untested
