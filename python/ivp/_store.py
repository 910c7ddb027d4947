"""Stores of the tool: files with everything that was measured."""

from __future__ import annotations

import json
import os
from typing import Any

from . import _core
from ._optional import need


class Store:
    """A store (SQLite), as 'ivp run --db' and campaigns write it and 'ivp report' shows it. The first record that is added makes the file."""

    def __init__(self, path: Any) -> None:
        self.path = os.fspath(path)
        if not isinstance(self.path, str):
            raise TypeError("path: allowed is text")

    def __repr__(self) -> str:
        return f"<ivp.Store {self.path}>"

    def __len__(self) -> int:
        return 0 if not os.path.exists(self.path) else len(self._lines())

    def _lines(self) -> list[str]:
        return _core.store_records(self.path).splitlines()

    def add(self, records: Any) -> int:
        """Adds a record, several, or a table of wp(), as 'ivp import' does: all or none. Returns how many of them were new."""
        if hasattr(records, "columns"):
            records = list(records["record"])
        if isinstance(records, dict):
            records = [records]
        return _core.store_add(self.path, "".join(json.dumps(r) + "\n" for r in records))

    def records(self) -> Any:
        """All runs as a table like that of ivp.wp(); of runs with the same settings only the newest."""
        from ._run import WorkPrecision

        return WorkPrecision([json.loads(line) for line in self._lines()])

    def query(self, sql: str) -> Any:
        """One SELECT as a pandas DataFrame; docs/reference/store.md lists the tables and views."""
        answer = json.loads(_core.store_query(self.path, sql))
        return need("pandas", "A table").DataFrame(answer["rows"], columns=answer["columns"])
