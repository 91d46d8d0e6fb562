"""The scripts of action.yml in an environment like that of GitHub: pytest action, with beameval on PATH."""

import hashlib
import os
import pathlib
import re
import subprocess
import tarfile

import pytest
import yaml

HERE = pathlib.Path(__file__).parent
DATA = HERE.parent / "testdata/breast_cancer/config.yaml"


def run(script, tmp_path, **environment):
    files = {name: tmp_path / name for name in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY", "GITHUB_PATH")}
    variables = {"CONFIG": "", "INPUT": "", "BASELINE": "", "OUTPUT": str(tmp_path / "report"), "RUNNER_TEMP": str(tmp_path)}
    done = subprocess.run([HERE / script], cwd=HERE.parent, env={**os.environ, **variables, **files, **environment}, capture_output=True, text=True)
    return done, {name: file.read_text() if file.exists() else "" for name, file in files.items()}


def outputs(files):
    """Returns the outputs of the step that are outputs of the action, too."""
    of_step = dict(line.split("=", 1) for line in files["GITHUB_OUTPUT"].splitlines())
    assert pathlib.Path(of_step.pop("message")).exists()
    return of_step


def test_report(tmp_path):
    done, files = run("evaluate.sh", tmp_path, CONFIG=str(DATA))
    assert done.returncode == 0, done.stderr
    assert outputs(files) == {"exit-code": "0", "report": str(tmp_path / "report"), "comparison": ""}
    assert files["GITHUB_STEP_SUMMARY"] == (tmp_path / "report/report.md").read_text()


def test_failed_gate_and_baseline(tmp_path):
    run("evaluate.sh", tmp_path, CONFIG=str(DATA), OUTPUT=str(tmp_path / "baseline"))
    (tmp_path / "GITHUB_OUTPUT").unlink()
    (tmp_path / "GITHUB_STEP_SUMMARY").unlink()
    config = tmp_path / "gates.yaml"
    config.write_text(DATA.read_text() + "gates: [{metric: accuracy, min: 0.99}, {metric: accuracy, max_drop: 0.01}]\n")
    done, files = run("evaluate.sh", tmp_path, CONFIG=str(config), BASELINE=str(tmp_path / "baseline"))
    assert done.returncode == 0, done.stderr
    assert outputs(files) == {"exit-code": "3", "report": str(tmp_path / "report"), "comparison": str(tmp_path / "report-compared")}
    assert "# Comparison" in files["GITHUB_STEP_SUMMARY"]


def test_baseline_without_gates(tmp_path):
    run("evaluate.sh", tmp_path, CONFIG=str(DATA), OUTPUT=str(tmp_path / "baseline"))
    (tmp_path / "GITHUB_OUTPUT").unlink()
    (tmp_path / "GITHUB_STEP_SUMMARY").unlink()
    done, files = run("evaluate.sh", tmp_path, CONFIG=str(DATA), BASELINE=str(tmp_path / "baseline"))
    assert done.returncode == 0, done.stderr
    assert outputs(files) == {"exit-code": "0", "report": str(tmp_path / "report"), "comparison": str(tmp_path / "report-compared")}
    assert "# Comparison" in files["GITHUB_STEP_SUMMARY"]


@pytest.mark.parametrize("gates", ["", "gates: [{metric: accuracy, max_drop: 0.01}]\n", "checks: {off: [volume]}\n"])
def test_first_run(tmp_path, gates):
    """Without a report to compare with yet, nothing is compared; a gate that needs one is unknown."""
    config = tmp_path / "gates.yaml"
    config.write_text(DATA.read_text() + gates)
    done, files = run("evaluate.sh", tmp_path, CONFIG=str(config), BASELINE=str(tmp_path / "baseline"))
    assert done.returncode == 0, done.stderr
    assert outputs(files) == {"exit-code": "0", "report": str(tmp_path / "report"), "comparison": ""}
    assert f"::notice::there is no report in {tmp_path / 'baseline'} yet, so nothing is compared" in done.stdout
    assert "# Evaluation report" in files["GITHUB_STEP_SUMMARY"]


def test_damaged_baseline(tmp_path):
    (tmp_path / "baseline").mkdir()
    (tmp_path / "baseline/metrics.json").write_text("{")
    done, files = run("evaluate.sh", tmp_path, CONFIG=str(DATA), BASELINE=str(tmp_path / "baseline"))
    assert outputs(files) == {"exit-code": "2", "report": "", "comparison": ""}
    assert "baseline" in files["GITHUB_STEP_SUMMARY"]


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_output_of_two_lines(tmp_path, end):
    """A second line is no output of the step."""
    done, files = run("evaluate.sh", tmp_path, CONFIG=str(DATA), OUTPUT=str(tmp_path / "report") + end + "exit-code=0")
    assert done.returncode == 2
    assert "output has a line break" in done.stdout
    assert files["GITHUB_OUTPUT"] == ""


def test_actions_are_pinned():
    """A tag can be moved; options of the scripts are those of macOS, too."""
    for step in yaml.safe_load((HERE.parent / "action.yml").read_text())["runs"]["steps"]:
        assert "uses" not in step or re.fullmatch(r"[\w/-]+@[0-9a-f]{40}", step["uses"])
    assert "head --" not in (HERE / "evaluate.sh").read_text()


def test_failed_run(tmp_path):
    done, files = run("evaluate.sh", tmp_path, INPUT="no such file.parquet")
    assert done.returncode == 0
    assert outputs(files) == {"exit-code": "2", "report": "", "comparison": ""}
    assert "evaluate: no such file.parquet: file does not exist" in files["GITHUB_STEP_SUMMARY"]


@pytest.fixture
def release(tmp_path):
    """A curl that serves a release from a directory instead of GitHub."""
    folder = tmp_path / "release"
    folder.mkdir()
    (folder / "beameval").write_text("#!/bin/sh\necho installed\n")
    (folder / "beameval").chmod(0o755)
    archive = folder / "beameval_1.2.3_linux_amd64.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(folder / "beameval", "beameval")
    (folder / "checksums.txt").write_text(f"{hashlib.sha256(archive.read_bytes()).hexdigest()}  {archive.name}\n")
    (tmp_path / "bin").mkdir()
    curl = tmp_path / "bin/curl"
    curl.write_text(
        '#!/bin/bash\nwhile [ $# -gt 1 ]; do [ "$1" = --output ] && file=$2; shift; done\n'
        f'case $1 in https://github.com/beameval/beameval/releases/download/v1.2.3/*) cp "{folder}/${{1##*/}}" "$file" ;; *) exit 22 ;; esac\n'
    )
    curl.chmod(0o755)
    return archive, {"PATH": f"{tmp_path / 'bin'}:{os.environ['PATH']}", "RUNNER_OS": "Linux", "RUNNER_ARCH": "X64"}


def test_install(tmp_path, release):
    archive, environment = release
    done, files = run("install.sh", tmp_path, VERSION="v1.2.3", **environment)
    assert done.returncode == 0, done.stderr
    folder = files["GITHUB_PATH"].strip()
    assert subprocess.run([f"{folder}/beameval"], capture_output=True, text=True, check=True).stdout == "installed\n"


@pytest.mark.parametrize("change", [{"VERSION": "9.9.9"}, {"RUNNER_OS": "Windows"}, {"RUNNER_ARCH": "X86"}])
def test_install_of_what_there_is_not(tmp_path, release, change):
    done, files = run("install.sh", tmp_path, **{"VERSION": "1.2.3", **release[1], **change})
    assert done.returncode != 0
    assert files["GITHUB_PATH"] == ""


def test_install_checks_the_digest(tmp_path, release):
    archive, environment = release
    archive.write_bytes(archive.read_bytes() + b"x")
    done, files = run("install.sh", tmp_path, VERSION="1.2.3", **environment)
    assert done.returncode != 0 and "FAILED" in done.stdout
    assert files["GITHUB_PATH"] == ""


def test_action():
    """Steps name scripts, and inputs and outputs that exist."""
    action = yaml.safe_load((HERE.parent / "action.yml").read_text())
    text = (HERE.parent / "action.yml").read_text()
    for name in ("version", "config", "input", "baseline", "output", "artifact", "comment"):
        assert name in action["inputs"] and f"inputs.{name}" in text
    written = {line.split("=")[0].strip('"') for line in (HERE / "evaluate.sh").read_text().split() if "=$" in line and line.startswith('"')}
    assert set(action["outputs"]) == written - {"message"} == {"exit-code", "report", "comparison"}
    for step in action["runs"]["steps"]:
        if "action/" in step.get("run", ""):
            assert os.access(HERE / step["run"].split("action/")[1], os.X_OK)
    names = [step["name"] for step in action["runs"]["steps"]]
    assert names[-2:] == ["Comment", "Result"], "the exit code of the evaluation decides last, whatever becomes of the comment"
    known = re.findall(r'environment(?:\.get\(|\[)"(\w+)"', (HERE / "comment.py").read_text())
    given = action["runs"]["steps"][-2]["env"]
    assert {name for name in known if not name.startswith("GITHUB_")} <= set(given)
