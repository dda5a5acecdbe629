import hashlib
import http.server
import threading

import pytest

from flambeau_vision.datasets.download import DownloadError, download

CONTENT = bytes(range(256)) * 1000
MD5 = hashlib.md5(CONTENT).hexdigest()


class Mirror(http.server.BaseHTTPRequestHandler):
    """Serves CONTENT, whole or from a byte on; under /broken it stops half-way."""

    requests: list[tuple[str, str | None]] = []

    def do_GET(self):
        start = self.headers.get("Range")
        self.requests.append((self.path, start))
        if self.path.startswith("/missing"):
            self.send_error(404)
            return
        offset = int(start.removeprefix("bytes=").rstrip("-")) if start else 0
        if offset >= len(CONTENT):
            self.send_error(416)
            return
        body = CONTENT[offset:] if not self.path.startswith("/wrong") else b"something else"
        self.send_response(206 if offset else 200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body[: len(body) // 2] if self.path.startswith("/broken") else body)

    def log_message(self, *args):
        pass


@pytest.fixture
def mirror():
    Mirror.requests = []
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Mirror)
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    thread.join()
    server.server_close()


def test_fetches_a_file_and_shows_progress(mirror, tmp_path, capsys):
    download([f"{mirror}/data"], tmp_path / "folder" / "data", MD5)
    assert (tmp_path / "folder" / "data").read_bytes() == CONTENT
    assert not (tmp_path / "folder" / "data.part").exists()
    assert "data" in capsys.readouterr().err


def test_does_not_fetch_what_is_already_there(mirror, tmp_path):
    (tmp_path / "data").write_bytes(CONTENT)
    download([f"{mirror}/data"], tmp_path / "data", MD5)
    assert Mirror.requests == []


def test_goes_on_where_the_last_attempt_stopped(mirror, tmp_path):
    (tmp_path / "data.part").write_bytes(CONTENT[:1234])
    download([f"{mirror}/data"], tmp_path / "data", MD5)
    assert Mirror.requests == [("/data", "bytes=1234-")]
    assert (tmp_path / "data").read_bytes() == CONTENT


def test_a_broken_connection_leaves_its_part_for_the_next_mirror(mirror, tmp_path):
    download([f"{mirror}/broken", f"{mirror}/data"], tmp_path / "data", MD5)
    assert Mirror.requests == [("/broken", None), ("/data", f"bytes={len(CONTENT) // 2}-")]
    assert (tmp_path / "data").read_bytes() == CONTENT


def test_a_part_that_is_already_whole_is_used(mirror, tmp_path):
    (tmp_path / "data.part").write_bytes(CONTENT)
    download([f"{mirror}/data"], tmp_path / "data", MD5)
    assert (tmp_path / "data").read_bytes() == CONTENT


def test_the_error_says_what_each_mirror_answered(mirror, tmp_path):
    with pytest.raises(DownloadError) as caught:
        download([f"{mirror}/missing", f"{mirror}/wrong"], tmp_path / "data", MD5)
    message = str(caught.value)
    assert "could not download data" in message
    assert f"{mirror}/missing: Not Found" in message
    assert f"{mirror}/wrong: what it sent is not the file expected" in message
    assert not (tmp_path / "data").exists()
    assert not (tmp_path / "data.part").exists()


def test_without_a_connection_the_error_tells_what_to_do(tmp_path):
    with pytest.raises(DownloadError, match="put the file into"):
        download(["http://127.0.0.1:9/data"], tmp_path / "data", MD5)
