import gzip

import numpy as np
import pytest

from flambeau_vision.datasets.idx import IDXError, read_idx, write_idx

# Two 2 x 3 images, written out by hand after the format's description.
TWO_IMAGES = bytes([0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 3, *range(12)])


def test_reads_bytes_written_by_hand(tmp_path):
    path = tmp_path / "images"
    path.write_bytes(TWO_IMAGES)
    array = read_idx(path)
    assert array.dtype == np.uint8
    assert array.tolist() == [[[0, 1, 2], [3, 4, 5]], [[6, 7, 8], [9, 10, 11]]]


def test_reads_gzipped_files_by_their_content_not_their_name(tmp_path):
    path = tmp_path / "images"
    path.write_bytes(gzip.compress(TWO_IMAGES))
    assert read_idx(path).shape == (2, 2, 3)


def test_reads_big_endian_integers(tmp_path):
    path = tmp_path / "numbers"
    path.write_bytes(bytes([0, 0, 0x0C, 1, 0, 0, 0, 2, 0, 0, 1, 2, 255, 255, 255, 254]))
    array = read_idx(path)
    assert array.dtype == np.int32
    assert array.tolist() == [258, -2]


@pytest.mark.parametrize("name", ["array", "array.gz"])
@pytest.mark.parametrize("dtype", ["u1", "i1", "i2", "i4", "f4", "f8"])
def test_writes_what_it_reads(tmp_path, dtype, name):
    array = (np.arange(24).reshape(2, 3, 4) - 5).astype(dtype)
    write_idx(tmp_path / name, array)
    back = read_idx(tmp_path / name)
    assert back.dtype == array.dtype
    assert np.array_equal(back, array)


def test_writes_the_bytes_of_the_format(tmp_path):
    write_idx(tmp_path / "images", np.arange(12, dtype=np.uint8).reshape(2, 2, 3))
    assert (tmp_path / "images").read_bytes() == TWO_IMAGES


def test_refuses_to_write_what_the_format_does_not_have(tmp_path):
    with pytest.raises(TypeError, match="int64"):
        write_idx(tmp_path / "x", np.arange(3))


@pytest.mark.parametrize("content", [b"", b"\0", b"PNG image", b"\0\0\x07\x01\0\0\0\0"])
def test_says_when_a_file_is_not_idx(tmp_path, content):
    (tmp_path / "other").write_bytes(content)
    with pytest.raises(IDXError, match="other is not an IDX file"):
        read_idx(tmp_path / "other")


def test_says_when_the_header_is_cut_off(tmp_path):
    (tmp_path / "short").write_bytes(TWO_IMAGES[:9])
    with pytest.raises(IDXError, match="short is truncated"):
        read_idx(tmp_path / "short")


@pytest.mark.parametrize("content", [TWO_IMAGES[:-1], TWO_IMAGES + b"x"])
def test_says_when_values_are_missing_or_left_over(tmp_path, content):
    (tmp_path / "damaged").write_bytes(content)
    with pytest.raises(IDXError, match=r"\(2, 2, 3\) \(12 bytes of values\), but 1[13] bytes"):
        read_idx(tmp_path / "damaged")


def test_says_when_the_compression_is_damaged(tmp_path):
    (tmp_path / "broken.gz").write_bytes(gzip.compress(TWO_IMAGES)[:-6])
    with pytest.raises(IDXError, match=r"broken\.gz is a damaged gzip file"):
        read_idx(tmp_path / "broken.gz")
