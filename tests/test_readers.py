"""Files -> tables: every format, what is found out of it, and what is said of bad ones."""

from __future__ import annotations

import gzip
import random

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from file_samples import CSV, LABELS, SAMPLES, SPARSE_ARFF, SVMLIGHT, WANTED, spoiled
from mhboost.readers import FileError, Options, Wanted, gather, kind_of, odd_word, read, stream


@pytest.fixture
def write(tmp_path):
    """Return a function that writes a file and returns its name."""

    def written(data, name="sample.csv"):
        path = tmp_path / name
        path.write_bytes(data.encode() if isinstance(data, str) else data)
        return path

    return written


# --- what is read ---------------------------------------------------------------------------------

SAME = [name for name, (_, wanted) in SAMPLES.items() if wanted is WANTED]


@pytest.mark.parametrize("name", SAME)
def test_formats_hold_the_same(name, write):
    table = read(write(SAMPLES[name][0], name))
    arrow = table.arrow
    assert arrow.column_names == ["a", "b", "class"]
    assert arrow.column("a").cast(pa.float64()).to_pylist() == [1.5, 2.0, None, 4.0] * 5
    assert arrow.column("b").cast(pa.string()).to_pylist() == ["x", "y z", "x", None] * 5
    assert [kind_of(c) for c in arrow.columns] == ["numeric", "categorical", "categorical"]


@pytest.mark.parametrize("name", SAMPLES)
def test_stream_gives_what_read_gives(name, write):
    data, wanted = SAMPLES[name]
    path = write(data, name)
    whole, parts = read(path), gather(stream(path, wanted))
    assert parts.n_rows == whole.n_rows
    for column, type_ in {**wanted.columns, **wanted.targets}.items():
        assert parts.arrow.column(column).type == type_
        assert parts.arrow.column(column).to_pylist() == (
            whole.arrow.column(column).cast(type_).to_pylist()
        )
    if whole.matrix is not None:
        difference = whole.matrix.values - parts.matrix.values
        assert abs(difference).sum() == 0


def test_svmlight_has_a_label_and_a_sparse_matrix(write):
    table = read(write(SVMLIGHT, "a.svm"))
    assert table.targets == ("label",)
    assert table.arrow.column("label").to_pylist() == [1, -1] * 5
    assert table.matrix.values[[0, 1]].toarray().tolist() == [[0.5, 0.0, 2.0], [0.0, 1.0, 0.0]]


def test_svmlight_with_a_feature_0_counts_from_0(write):
    table = read(write("a 0:1 2:3\nb 1:1\n", "a.svm"))
    assert table.matrix.values.shape == (2, 3)
    assert table.first_index == 0


def test_labels_of_svmlight_become_columns(write):
    table = read(write(LABELS, "a.svm"))
    assert table.targets == ("1", "7")
    assert table.arrow.slice(0, 3).to_pydict() == {"1": [1, 0, 0], "7": [1, 0, 1]}


def test_labels_of_meka_are_targets(write):
    table = read(write(SPARSE_ARFF, "a.arff"))
    assert table.targets == ("l1", "l2")
    assert table.matrix.names == ("f1", "f2")
    assert table.matrix.values[[0, 1, 2]].toarray().tolist() == [[2.5, 0], [0, 0], [0, -1.0]]


def test_what_a_sparse_row_leaves_out_is_the_first_of_a_list(write):
    head = "@relation r\n@attribute c {no,yes}\n@attribute d {5,6}\n@attribute f real\n@data\n"
    table = read(write(head + "{0 yes}\n{1 6, 2 1}\n", "a.arff"))
    assert table.arrow.column("c").to_pylist() == ["yes", "no"]
    assert table.column("d").to_pylist() == [5, 6]


def test_npz_names_classes_and_knows_its_test_rows(write, tmp_path):
    path = tmp_path / "a.npz"
    y, split = np.array([0, 1, 1]), np.array([0, 0, 1])
    np.savez(path, X=np.eye(3), y=y, split=split, class_names=np.array(["u", "v"]))
    table = read(path)
    assert table.arrow.column("y").to_pylist() == ["u", "v", "v"]
    assert table.test_rows.tolist() == [False, False, True]


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|", " "])
def test_delimiter_is_found_out(delimiter, write):
    text = delimiter.join(["a", "b", "c"]) + "\n" + delimiter.join(["1", "2.5", "x"]) + "\n"
    assert read(write(text)).arrow.to_pylist() == [{"a": 1, "b": 2.5, "c": "x"}]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("a,b\n1,2\n", ["a", "b"]),
        ("1,2,x\n3,4,y\n", ["c1", "c2", "c3"]),
        (",a\n0,1\n", ["c1", "a"]),
        ('"a ",\' b\n1,2\n', ["a", "' b"]),
        ("a,?\n1,2\n", ["c1", "c2"]),
    ],
)
def test_header_is_found_out(text, names, write):
    assert read(write(text)).arrow.column_names == names


@pytest.mark.parametrize(("header", "n_rows"), [(True, 1), (False, 2)])
def test_header_is_what_the_user_says(header, n_rows, write):
    assert read(write("2019,2020\n1,2\n"), Options(header=header)).n_rows == n_rows


def test_file_without_header_may_lack_the_target(write):
    wanted = Wanted({"c2": pa.float64(), "c3": pa.float64()}, 2)
    (part,) = stream(write("5,6\n7,8\n"), wanted)
    assert part.arrow.to_pydict() == {"c2": [5.0, 7.0], "c3": [6.0, 8.0]}


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ('a,b\n1,"x\ny"\n2,"p ""q"""\n', ["x\ny", 'p "q"']),
        ('a,b\n1,"x\n"\n', ["x"]),
        ("a, b\n1, x\n2, y z \n3, ?\n", ["x", "y z", None]),
        ("\ufeffa,b\r\n1,x\r\n\r\n2,y\r\n", ["x", "y"]),
        ("a,b\n1,ä\n2,日本\n", ["ä", "日本"]),
    ],
)
def test_quotes_marks_and_empty_lines(text, values, write):
    assert read(write(text)).arrow.column("b").to_pylist() == values


def test_other_encoding(write):
    path = write("a,b\n1,ä\n".encode("latin-1"))
    assert read(path, Options(encoding="latin-1")).arrow.to_pylist() == [{"a": 1, "b": "ä"}]


def test_words_stay_words(write):
    table = read(write("zip,class\n01,a\n1,b\n"), Options(words=("zip",)))
    assert table.arrow.column("zip").to_pylist() == ["01", "1"]


def test_true_and_false_are_words(write):
    assert read(write("a,class\ntrue,x\nFalse,y\n")).arrow.column("a").to_pylist() == [
        "true",
        "False",
    ]


def test_word_among_numbers_is_found():
    column = pa.chunked_array([["1"] * 30 + ["unknown", None]])
    assert odd_word(column) == 30
    assert odd_word(pa.chunked_array([["a", "1", "b"]])) is None


def test_bytes_tell_the_format_before_the_name(write):
    assert read(write(SAMPLES["plain.parquet"][0], "wrong.csv")).n_rows == 20


def test_rows_are_taken_with_their_lines(write):
    table = read(write(CSV)).take(np.array([7, 2]))
    assert table.arrow.column("class").to_pylist() == ["v", "u"]
    assert str(table.error("why", 0)).endswith("sample.csv, line 9: why")


# --- what is refused ------------------------------------------------------------------------------

HEAD = "@relation r\n@attribute a numeric\n@attribute b {x,y}\n@data\n"
BAD = {
    "no bytes": ("a.csv", b"", "a.csv: the file is empty"),
    "no rows": ("a.csv", "a,b\n", "a.csv: there are no rows"),
    "blank": ("a.csv", "\n\n", "a.csv: the file is empty"),
    "too few": ("a.csv", "a,b\n1,2\n3\n", "line 3: expected 2 values, found 1"),
    "too many": ("a.csv", 'a,b\n1,"x\ny"\n3,4,5\n', "line 4: expected 2 values, found 3"),
    "not utf-8": ("a.csv", b"a,b\n1,x\n2,\xe4\n", "line 3, column 'b': byte 0xe4 is not utf-8"),
    "name not utf-8": ("a.csv", b"a,\xe4\n1,x\n", "line 1: byte 0xe4 is not utf-8"),
    "utf-16": ("a.csv", "a,b\n1,2\n".encode("utf-16"), "the text is UTF-16"),
    "open quote": ("a.csv", 'a,b\n1,x\n2,"y\n', "line 3: a quotation mark opens here"),
    "same name": ("a.csv", "a,b,a\n1,2,3\n", "line 1, column 'a': columns 1 and 3 have the same"),
    "cut gzip": ("a.csv.gz", gzip.compress(CSV * 99)[:-9], "Truncated compressed stream"),
    "cut zstd": ("a.csv.zst", SAMPLES["packed.csv.zst"][0][:-3], "Truncated compressed stream"),
    "cut Parquet": ("a.parquet", SAMPLES["plain.parquet"][0][:-3], "is no Parquet file, or it is"),
    "cut Feather": ("a.feather", SAMPLES["plain.feather"][0][:-3], "is no Arrow file, or it is"),
    "old Feather": ("a.feather", b"FEA1" * 9, "this is Feather of version 1"),
    "cut NPZ": ("a.npz", SAMPLES["dense.npz"][0][:-30], "is no NPZ file, or it is damaged"),
    "packed Parquet": ("a.parquet", gzip.compress(b"PAR1"), "parquet file must not be compressed"),
    "no @data": ("a.arff", "@relation r\n@attribute a numeric\n", "there is no @data"),
    "odd ARFF type": (
        "a.arff",
        "@relation r\n@attribute a set\n@data\n",
        "line 2, column 'a': the",
    ),
    "ARFF short": ("a.arff", HEAD + "1\n", "line 5: expected 2 values, found 1"),
    "ARFF number": ("a.arff", HEAD + "1,x\nz,x\n", "line 6, column 'a': 'z' is no finite number"),
    "ARFF value": ("a.arff", HEAD + "1,z\n", "line 5, column 'b': 'z' is none of the values"),
    "ARFF index": ("a.arff", HEAD + "{7 1}\n", "line 5: there is no attribute 7"),
    "ARFF twice": ("a.arff", HEAD + "{0 1,0 2}\n", "line 5: attribute 0 is out of order or twice"),
    "svmlight pair": ("a.svm", "1 1:2\n1 3\n", "line 2: '3' is not index:value"),
    "svmlight number": ("a.svm", "1 1:x\n", "line 1, column '1': 'x' is no finite number"),
    "svmlight infinite": ("a.svm", "1 1:1 2:inf\n", "line 1, column '2': 'inf' is no finite"),
    "svmlight twice": ("a.svm", "1 1:2\n1 4:1 4:2\n", "line 2: a feature is there twice"),
    "svmlight huge": ("a.svm", f"1 {10**30}:2\n", "is not index:value"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_file_is_refused_with_its_place(case, write):
    name, data, message = BAD[case]
    with pytest.raises(FileError) as refused:
        read(write(data, name))
    assert message in str(refused.value)
    assert name in str(refused.value)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("a,c\n1,2\n", "there is no column 'b' (and 1 more); columns: a, c"),
        ("a,b,class\n1,x,u\nz,x,u\n", "line 3, column 'a': 'z' is no number"),
        ("a,b,class\n1,x\n", "line 2: expected 3 values, found 2"),
        ("a,b,class\n", "there are no rows"),
    ],
)
def test_file_that_does_not_fit_is_refused(text, message, write):
    with pytest.raises(FileError) as refused:
        list(stream(write(text), WANTED))
    assert message in str(refused.value)


def test_type_that_does_not_fit_is_refused_with_its_row(write, tmp_path):
    pq.write_table(pa.table({"a": ["1", "x"], "b": ["x", "y"]}), tmp_path / "a.parquet")
    wanted = Wanted({"a": pa.float64()}, 1)
    with pytest.raises(FileError, match=r"row 2, column 'a': it holds 'x', string"):
        list(stream(tmp_path / "a.parquet", wanted))


def test_feature_beyond_the_model_is_refused(write):
    with pytest.raises(FileError, match=r"line 2: there is a feature 4; .* from 1 to 3"):
        list(stream(write("1 1:1\n1 4:1\n", "a.svm"), Wanted({}, 3)))


def test_array_that_lies_about_its_size_is_refused(tmp_path):
    path = tmp_path / "a.npz"
    np.savez(path, X=np.zeros((5, 3)))
    path.write_bytes(path.read_bytes().replace(b"(5, 3)", b"(5, 9)"))
    with pytest.raises(FileError, match=r"NPZ"):
        read(path)


def test_folder_and_missing_file_are_refused(tmp_path):
    for path, message in ((tmp_path, "this is a folder"), (tmp_path / "x.csv", "no such file")):
        with pytest.raises(FileError, match=message):
            read(path)


@pytest.mark.parametrize(
    "options", [Options(format="xls"), Options(delimiter=";;"), Options(encoding="klingon")]
)
def test_options_that_cannot_be_are_refused(options, write):
    with pytest.raises(FileError):
        read(write(CSV), options)


def test_error_of_the_reader_of_rows_is_its_own(write):
    """What goes wrong with the rows outside is no fault of the file."""
    parts = stream(write(CSV), WANTED)
    next(parts)
    with pytest.raises(KeyError):
        parts.throw(KeyError("elsewhere"))


# --- hostile files --------------------------------------------------------------------------------


UNFORESEEN = "this is no file of data"  # the last resort, for what no reader foresaw


def survive(name, data, path, wanted):
    """Read bad bytes: a table or a FileError, nothing else."""
    path.write_bytes(data)
    refused = []
    for work in (lambda: read(path).features(), lambda: list(stream(path, wanted))):
        try:
            work()
        except FileError as error:
            refused.append(str(error))
    assert all(name in message for message in refused)
    assert not any(UNFORESEEN in message for message in refused)


def assault(name, times, folder):
    data, wanted = SAMPLES[name]
    chance = random.Random(f"{name} {times}")
    for _ in range(times):
        survive(name, spoiled(data, chance), folder / name, wanted)


@pytest.mark.parametrize("name", SAMPLES)
def test_spoiled_file_is_read_or_refused(name, tmp_path):
    assault(name, 200, tmp_path)


@pytest.mark.slow
@pytest.mark.parametrize("name", SAMPLES)
def test_hundred_thousand_spoiled_files_are_read_or_refused(name, tmp_path):
    assault(name, 100_000 // len(SAMPLES) + 1, tmp_path)


@pytest.mark.parametrize("name", SAMPLES)
def test_file_cut_anywhere_is_read_or_refused(name, tmp_path):
    data, wanted = SAMPLES[name]
    for end in range(0, len(data), max(1, len(data) // 60)):
        survive(name, data[:end], tmp_path / name, wanted)


def test_samples_are_good(tmp_path):
    """Guard against assaults on files that were bad before."""
    for name, (data, wanted) in SAMPLES.items():
        (tmp_path / name).write_bytes(data)
        assert read(tmp_path / name).n_rows == sum(
            p.n_rows for p in stream(tmp_path / name, wanted)
        )
