"""Finds the program that this package brings."""

import os
import shutil
import sys
import sysconfig


def program() -> str:
    """The path of `visa-lint`: that of VISA_LINT, else the one installed beside this package, else the one on PATH."""
    named = os.environ.get("VISA_LINT")
    if named:
        return named
    name = "visa-lint" + (sysconfig.get_config_var("EXE") or "")
    folders = [sysconfig.get_path("scripts"), os.path.dirname(sys.executable)]
    if hasattr(sysconfig, "get_preferred_scheme"):
        folders.append(sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user")))
    for folder in folders:
        if folder and os.path.isfile(os.path.join(folder, name)):
            return os.path.join(folder, name)
    found = shutil.which(name)
    if found is None:
        raise FileNotFoundError("the program `visa-lint` is not installed; VISA_LINT may name it")
    return found
