"""Small files of every format that `mhboost.readers` reads, and ways to spoil them."""

from __future__ import annotations

import gzip
import io

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import feather, ipc
from scipy import sparse

from mhboost.readers import Wanted

TABLE = pa.table(
    {
        "a": [1.5, 2.0, None, 4.0] * 5,
        "b": ["x", "y z", "x", None] * 5,
        "class": ["u", "v", "u", "v"] * 5,
    }
)
CSV = b"a,b,class\n" + b'1.5,x,u\n2,"y z",v\n,x,u\n4,,v\n' * 5
ARFF = b"""% a comment
@relation sample
@attribute a numeric
@attribute b {x, 'y z'}
@attribute 'class' {u,v}
@data
""" + (b"1.5,x,u\n2,'y z',v\n?,x,u\n4,?,v\n" * 5)
SPARSE_ARFF = b"""@relation 'sparse: -C 2'
@attribute l1 {0,1}
@attribute l2 {0,1}
@attribute f1 numeric
@attribute f2 numeric
@data
""" + (b"{0 1,2 2.5}\n{1 1}\n{0 1,1 1,3 -1}\n" * 5)
SVMLIGHT = b"1 1:0.5 3:2 # a comment\n-1 2:1\n" * 5
LABELS = b"1,7 1:0.5 3:2\n 2:1\n7 qid:1 3:1\n" * 5

WANTED = Wanted({"a": pa.float64(), "b": pa.string()}, 2, {"class": pa.string()})
UNNAMED = Wanted({}, 2)
UNNAMED_3 = Wanted({}, 3)


def _written(write):
    buffer = io.BytesIO()
    write(buffer)
    return buffer.getvalue()


def _ipc(new, table):
    def write(buffer):
        with new(buffer, table.schema) as writer:
            writer.write_table(table)

    return _written(write)


def _npz(**arrays):
    return _written(lambda buffer: np.savez_compressed(buffer, **arrays))


X = np.arange(12.0).reshape(6, 2)
WITH_CATEGORIES = TABLE.set_column(1, "b", TABLE.column("b").dictionary_encode())

# name of the file: its bytes, and what may be wanted of it
SAMPLES = {
    "plain.csv": (CSV, WANTED),
    "packed.csv.gz": (gzip.compress(CSV, mtime=0), WANTED),
    "packed.csv.zst": (pa.compress(CSV, "zstd").to_pybytes(), WANTED),
    "plain.parquet": (_written(lambda b: pq.write_table(TABLE, b)), WANTED),
    "packed.parquet": (_written(lambda b: pq.write_table(TABLE, b, compression="zstd")), WANTED),
    "plain.feather": (_written(lambda b: feather.write_feather(TABLE, b)), WANTED),
    "file.arrow": (_ipc(ipc.new_file, WITH_CATEGORIES), WANTED),
    "stream.arrow": (_ipc(ipc.new_stream, TABLE), WANTED),
    "dense.arff": (ARFF, WANTED),
    "sparse.arff": (SPARSE_ARFF, Wanted({}, 2, sparse_names=("f1", "f2"))),
    "one-label.svm": (SVMLIGHT, UNNAMED_3),
    "many-labels.svm": (LABELS, UNNAMED_3),
    "dense.npz": (_npz(X=X, y=np.arange(6) % 2, class_names=np.array(["u", "v"])), UNNAMED),
    "labels.npz": (_npz(X=X, y=np.eye(6, 3, dtype=int)), UNNAMED),
    "sparse.npz": (_written(lambda b: sparse.save_npz(b, sparse.csr_array(X))), UNNAMED),
}

TOKENS = [
    *(b",", b'"', b"\n", b"\r", b"{", b"}", b"'", b":", b"?", b"-", b" ", b"@data", b"@attribute"),
    *(b"nan", b"inf", b"1e999", b"9" * 30, b"x" * 300, b"\0", b"\xff", b"\xe2\x80\xa8"),
    *(bytes(4), b"\xff\xff\xff\xff", b"\xff\xff\xff\x7f", b"\0\0\0\x80"),
]


def spoiled(data, random):
    """The bytes of a file with a few of them changed, lost, repeated or added."""
    held = bytearray(data)
    for _ in range(random.choice([1, 1, 2, 4, 16])):
        place = random.randrange(len(held) + 1)
        match random.randrange(6):
            case 0:
                held[place : place + 1] = bytes([random.randrange(256)])
            case 1:
                del held[place : place + random.choice([1, 1, 4, 50])]
            case 2:
                held[place:place] = random.choice(TOKENS)
            case 3:
                token = random.choice(TOKENS)
                held[place : place + len(token)] = token
            case 4:
                other = random.randrange(len(held) + 1)
                held[place:place] = held[other : other + random.choice([1, 8, 40])]
            case 5 if random.random() < 0.3:
                del held[place:]
    return bytes(held)
