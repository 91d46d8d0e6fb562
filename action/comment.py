#!/usr/bin/env python3
"""Writes the summary of an evaluation as the one comment of its pull request.

The first line of the comment is a marker that nobody sees, by which the next run finds and replaces it. Nothing is written
if the pull request has a newer commit by then, whose own run comments. A comment that cannot be written is a warning: the
exit code of the evaluation decides whether the job fails. Python's standard library is enough.
"""

import hashlib
import http.client
import json
import os
import pathlib
import re
import sys
import time
import urllib.error
import urllib.request

MOST = 60_000  # characters of a comment; GitHub takes 65,536
MOST_ROWS = 20  # of a table
MOST_MESSAGE = 3_000  # characters of a message of an error
PAUSES = (1, 5, 15)  # seconds before each new attempt
TIMEOUT = 30  # seconds for an answer


class Refused(Exception):
    """An answer that another attempt would get, too."""


class Later(Exception):
    """A failure that another attempt may mend, after some seconds."""

    def __init__(self, reason, pause=0):
        super().__init__(reason)
        self.pause = pause


class NoRedirects(urllib.request.HTTPRedirectHandler):
    """The token goes to the API alone."""

    def redirect_request(self, *_):
        return None


class GitHub:
    """The part of GitHub's API that a comment needs."""

    def __init__(self, api, token, repository, number):
        self.api, self.token = api.rstrip("/"), token
        self.of = f"{self.api}/repos/{repository}"
        self.number = number
        self.opener = urllib.request.build_opener(NoRedirects)

    def request(self, method, url, body=None):
        """Returns what the API answers, and the address of the next page or None."""
        data = None if body is None else json.dumps({"body": body}).encode()
        request = urllib.request.Request(url, data, method=method)
        request.add_header("Accept", "application/vnd.github+json")
        request.add_header("Authorization", f"Bearer {self.token}")
        request.add_header("X-GitHub-Api-Version", "2022-11-28")
        request.add_header("User-Agent", "beameval")
        if data is not None:
            request.add_header("Content-Type", "application/json")
        what = f"{method} {url.removeprefix(self.api)}"
        try:
            with self.opener.open(request, timeout=TIMEOUT) as answer:
                content = answer.read()
                link = answer.headers.get("Link") or ""
        except urllib.error.HTTPError as error:
            wait = error.headers.get("Retry-After") or ""
            reason = f"{what}: {error.code} {message_of(error)}"
            vanished = error.code == 404 and method in ("PATCH", "DELETE")  # somebody has just removed the comment
            if vanished or error.code >= 500 or error.code in (408, 429) or (error.code == 403 and wait):
                raise Later(reason, int(wait) if wait.isdigit() else 0) from error
            if error.code in (403, 404):
                reason += "; it takes the permission pull-requests: write, which the pull request of a fork does not get"
            raise Refused(reason) from error
        except (OSError, http.client.HTTPException) as error:
            raise Later(f"{what}: {error}") from error
        following = re.search(r'<([^>]*)>; *rel="next"', link)
        if following and not following[1].startswith(self.api + "/"):
            raise Refused(f"{what}: the next page is elsewhere: {following[1]}")
        try:
            return json.loads(content or b"null"), following[1] if following else None
        except ValueError as error:
            raise Later(f"{what}: the answer is no JSON") from error

    def head(self):
        """Returns the newest commit of the pull request."""
        pull, _ = self.request("GET", f"{self.of}/pulls/{self.number}")
        return pull["head"]["sha"]

    def comments(self, marker):
        """Returns the comments that begin with a marker, the oldest first. Those of people are theirs, even with a marker."""
        found = []
        page = f"{self.of}/issues/{self.number}/comments?per_page=100"
        while page:
            comments, page = self.request("GET", page)
            found += [c for c in comments if (c.get("body") or "").startswith(marker) and (c.get("user") or {}).get("type") == "Bot"]
        return sorted(found, key=lambda c: c["id"])

    def write(self, text, marker, commit):
        """Makes the comment say a text, or removes it if that is None, and says what it did."""
        found = self.comments(marker)
        head = self.head()
        if head != commit:
            return f"no comment: the pull request has a newer commit, {head}"
        done = "no comment: there is nothing to say"
        if text is not None:
            body = marker + "\n" + text
            if found:
                self.request("PATCH", f"{self.of}/issues/comments/{found[0]['id']}", body)
                done = "the comment is replaced"
            else:
                self.request("POST", f"{self.of}/issues/{self.number}/comments", body)
                done = "the comment is written"
        elif found:
            done = "the comment is removed: there is nothing to say any more"
        for more in found if text is None else found[1:]:
            self.request("DELETE", f"{self.of}/issues/comments/{more['id']}")
        return done


def message_of(error):
    try:
        return json.loads(error.read())["message"]
    except (ValueError, KeyError, TypeError, OSError):
        return error.reason


def harmless(text):
    """Keeps the names of labels and slices from notifying people or referring to issues, and drops links into the report."""
    text = re.sub(r" \(\[[^\]]*\]\(#[^)]*\)\)", "", text)
    return re.sub(r"@(?=\w)|#(?=\d)|(?<=\bGH)-(?=\d)", "\\g<0>\u200b", text)


def sections(markdown):
    """Returns the title of a document, the text below it, and its sections by title."""
    title, _, rest = markdown.partition("\n")
    above, *parts = re.split(r"^## ", rest, flags=re.M)
    return title.removeprefix("# ").strip(), above.strip(), {name: text.strip() for name, _, text in (part.partition("\n") for part in parts)}


def shortened(section):
    """Returns a section with the first rows of its tables."""
    lines, rows = [], 0
    for line in [*section.splitlines(), ""]:
        rows = rows + 1 if line.startswith("|") else 0
        if rows <= MOST_ROWS + 2:  # with those of the names
            lines.append(line)
        elif rows == MOST_ROWS + 3:
            lines.append("\nThe artifact has the others.")
    return "\n".join(lines).strip()


def cells(row):
    return [cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]]


def changed(overall):
    """Returns the headline metrics that changed significantly, or all if none was tested."""
    table = [line for line in overall.splitlines() if line.startswith("|")]
    if not table:
        return overall
    notes = "\n".join(line for line in overall.splitlines() if not line.startswith("|")).strip()
    if "verdict" not in cells(table[0]):
        return "\n".join(table) + "\n\n" + notes
    column = cells(table[0]).index("verdict")
    rows = [row for row in table[2:] if cells(row)[column] in ("worse", "better")]
    if not rows:
        return "No headline metric changed significantly.\n\n" + notes
    return "\n".join([*table[:2], *rows]) + "\n\n" + notes


def fenced(message):
    fence = "`" * max(3, 1 + max((len(run) for run in re.findall("`+", message)), default=0))
    return f"{fence}\n{message.strip()[:MOST_MESSAGE]}\n{fence}"


def summary(code, report, comparison, message, baseline=""):
    """Returns the text of the comment, or None if nothing applies: no gate, finding, check, comparison or failure."""
    if not report:
        return f"### beameval: the evaluation failed with exit code {code}\n\n{fenced(message)}"
    title, tally, of = sections(report)
    shown = [name for name in ("Gates", "What stands out", "Checks", "Warnings") if name in of]
    failed = code not in ("0", "3")
    if not shown and not comparison and not failed:
        return None
    verdict = f"the comparison failed with exit code {code}" if failed else "a gate failed" if code == "3" else "no gate failed" if "Gates" in of else "no gates"
    parts = [f"### {title}: {verdict}", tally, *(f"#### {name}\n\n{shortened(of[name])}" for name in shown)]
    if comparison:
        title, tally, of = sections(comparison)
        parts += [f"#### {title}", tally]
        if "Warnings" in of:
            parts.append(shortened(of["Warnings"]))
        if "Overall" in of:
            parts.append(shortened(changed(of["Overall"])))
    elif baseline and not failed:
        parts.append("There is no report in the baseline yet, so nothing is compared.")
    text = harmless("\n\n".join(part for part in parts if part))
    return f"{text}\n\n{fenced(message)}" if failed else text


def stamped(text, environment, commit):
    """Returns the text with the commit that it is of, and where the rest is."""
    run = f"{environment['GITHUB_SERVER_URL']}/{environment['GITHUB_REPOSITORY']}/actions/runs/{environment['GITHUB_RUN_ID']}"
    artifact = environment.get("ARTIFACT_URL")
    where = f"[artifact with the whole report]({artifact}), [run]({run})" if artifact else f"[run]({run})"
    if len(text) > MOST:
        text = text[:MOST].rpartition("\n")[0] + "\n\nThe rest is in the report."
    return f"{text}\n\nCommit {commit} · {where}"


def read(folder, name):
    return pathlib.Path(folder, name).read_text(encoding="utf-8") if folder else ""


def say(level, text):
    """Annotates the run."""
    print(f"::{level}::" + text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def main(environment):
    if environment["COMMENT"] != "true":
        say("error", f"comment is true or false, not {environment['COMMENT']}")
        return 2
    event = json.loads(pathlib.Path(environment["GITHUB_EVENT_PATH"]).read_text(encoding="utf-8"))
    if "pull_request" not in event:
        print("no comment: the run is of no pull request")
        return 0
    # Jobs and evaluations of one workflow have a comment each.
    names = [environment.get(name, "") for name in ("GITHUB_WORKFLOW", "GITHUB_JOB", "NAME")]
    marker = f"<!-- beameval {hashlib.sha256(json.dumps(names).encode()).hexdigest()[:16]} -->"
    commit = event["pull_request"]["head"]["sha"]
    message = pathlib.Path(environment["MESSAGE"]).read_text(encoding="utf-8", errors="replace")
    text = summary(environment["CODE"], read(environment["REPORT"], "report.md"), read(environment["COMPARISON"], "comparison.md"), message, environment["BASELINE"])
    if text is not None:
        text = stamped(text, environment, commit)
    github = GitHub(environment["GITHUB_API_URL"], environment["GITHUB_TOKEN"], environment["GITHUB_REPOSITORY"], event["pull_request"]["number"])
    for pause in (*PAUSES, None):
        try:
            print(github.write(text, marker, commit))
            return 0
        except Refused as reason:
            say("warning", f"no comment on the pull request: {reason}")
            return 0
        except Later as reason:
            if pause is None:
                say("warning", f"no comment on the pull request: {reason}")
                return 0
            time.sleep(min(max(pause, reason.pause), 60))


if __name__ == "__main__":
    sys.exit(main(os.environ))
