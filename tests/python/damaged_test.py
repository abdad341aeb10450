#!/usr/bin/env python3
"""kb.load of folders in which one thing is wrong: either it opens, and all that it says can be read, or the error is Kullback's, with
a sentence that names the file."""
import json
import shutil
import unittest

import support
from support import EXAMPLES, engine

import kullback as kb

WRONG = (None, True, 7, -1, 2.5, "text", [], [1], ["a", {}], {}, {"a": 1}, {"name": [1]}, 10**400)
NESTED = b"[" * 20_000 + b"]" * 20_000
TEXTS = {
    "empty": b"", "cut": b'{"kind": "poste', "list": b"[]", "number": b"1", "null": b"null", "deep": NESTED,
    "deep in a key": b'{"kind": "posterior", "version": "0.1.0", "later": ' + NESTED + b"}", "not UTF-8": b'{"kind": "\xff\xfe"}',
    "UTF-16": '{"kind": "posterior"}'.encode("utf-16"), "zeros": b"\0" * 100, "NaN": b'{"kind": NaN}', "twice": b'{"kind": 1, "kind": "posterior"}',
    "lone surrogate": b'{"kind": "posterior", "program": "\\ud800"}', "long number": b'{"kind": ' + b"9" * 5000 + b"}",
    "digits that are none": '{"kind": "posterior", "version": "\u00b2.\u0661"}'.encode(),
}


def read_all(loaded):
    """All that can be asked of it."""
    repr(loaded), loaded._repr_html_(), loaded.findings, loaded.record
    if isinstance(loaded, kb.Fit):
        loaded.summary(), loaded.names, loaded.weights, loaded.data, loaded.method, loaded.seed
        if loaded.certificate is not None:
            repr(loaded.certificate), loaded.certificate.parameters, loaded.certificate._repr_html_()
        for name in loaded.names:
            loaded[name]
    else:
        loaded.summary, loaded.metrics
        for name in loaded.tables:
            loaded[name]


class Damaged(support.Case):
    @classmethod
    def setUpClass(cls):
        cls.holder = support.tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.holder.cleanup)
        cls.fit = support.pathlib.Path(cls.holder.name, "fit")
        engine("fit", EXAMPLES / "logistic.stan", EXAMPLES / "logistic.json", "--method", "laplace", "--draws", "40", "--tolerance", "0.5",
               "--seed", "1", "--quiet", "--out", cls.fit)
        cls.plain = support.pathlib.Path(cls.holder.name, "plain")
        shutil.copytree(cls.fit, cls.plain)
        lines = [line for line in (cls.fit / "chain-1.csv").read_text().splitlines() if not line.startswith("#")]
        (cls.fit / "weighted.csv").write_text("".join(f"{line},{'-1' if i else 'log_weight__'}\n" for i, line in enumerate(lines)))
        shutil.copy(EXAMPLES / "logistic.json", cls.fit / "data.json")
        table = support.pathlib.Path(cls.holder.name, "t.csv")
        table.write_text("x,y\n" + "".join(f"{i},{(7 * i) % 5}\n" for i in range(40)))
        cls.mixture = support.pathlib.Path(cls.holder.name, "mixture")
        engine("mixture", table, "--components", "2", "--seed", "1", "--quiet", "--out", cls.mixture)
        for folder in (cls.fit, cls.plain, cls.mixture):
            cls.forget_files(folder)

    @staticmethod
    def forget_files(folder):
        """As of a version that did not list them: the readers see what is damaged, not the hashes of the record."""
        record = json.loads((folder / "run.json").read_text())
        del record["files"]
        (folder / "run.json").write_text(json.dumps(record))

    def tamper(self, folder, name, content):
        """What happened: "opened", or the sentence of the error."""
        before = (folder / name).read_bytes()
        (folder / name).write_bytes(content)
        try:
            read_all(kb.load(folder))
        except kb.Error as error:
            self.assertIn(str(folder), str(error))
            self.assertNotIsInstance(error, kb.InternalError)
            return str(error)
        finally:
            (folder / name).write_bytes(before)
        return "opened"

    def test_whole(self):
        for folder in (self.fit, self.plain, self.mixture):
            read_all(kb.load(folder))

    def test_texts(self):
        for folder, names in ((self.fit, ("run.json", "summary.json", "certificate.json", "weighted.csv", "data.json")),
                              (self.plain, ("chain-1.csv",)),
                              (self.mixture, ("run.json", "summary.json", "components.csv"))):
            for name in names:
                for what, content in TEXTS.items():
                    with self.subTest(folder=folder.name, name=name, what=what):
                        said = self.tamper(folder, name, content)
                        is_table = name == "components.csv"  # anything is a table
                        if what == "empty" or (what in ("cut", "deep", "zeros") and not is_table) or (name == "run.json" and what != "lone surrogate"):
                            self.assertNotEqual(said, "opened")

    def fields(self, folder, name):
        record = json.loads((folder / name).read_text())
        for field in record:
            yield {other: value for other, value in record.items() if other != field}, f"without {field}"
            for wrong in WRONG:
                yield {**record, field: wrong}, f"{field} {str(wrong)[:20]}"
        for field in ("parameters", "findings", "rungs", "data_variables"):
            if record.get(field) and isinstance(record[field], list) and isinstance(record[field][0], dict):
                first, *rest = record[field]
                for inner in first:
                    yield {**record, field: [{k: v for k, v in first.items() if k != inner}, *rest]}, f"{field} without {inner}"
                    for wrong in WRONG:
                        yield {**record, field: [{**first, inner: wrong}, *rest]}, f"{field} {inner} {str(wrong)[:20]}"

    def check_fields(self, folder, name):
        for record, what in self.fields(folder, name):
            with self.subTest(folder=folder.name, name=name, what=what):
                self.tamper(folder, name, json.dumps(record).encode())

    def test_record(self):
        self.check_fields(self.fit, "run.json")

    def test_record_of_another_kind(self):
        self.check_fields(self.mixture, "run.json")

    def test_certificate(self):
        self.check_fields(self.fit, "certificate.json")

    def test_tables(self):
        self.assertIn("components.csv:2", self.tamper(self.mixture, "components.csv", b"a,b\n1\n"))
        self.assertIn("UTF-8", self.tamper(self.mixture, "components.csv", b"a,b\n1,\xff\n"))
        self.assertIn("UTF-8", self.tamper(self.fit, "weighted.csv", b"lp__,lp_approx__,log_weight__,\xff\n1,1,1,1\n"))
        self.assertNotEqual("opened", self.tamper(self.fit, "weighted.csv", b"lp__\n1\n"))


if __name__ == "__main__":
    unittest.main()
