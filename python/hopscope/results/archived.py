"""A run as one archive: the zip file of its run folder, as stores keep it and as results travel."""

import io
import json
import zipfile
from pathlib import Path

from hopscope import _core
from hopscope.results import precision, stored
from hopscope.results.precision import Shortfall
from hopscope.results.summary import Summary


class DamagedError(Exception):
    """An archive whose bytes differ from what was written, or that has another run's name."""


class ArchivedRun:
    """The files of a run folder in one zip file; it replaces the engine's own run."""

    def __init__(self, archive: bytes) -> None:
        """Take the bytes as they are."""
        self._archive = archive

    @classmethod
    def checked(cls, archive: bytes) -> "ArchivedRun":
        """Take bytes that the engine has sealed with their hash. Raises DamagedError for others."""
        if not _core.is_whole_archive(archive):
            raise DamagedError
        return cls(archive)

    @classmethod
    def of_folder(cls, folder: Path) -> "ArchivedRun":
        """The files of a run folder, to travel; they are not sealed."""
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as files:
            for path in sorted(folder.iterdir()):
                if path.is_file():
                    files.write(path, path.name)
        return cls(archive.getvalue())

    def archive(self) -> bytes:
        """The bytes."""
        return self._archive

    def read(self, name: str) -> bytes:
        """A file of the run folder."""
        return _core.archived_file(self._archive, name)

    def identity(self) -> tuple[str, int, str]:
        """The identity of the run: the hash of its scenario, its seed, the version that ran it."""
        fields = json.loads(self.read("summary.json"))
        return fields["scenario_hash"], fields["seed"], fields["hopscope"]

    def summary(self) -> Summary:
        """The summary, decoded; the table of the resources when it is asked for."""
        return stored.summary(self.read("summary.json"), self.read)

    def summary_json(self) -> str:
        """The summary, with the resources in it."""
        return stored.whole_summary(self.read("summary.json").decode(), self.read)

    def shortfall(self) -> Shortfall | None:
        """By how much the run missed `measure.precision`; None if it did not."""
        return precision.shortfall(self.summary(), json.loads(self.read("run.json"))["scenario"]["measure"])

    def why_json(self) -> str:
        """why.json."""
        return self.read("why.json").decode()

    def write(self, folder: str) -> None:
        """Write the run's files into a folder that exists and is empty."""
        _core.unpack_archive(self._archive, folder)
