"""A plugin of pytest that records the calls of metrics in a peer's own tests and examples, with their results.

PARITY_MODULE is the module whose functions are recorded, PARITY_CALLS the file for (name, arguments, result). A call that
fails is not recorded, nor one that cannot be pickled. Equal calls are recorded once.
"""

import functools
import importlib
import inspect
import os
import pickle

calls = {}


def recorded(name, function):
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*arguments, **keywords):
        try:  # before the call, which may change its arguments
            bound = pickle.dumps(dict(signature.bind(*arguments, **keywords).arguments))
        except Exception:
            bound = None
        result = function(*arguments, **keywords)
        if bound is not None:
            try:
                calls[name, bound] = pickle.dumps(result)
            except Exception:  # what cannot be pickled is no number
                return result
        return result

    return call


def pytest_configure():
    module = importlib.import_module(os.environ["PARITY_MODULE"])
    for name in module.__all__:
        function = getattr(module, name)
        if inspect.isfunction(function):
            setattr(module, name, recorded(name, function))


def pytest_sessionfinish():
    with open(os.environ["PARITY_CALLS"], "wb") as file:
        pickle.dump([(name, bound, result) for (name, bound), result in calls.items()], file)
