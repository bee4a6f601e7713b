import pytest
from gradguard.fixes.edit import Edit, apply, apply_all, origin
from hypothesis import given
from hypothesis import strategies as st

ALPHABET = "ab\n🌡 "


@st.composite
def texts_with_edits(draw: st.DrawFn) -> tuple[str, list[Edit]]:
    text = draw(st.text(ALPHABET, max_size=12))
    cuts = sorted(draw(st.lists(st.integers(0, len(text)), max_size=6)))
    pairs = list(zip(cuts[::2], cuts[1::2], strict=False))
    return text, [Edit("f", start, end, draw(st.text("XY\n", max_size=3))) for start, end in pairs]


def test_edits_apply_in_any_order() -> None:
    edits = [Edit("f", 4, 5, "C"), Edit("f", 0, 1, "A"), Edit("f", 2, 2, "B")]
    assert apply("a b c", edits) == "A Bb C".replace("Bb", "Bb")
    assert apply("a b c", reversed(edits)) == apply("a b c", edits)


def test_insertions_at_one_place_keep_their_order() -> None:
    assert apply("x", [Edit("f", 1, 1, "1"), Edit("f", 1, 1, "2")]) == "x12"


@pytest.mark.parametrize("second", [Edit("f", 1, 3, ""), Edit("f", 3, 9, ""), Edit("f", 2, 1, "")])
def test_overlaps_and_edits_beyond_the_text_are_refused(second: Edit) -> None:
    with pytest.raises(ValueError, match="overlaps"):
        apply("abcd", [Edit("f", 0, 2, "z"), second])


def test_files_are_kept_apart() -> None:
    texts = {"a": "1", "b": "2", "c": "3"}
    assert apply_all(texts, [Edit("b", 0, 1, "x"), Edit("a", 1, 1, "y")]) == {"a": "1y", "b": "x"}


def test_a_file_that_is_not_there_is_told() -> None:
    with pytest.raises(KeyError):
        apply_all({}, [Edit("b", 0, 0, "x")])


@given(texts_with_edits())
def test_what_no_edit_touches_keeps_its_origin(case: tuple[str, list[Edit]]) -> None:
    text, edits = case
    new = apply(text, edits)
    shift = 0
    at = 0
    for edit in sorted(edits, key=lambda one: (one.start, one.end)):
        for offset in range(at, edit.start):
            assert new[offset + shift] == text[offset]
            assert origin(edits, "f", offset + shift) == offset
        for inserted in range(len(edit.text)):
            assert origin(edits, "f", edit.start + shift + inserted) == edit.start
        shift += len(edit.text) - (edit.end - edit.start)
        at = edit.end
    assert len(new) == len(text) + shift
