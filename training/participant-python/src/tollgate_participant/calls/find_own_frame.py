"""Location of an error in the user's code."""

from __future__ import annotations

import os
import sysconfig
import traceback

from .plain_text import plain_text

PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep
FOREIGN = tuple(
    os.path.abspath(folder) + os.sep
    for folder in {sysconfig.get_path(name) for name in ("stdlib", "platstdlib", "purelib", "platlib")}
    if folder
)

NAME_CHARACTERS = 500
# Limits the stack trace, whose last line repeats the error message and can be long.
STACK_CHARACTERS = 8000


def find_own_frame(error: BaseException, stack: str) -> str:
    """Return the error, the innermost line of the user's code, and the indented stack trace."""
    name = plain_text(f"{type(error).__name__}: {error}", NAME_CHARACTERS)
    frames = traceback.extract_tb(error.__traceback__)
    own = [frame for frame in frames if not os.path.abspath(frame.filename).startswith((PACKAGE, *FOREIGN))]
    if not own:
        return name
    last = own[-1]
    lines = stack[:STACK_CHARACTERS].rstrip().split("\n")
    indented = "".join(f"      {plain_text(line, NAME_CHARACTERS)}\n" for line in lines)
    return f"{name}\n    {last.name} in {last.filename}:{last.lineno}\n{indented.rstrip()}"
