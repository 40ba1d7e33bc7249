"""Dependencies in cpp/ point one way, and files stay short enough to be read in one go."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

# What a stage may include, beside itself. docs/architecture.md draws the same picture.
SEARCH = {"base", "kernels", "data", "weights", "cuts"}
MAY_INCLUDE = {
    "base": set(),
    "kernels": {"base"},
    "data": {"base", "kernels"},
    "weights": {"base", "kernels", "data"},
    "cuts": {"base", "data"},
    "search": SEARCH,
    "learners": SEARCH | {"search"},
    "ensemble": {"base", "kernels", "data", "cuts"},
    "boosters": SEARCH | {"search", "learners", "ensemble"},
}
PYTHON_HEADER = re.compile(r"Python\.h|nanobind/|numpy/")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]+)"|<([^>]+)>)', re.MULTILINE)

MAX_LINES = {".hpp": 150, ".cpp": 400, ".inl": 400}


def cxx_files(folder):
    return sorted(path for path in folder.rglob("*") if path.is_file())


def included_stage(cpp, path, name):
    """Return the stage `name` belongs to, as seen from `path`; None if there is no such file."""
    for candidate in (path.parent / name, cpp / name):
        if candidate.is_file() and candidate.resolve().is_relative_to(cpp.resolve()):
            return candidate.resolve().relative_to(cpp.resolve()).parts[0]
    return None


def check_include(cpp, path, quoted, system):
    """Return what is wrong with one include line, or None."""
    stage = path.relative_to(cpp).parts[0]
    if PYTHON_HEADER.match(quoted or system):
        return "the core knows nothing of Python"
    if not quoted:
        return None
    target = included_stage(cpp, path, quoted)
    if target is None:
        return "no such file in cpp/"
    if target != stage and target not in MAY_INCLUDE[stage]:
        return f"{stage} must not depend on {target}"
    return None


def include_faults(root):
    cpp = root / "cpp"
    faults = []
    for path in cxx_files(cpp):
        where = path.relative_to(root)
        if path.parent == cpp or path.relative_to(cpp).parts[0] not in MAY_INCLUDE:
            faults.append(f"{where}: not in a known stage")
            continue
        for quoted, system in INCLUDE.findall(path.read_text(encoding="utf-8")):
            fault = check_include(cpp, path, quoted, system)
            if fault:
                faults.append(f"{where}: includes {quoted or system}: {fault}")
    return faults


def size_faults(root):
    faults = []
    for folder in (root / "cpp", root / "bindings"):
        for path in cxx_files(folder):
            where = path.relative_to(root)
            if path.suffix not in MAX_LINES:
                faults.append(f"{where}: expected one of {', '.join(MAX_LINES)}")
                continue
            n_lines = len(path.read_text(encoding="utf-8").splitlines())
            if n_lines > MAX_LINES[path.suffix]:
                faults.append(f"{where}: {n_lines} lines, at most {MAX_LINES[path.suffix]}")
    return faults


def test_stages_depend_one_way():
    assert include_faults(ROOT) == []


def test_files_are_short():
    assert size_faults(ROOT) == []


def test_core_was_found():
    """Guard against passing because there was nothing to look at."""
    assert {path.parent.name for path in cxx_files(ROOT / "cpp")} >= set(MAY_INCLUDE)


# --- the checks themselves ------------------------------------------------------------------------


@pytest.fixture
def tree(tmp_path):
    """Return a function that writes a file of a made-up tree and returns the tree's root."""

    def write(name, text):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return tmp_path

    write("cpp/base/types.hpp", "#pragma once\n#include <cstdint>\n")
    write("cpp/kernels/scan.hpp", '#include "base/types.hpp"\n')
    write("cpp/search/best_cut.hpp", '#include "kernels/scan.hpp"\n')
    return write


def test_good_tree_passes(tree):
    root = tree("cpp/search/best_cut.cpp", '#include "best_cut.hpp"\n#include <vector>\n')
    assert include_faults(root) == []
    assert size_faults(root) == []


@pytest.mark.parametrize(
    ("name", "line", "fault"),
    [
        ("cpp/base/bad.hpp", '#include "kernels/scan.hpp"', "base must not depend on kernels"),
        ("cpp/base/bad.hpp", '#include "../kernels/scan.hpp"', "base must not depend on kernels"),
        ("cpp/cuts/bad.hpp", '  # include "search/best_cut.hpp"', "cuts must not depend on search"),
        ("cpp/ensemble/bad.cpp", '#include "search/best_cut.hpp"', "ensemble must not depend on"),
        ("cpp/data/bad.cpp", "#include <nanobind/nanobind.h>", "knows nothing of Python"),
        ("cpp/data/bad.cpp", "#include <Python.h>", "knows nothing of Python"),
        ("cpp/data/bad.cpp", '#include "Python.h"', "knows nothing of Python"),
        ("cpp/data/bad.cpp", '#include "data/missing.hpp"', "no such file in cpp/"),
        ("cpp/data/bad.cpp", '#include "../../bindings/module.hpp"', "no such file in cpp/"),
        ("cpp/utils/bad.hpp", "", "not in a known stage"),
        ("cpp/bad.hpp", "", "not in a known stage"),
    ],
)
def test_wrong_include_is_found(tree, name, line, fault):
    tree("bindings/module.hpp", "")
    root = tree(name, line + "\n")
    (found,) = include_faults(root)
    assert found.startswith(name)
    assert fault in found


def test_commented_include_is_ignored(tree):
    assert include_faults(tree("cpp/base/bad.hpp", '// #include "kernels/scan.hpp"\n')) == []


@pytest.mark.parametrize(
    ("name", "n_lines"), [("cpp/base/long.hpp", 150), ("bindings/long.cpp", 400)]
)
def test_long_file_is_found(tree, name, n_lines):
    assert size_faults(tree(name, "\n" * n_lines)) == []
    assert size_faults(tree(name, "\n" * (n_lines + 1))) == [
        f"{name}: {n_lines + 1} lines, at most {n_lines}"
    ]


def test_unknown_file_type_is_found(tree):
    (found,) = size_faults(tree("cpp/base/bad.h", ""))
    assert found.startswith("cpp/base/bad.h: expected one of")
