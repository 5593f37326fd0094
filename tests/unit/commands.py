#!/usr/bin/env python3
"""The assay program itself, from outside: what each command says, writes and exits with.

usage: commands.py PROGRAM
"""
import json
import os
import re
import struct
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = ""
SMALL = "rms_norm dt=f32 rows=2 d=9 eps=1e-6 data=heavy seed=2"
CLEAN = {k: v for k, v in os.environ.items() if not re.match("ASSAY_|CUDA_|HIP_", k)}


def write_npy(path, shape, values):
    head = "{'descr': '<f4', 'fortran_order': False, 'shape': %r, }" % (shape,)
    head += " " * (-(len(head) + 11) % 64) + "\n"
    path.write_bytes(b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode()
                     + struct.pack(f"<{len(values)}f", *values))


def rms_norm(rows, w, eps):
    """In double precision, rounded once when packed: right whatever the kernel's order of sums."""
    out = []
    for row in rows:
        r = (sum(v * v for v in row) / len(row) + eps) ** -0.5
        out += [v * r * g for v, g in zip(row, w)]
    return out


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def assay(self, code, *words, env=None):
        run = subprocess.run([PROGRAM, *map(str, words)], capture_output=True, text=True,
                             cwd=self.folder, env={**CLEAN, **(env or {})}, timeout=100)
        self.assertEqual(run.returncode, code, run.stdout + run.stderr)
        self.out, self.err = run.stdout, run.stderr
        return run.stdout

    def report(self, name):
        return json.loads((self.folder / name).read_text())


class Judge(Command):
    def setUp(self):
        super().setUp()
        # exact in f32; row 1 holds one value that outweighs the others, so that d, eps and w show
        self.x = [[((7 * i + 3 * j) % 16 - 7.5) / 4096 for j in range(64)] for i in range(3)]
        self.x[1][63], self.x[2][0] = 0.125, -0.25
        self.w = [0.5 + j / 64 for j in range(64)]
        self.y = rms_norm(self.x, self.w, 2.0 ** -16)
        write_npy(self.folder / "x.npy", (3, 64), [v for row in self.x for v in row])
        write_npy(self.folder / "w.npy", (64,), self.w)
        self.save()

    def save(self):
        write_npy(self.folder / "y.npy", (3, 64), self.y)

    def judge(self, code, *more):
        return self.assay(code, "judge", "rms_norm", "--in", "x=x.npy", "--in", "w=w.npy",
                          "--out", "y=y.npy", "--attr", "eps=1.52587890625e-05", *more)

    def test_right_values_pass(self):
        self.assertRegex(self.judge(0), r"^PASSED +rms_norm dt=f32 rows=3 d=64 eps=1\.5258789")
        self.assertIn("192 judged, 0 out of bounds", self.out)

    def test_one_wrong_value_is_found_and_named(self):
        self.y[64 + 5] *= 1 + 2.0 ** -12
        self.save()
        self.assertRegex(self.judge(1, "--json", "r.json"), "^FAILED")
        report = self.report("r.json")
        self.assertEqual(report["totals"]["failed"], 1)
        worst = report["rows"][0]["worst"]
        self.assertEqual((worst["row"], worst["column"]), (1, 5))
        self.assertGreater(worst["error_over_bound"], 1)

    def test_nan_is_wrong(self):
        self.y[3] = float("nan")
        self.save()
        self.assertIn("192 judged, 1 out of bounds", self.judge(1))

    def test_data_that_shows_nothing_is_mistrusted_unless_accepted(self):
        write_npy(self.folder / "x.npy", (3, 64), [1.0] * 192)
        write_npy(self.folder / "w.npy", (64,), [1.0] * 64)
        self.y = [(1 + 2.0 ** -16) ** -0.5] * 192
        self.save()
        self.assertRegex(self.judge(1), "^MISTRUSTED")
        self.assertRegex(self.judge(0, "--accept", "all"), "^PASSED")
        self.assertIn("blind to", self.out)

    def test_report_to_standard_output_is_json_alone(self):
        self.assertEqual(json.loads(self.judge(0, "--json", "-"))["schema"], "assay.judge/1")
        self.assertIn("PASSED", self.err)

    def test_usage(self):
        self.assertIn("usage", self.assay(0, "judge", "--help"))
        for words in ([], ["rms_norm"], ["rms_nrom"], ["rms_norm", "rms_norm"],
                      ["rms_norm", "--inn", "x=x.npy"], ["rms_norm", "--in"],
                      ["rms_norm", "--in", "x"], ["rms_norm", "--in", "=x.npy"],
                      ["rms_norm", "--in", "x="], ["rms_norm", "--in", "x=" + "a" * 1024],
                      ["rms_norm"] + ["--in", "x=x.npy"] * 9,
                      ["rms_norm", "--attr", "a" * 600],
                      ["rms_norm", "--in", "x=x.npy", "--out", "y=y.npy", "--attr", "d=65"]):
            with self.subTest(words):
                self.assay(2, "judge", *words)
                self.assertTrue(self.err)

    def test_files_that_cannot_be_read_are_no_verdict(self):
        (self.folder / "x.npy").write_bytes(b"\x93NUMPY\x01\x00\xff\xff")
        self.judge(3)
        self.assertIn("x.npy", self.err)
        (self.folder / "x.npy").unlink()
        self.judge(3)

    def test_a_report_that_cannot_be_written_is_no_pass(self):
        self.judge(3, "--json", "no/such/folder/r.json")
        self.assertIn("could not be written", self.err)


class Replay(Command):
    def record(self):
        (self.folder / "d").mkdir()
        self.assay(0, "check", "--no-trust", "--case", SMALL, "--digests", "d")
        self.assertTrue((self.folder / "d/rms_norm.json").exists())

    def test_what_was_recorded_replays(self):
        self.record()
        self.assertRegex(self.assay(0, "replay", "d", "--json", "r.json"), "PASSED: 1 digests, 18")
        self.assertEqual(self.report("r.json")["totals"]["differing"], 0)

    def test_another_output_hash_is_a_difference(self):
        self.record()
        path = self.folder / "d/rms_norm.json"
        text = path.read_text()
        old = re.search(r'"outputs":"(\w+)"', text)[1]
        new = old[:-1] + ("0" if old[-1] != "0" else "1")
        path.write_text(text.replace(old, new))
        self.assertIn("FAILED: 1 digests", self.assay(1, "replay", "d", "--json", "r.json"))
        self.assertEqual(self.report("r.json")["totals"]["differing"], 1)

    def test_refusals(self):
        self.assay(2, "replay")
        self.assay(3, "replay", "nowhere")
        self.assay(2, "replay", self.folder)  # nothing in it
        self.assertIn("no digest files", self.err)
        self.assay(2, "replay", "a", "b")
        self.assay(2, "replay", "a", "--jobs", "many")
        (self.folder / "broken.json").write_text("{")
        self.assay(3, "replay", self.folder)
        self.assertIn("usage", self.assay(0, "replay", "--help"))


class Check(Command):
    def test_a_case_passes_and_is_reported(self):
        self.assay(0, "check", "--no-trust", "--case", SMALL, "--json", "r.json")
        report = self.report("r.json")
        self.assertEqual(report["rows"][0]["case"], SMALL)
        self.assertEqual(report["totals"]["passed"], 1)
        self.assertEqual(report["totals"]["outputs"], 18)

    def test_one_case_alone_does_not_show_every_fault(self):
        self.assertIn("MISTRUSTED", self.assay(1, "check", "--case", SMALL))

    def test_a_stricter_contract_leaves_less_slack(self):
        case = ["--no-trust", "--case", "rms_norm dt=f32 rows=7 d=4096 eps=1e-6 data=normal seed=1"]
        slack = {}
        for contract in ("h=1", "declared", "any"):
            self.assay(0, "check", *case, "--contract", contract, "--json", "r.json")
            slack[contract] = self.report("r.json")["totals"]["max_slack"]
        self.assertGreater(slack["h=1"], slack["declared"])
        self.assertGreater(slack["declared"], slack["any"])

    def test_digests_of_a_folder_that_is_not_there(self):
        self.assay(3, "check", "--case", SMALL, "--digests", "nowhere")

    def test_back_ends_that_this_machine_lacks_are_no_pass(self):
        for backend in ("cuda", "hip"):
            run = subprocess.run([PROGRAM, "check", "--case", SMALL, "--backend", backend],
                                 capture_output=True, text=True,
                                 env={**CLEAN, "CUDA_VISIBLE_DEVICES": "",
                                      "HIP_VISIBLE_DEVICES": ""})
            self.assertNotEqual(run.returncode, 0, run.stdout)

    def test_list_knows_what_check_runs(self):
        self.assertIn("rms_norm", self.assay(0, "list", "ops"))
        self.assertIn("bf16->f32", self.assay(0, "list", "kernels"))
        for line in self.assay(0, "list", "cases", "--level", "smoke", "d=1").splitlines():
            self.assertRegex(line, r"^rms_norm dt=\w+ .*\bd=1 ")
        self.assay(2, "list", "cases", "d=nonsense")


class Mutate(Command):
    def test_a_planted_fault_is_killed_and_reported(self):
        self.assertIn("ALL KILLED", self.assay(0, "mutate", "eps_dropped", "--json", "r.json"))
        totals = self.report("r.json")["totals"]
        self.assertEqual((totals["applied"], totals["killed"], totals["survived"]), (1, 1, 0))

    def test_mutants_are_listed_not_planted(self):
        self.assertRegex(self.assay(0, "mutate", "--list", "eps_dropped"), r"^eps_dropped\t")
        self.assay(2, "mutate", "no such mutant")


class OneCase(Command):
    """explain, repro and shrink, on data whose squares the sum absorbs: outside a contract of height 1."""

    FAILING = ["rms_norm dt=f32 rows=2 d=768 w=no eps=0 data=absorb seed=6148", "--contract", "h=1"]

    def test_repro_says_what_check_says(self):
        self.assertRegex(self.assay(0, "repro", SMALL), "^PASSED " + SMALL)
        self.assertIn("18 outputs, 0 out of bounds", self.out)
        self.assertRegex(self.assay(1, "repro", *self.FAILING), "(?m)^FAILED rms_norm")
        self.assertRegex(self.assay(1, "repro", SMALL, "--trust"), "(?m)^MISTRUSTED")

    def test_explain_derives_the_bound(self):
        self.assay(0, "explain", SMALL, "--row", "1", "--column", "8")
        self.assertIn("y[row 1, column 8]", self.out)
        self.assertIn("height h = 5", self.out)
        self.assay(2, "explain", SMALL, "--row", "2")

    def test_shrink_keeps_what_fails(self):
        self.assertIn("nothing to shrink", self.assay(0, "shrink", SMALL))
        self.assertRegex(self.assay(1, "shrink", *self.FAILING, "--budget", "400"),
                         r"(?m)^FAILED rms_norm dt=f32 rows=1 d=\d+ ")
        self.assertIn("rows 2 -> 1", self.out)

    def test_usage(self):
        for command in ("explain", "repro", "shrink"):
            self.assertIn("usage", self.assay(0, command, "--help"))
            self.assay(2, command)
            self.assay(2, command, "no_op d=1")
            self.assay(2, command, SMALL, "--nonsense")


class Others(Command):
    def test_doctor(self):
        out = self.assay(0, "doctor", "--json", "r.json")
        self.assertIn("executor", out)
        self.assertIn("kernels: what is in the instance table", out)
        self.assertIn("schema", self.report("r.json"))
        self.assay(2, "doctor", "--jsn", "x")

    def test_doctor_finds_tools_on_the_path_only(self):
        (self.folder / "cmake").write_text("#!/bin/sh\n")
        (self.folder / "cmake").chmod(0o755)
        out = self.assay(0, "doctor", env={"PATH": str(self.folder)})
        self.assertRegex(out, rf"\[ok\] cmake +{re.escape(str(self.folder))}/cmake")
        self.assertRegex(out, r"\[--\] ninja")

    def test_bench_wants_a_device(self):
        env = {"CUDA_VISIBLE_DEVICES": "", "HIP_VISIBLE_DEVICES": ""}
        self.assertIn("usage", self.assay(0, "bench", "--help"))
        run = subprocess.run([PROGRAM, "bench"], capture_output=True, text=True,
                             env={**CLEAN, **env})
        self.assertIn(run.returncode, (2, 3, 77), run.stdout + run.stderr)
        self.assay(2, "bench", "--backend", "abacus")

    def test_unknown_commands(self):
        self.assay(2, "chekc")
        self.assertIn("check", self.err)
        self.assay(2)


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    PROGRAM = str(Path(sys.argv.pop()).resolve())
    unittest.main(verbosity=0)
