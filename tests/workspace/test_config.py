"""The configuration: which file wins, what it may say, and what is said about mistakes."""

from pathlib import Path

import pytest
from gradguard.workspace.config import Config, ConfigError, OwnOp, find_config, load_config, selected


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_every_setting_is_read(tmp_path: Path) -> None:
    path = write(
        tmp_path / "pyproject.toml",
        """
        [project]
        name = "x"

        [tool.gradguard]
        select = ["GG1", "leaf-inplace"]
        ignore = ["GG111"]
        min-severity = "hint"
        exclude = ["old/"]
        extend-exclude = ["*_generated.py"]
        src = ["lib"]

        [tool.gradguard.per-file-ignores]
        "tests/**" = ["ALL"]

        [tool.gradguard.ops."my.op"]
        params = ["input", "weight"]
        saves = ["input"]
        mutates = ["weight"]
        """,
    )
    assert find_config(tmp_path) == Config(
        root=tmp_path,
        path=path,
        select=("GG1", "leaf-inplace"),
        ignore=("GG111",),
        min_severity="hint",
        exclude=("old/",),
        extend_exclude=("*_generated.py",),
        per_file_ignores={"tests/**": ("ALL",)},
        src=("lib",),
        ops={"my.op": OwnOp(("input", "weight"), ("input",), ("weight",))},
    )


def test_the_nearest_file_wins_whole(tmp_path: Path) -> None:
    write(tmp_path / "gradguard.toml", 'select = ["GG1"]\nignore = ["GG2"]')
    write(tmp_path / "inner" / "gradguard.toml", 'select = ["GG3"]')
    write(tmp_path / "inner" / "deep" / "pyproject.toml", "[tool.other]\nx = 1")
    outer, inner = find_config(tmp_path), find_config(tmp_path / "inner" / "deep")
    assert outer is not None
    assert inner is not None
    assert (outer.select, outer.ignore) == (("GG1",), ("GG2",))
    assert (inner.select, inner.ignore) == (("GG3",), ())
    assert inner.root == tmp_path / "inner"


def test_gradguard_toml_goes_before_pyproject(tmp_path: Path) -> None:
    write(tmp_path / "gradguard.toml", 'min-severity = "hint"')
    write(tmp_path / "pyproject.toml", '[tool.gradguard]\nmin-severity = "error"')
    config = find_config(tmp_path)
    assert config is not None
    assert config.min_severity == "hint"


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        ("[tool.gradguard\n", 1, "is not valid TOML"),
        ('[tool.gradguard]\nselct = ["GG101"]', 2, "unknown setting `selct`; did you mean `select`?"),
        ("[tool.gradguard]\ncolour = 3", 2, "unknown setting `colour`; known are select, ignore"),
        ('[tool.gradguard]\nselect = ["gg101"]', 2, "unknown rule `gg101` (did you mean `GG101`?)"),
        ('[tool.gradguard]\nselect = ["inplace-on-save"]', 2, "did you mean `inplace-on-saved`?"),
        ('[tool.gradguard]\n\nselect = "GG101"', 3, '`select` must be a list of strings, not "GG101"'),
        ("[tool.gradguard]\nselect = [\n  1,\n]", 2, "`select` must be a list of strings, not [1]"),
        ('[tool.gradguard]\nignore = ["GG999"]', 2, "`ignore` names an unknown rule `GG999`"),
        ('[tool.gradguard]\nmin-severity = "fatal"', 2, "`min-severity` must be one of error, warning"),
        ("[tool.gradguard]\nmin-severity = true", 2, "not true"),
        ("[tool]\ngradguard = 3", 2, "must be a table, not 3"),
        ('[tool.gradguard.per-file-ignores]\n"a.py" = ["GG1"]\n"b/**" = ["XX1"]', 3, "unknown rule `XX1`"),
        ('[tool.gradguard.ops."my.op"]\nsave = ["x"]', 2, "unknown setting `save`"),
        ('[tool.gradguard]\nops."my.op" = {saves = "x"}', 2, "`saves` must be a list of strings"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, text: str, line: int, message: str) -> None:
    path = write(tmp_path / "pyproject.toml", text)
    with pytest.raises(ConfigError) as raised:
        find_config(tmp_path)
    assert str(raised.value).startswith(f"{path}:{line}: ")
    assert message in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_file_that_is_no_text_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "gradguard.toml").write_bytes(b"\xff\xfe")
    with pytest.raises(ConfigError, match="UTF-8"):
        find_config(tmp_path)


def test_a_named_file_must_have_the_table(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no table"):
        load_config(write(tmp_path / "pyproject.toml", "[project]\n"))
    with pytest.raises(ConfigError, match="No such file"):
        load_config(tmp_path / "missing.toml")


@pytest.mark.parametrize(
    ("select", "ignore", "on"),
    [
        (("ALL",), (), True),
        ((), (), False),
        (("GG1",), (), True),
        (("GG2",), (), False),
        (("GG1",), ("GG101",), False),
        (("GG101",), ("GG1",), True),
        (("GG101",), ("GG101",), False),
        (("ALL",), ("ALL",), False),
        (("ALL",), ("inplace-on-saved",), False),
        (("inplace-on-saved",), ("GG1",), True),
    ],
)
def test_the_longer_selector_wins(select: tuple[str, ...], ignore: tuple[str, ...], on: bool) -> None:
    config = Config(Path("/project"), select=select, ignore=ignore)
    assert selected(config, "GG101") is on


def test_rules_can_be_off_for_some_files() -> None:
    root = Path("/project")
    config = Config(root, per_file_ignores={"tests/": ("GG1",), "*_demo.py": ("ALL",)})
    assert not selected(config, "GG101", root / "tests" / "deep" / "a.py")
    assert selected(config, "GG201", root / "tests" / "deep" / "a.py")
    assert not selected(config, "GG201", root / "x_demo.py")
    assert selected(config, "GG101", root / "main.py")
    assert selected(config, "GG101", Path("/elsewhere/tests/a.py"))
