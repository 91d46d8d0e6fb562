"""Parses the files for Airflow on pages of the documentation, and renders their templates for scheduled runs.

dags.py PAGE... needs an environment with Airflow 3. A ```python block with a DAG is a file. Its tasks must be about the last
day that is over, with the timetable that Airflow 2 makes of a cron expression as well as with the one of Airflow 3. Other
blocks must have the same template, and are only compiled.
"""

import contextlib
import datetime
import os
import pathlib
import re
import sys
import tempfile

BLOCKS = re.compile(r"^```python\n(.*?)^```\n", re.M | re.S)
TEMPLATE = re.compile(r'^day = (".*?")', re.M)
RUN, DAY, AFTER = "2026-11-22T04:15:00+00:00", "2026-11-21", "2026-11-22"


def runs(schedule):
    """Yields the data interval and the ds of the run at RUN, by the name of the timetable."""
    import pendulum
    from airflow.timetables.base import TimeRestriction
    from airflow.timetables.interval import CronDataIntervalTimetable  # what Airflow 2 makes of a cron expression
    from airflow.timetables.trigger import CronTriggerTimetable  # and Airflow 3

    for timetable in (CronDataIntervalTimetable, CronTriggerTimetable):
        restriction, last = TimeRestriction(pendulum.datetime(2026, 11, 20), None, catchup=True), None
        for _ in range(9):
            info = timetable(schedule, timezone=pendulum.timezone("UTC")).next_dagrun_info(last_automated_data_interval=last, restriction=restriction)
            last = info.data_interval
            if info.run_after == datetime.datetime.fromisoformat(RUN):
                yield timetable.__name__, info
                break
        else:
            sys.exit(f"{timetable.__name__}({schedule!r}) has no run at {RUN}")


def check_file(block, template):
    """Parses a file, and renders what its tasks run."""
    from airflow.sdk.execution_time import macros

    with tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "dag.py")
        file.write_text(block)
        names = {"__name__": "dag", "__file__": str(file)}
        exec(compile(block, file, "exec"), names)
    dag = names["evaluate"].dag
    order = {task.task_id: sorted(task.downstream_task_ids) for task in dag.tasks}
    assert order == {"evaluate": ["compare", "monitor"], "compare": ["deploy"], "deploy": [], "monitor": []}, order
    plain = {}
    for timetable, info in runs(dag.schedule):
        context = {"ds": info.logical_date.strftime("%Y-%m-%d"), "data_interval_end": info.data_interval.end, "macros": macros}
        for task in dag.tasks:
            command = task.render_template(task.bash_command, context)
            assert "{" not in command and (DAY in command) == (template in task.bash_command) and AFTER not in command, (timetable, command)
        assert sum(template in task.bash_command for task in dag.tasks) == 3
        plain[timetable] = dag.tasks[0].render_template("{{ ds }}", context)
    assert plain == {"CronDataIntervalTimetable": DAY, "CronTriggerTimetable": AFTER}, f"the comment of the example is wrong: {plain}"
    return len(dag.tasks)


def main():
    home = tempfile.TemporaryDirectory()
    os.environ.update(AIRFLOW_HOME=home.name, AIRFLOW__CORE__LOAD_EXAMPLES="False", AIRFLOW__CORE__UNIT_TEST_MODE="True")
    with home, contextlib.redirect_stdout(sys.stderr):
        import airflow

        blocks = [(page, block) for page in sys.argv[1:] for block in BLOCKS.findall(pathlib.Path(page).read_text()) if "airflow" in block]
        templates = {template for _, block in blocks for template in TEMPLATE.findall(block)}
        assert len(templates) == 1, templates
        for page, block in blocks:
            assert "{{ ds }}" not in re.sub(r"#.*", "", block), f"{page}: {{{{ ds }}}} of a cron schedule is the day of the run in Airflow 3"
            compile(block, page, "exec")
        files = [block for _, block in blocks if "with DAG(" in block]
        assert files, "no page has a file with a DAG"
        tasks = sum(check_file(block, eval(templates.copy().pop())) for block in files)
    print(f"Airflow {airflow.__version__}: {len(files)} files with {tasks} tasks, and {len(blocks) - len(files)} other blocks passed")


if __name__ == "__main__":
    main()
