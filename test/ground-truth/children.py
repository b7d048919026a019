"""A process for each case, so that none sees what another left behind."""

import json
import os
import tempfile
import traceback
from pathlib import Path


def run_each(cases, measure, at_once=1):
    """What `measure` returns for each case, in order, each in a forked child; {"error": …} beside the case where it failed."""
    with tempfile.TemporaryDirectory() as folder:
        waiting = list(enumerate(cases))
        running = {}
        while waiting or running:
            while waiting and len(running) < at_once:
                index, case = waiting.pop(0)
                child = os.fork()
                if child == 0:
                    _run(case, measure, Path(folder) / str(index))
                running[child] = index
            ended, _status = os.wait()
            running.pop(ended, None)
        return [_result(case, Path(folder) / str(index)) for index, case in enumerate(cases)]


def _run(case, measure, path):
    try:
        result = measure(case)
    except Exception as error:  # The parent writes down what failed; the other cases go on.
        result = {**case, "error": type(error).__name__, "message": f"{error} | {traceback.format_exc()[-500:]}"}
    path.write_text(json.dumps(result))
    os._exit(0)


def _result(case, path):
    return json.loads(path.read_text()) if path.exists() else {**case, "error": "died"}
