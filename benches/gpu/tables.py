#!/usr/bin/env python3
"""Writes the measured tables of the book's pages on the card's limit and on lab 4 from the raw results; `--check` only compares.

Needs Python 3.9 and nothing else. Each table stands between two comments of a page, `<!-- table NAME -->`
and `<!-- end -->`. Tables are all that it writes: text around them is by hand and must state no figure of its own.
"""

import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
BOOK = HERE.parents[1] / "docs" / "src"


def lines(name):
    return [json.loads(line) for line in (HERE / "results" / name).read_text().splitlines()]


BENCH = [row for row in lines("bench.jsonl") if "kernel" in row]
APPLICATIONS = lines("application.jsonl")
CHECKS = [row for row in lines("bench.jsonl") if "check" in row]
VENDOR = {(row["kernel"], row["size"]): row["median_ms"] for row in lines("vendor.jsonl")}

# What is asked: lab, size, and the least share of a copy or of cuBLAS.
ASKED = [("transpose", s, 0.97) for s in ("4096x4096", "16384x16384")]
ASKED += [("stencil", f"n=16777216 radius={r}", 0.90) for r in (3, 7)]
ASKED += [("convolution", f"{n}x{n} filter {k}x{k}", 0.90) for n in (2048, 8192) for k in (3, 5, 7)]
ASKED += [("matmul", s, 0.95) for s in ("4096x4096x4096", "8192x8192x8192", "4095x4097x4093")]


def share(row):
    return row.get("of_copy", row.get("of_cublas"))


def rows_of(lab, size):
    return [row for row in BENCH if row["lab"] == lab and row["size"] == size]


def best(lab, size, name="best"):
    return next(row for row in rows_of(lab, size) if row["kernel"] == name)


def markdown(header, rows):
    out = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    return out + ["| " + " | ".join(row) + " |" for row in rows]


def reached():
    """Each target against what was measured; where a kernel was measured twice in the run, the slower one."""
    out = []
    for lab, size, target in ASKED:
        found = [row for row in rows_of(lab, size) if row["kernel"] in ("best", "best again")]
        row = max(found, key=lambda r: r["median_ms"])
        against = "cuBLAS" if lab == "matmul" else "a copy"
        vendor = {"transpose": ("transpose", size), "convolution": ("conv2d", size)}.get(lab)
        other = f"{VENDOR[vendor]:.4f}" if vendor in VENDOR else "-"
        verdict = "reached" if share(row) >= target else "missed"
        rate = f"{row['gflop_per_s'] / 1000:.1f} TFLOPS" if lab == "matmul" else f"{row['gb_per_s']:.0f} GB/s"
        spread = f"{row['p10_ms']:.4f} to {row['p90_ms']:.4f}"
        out.append([lab, size, f"{row['median_ms']:.4f}", spread, rate, f"{share(row):.3f} of {against}", f"{target:.2f}",
                    verdict, other])
    return markdown(["kernel", "size", "median, ms", "10 % to 90 %", "rate", "share", "target", "", "PyTorch, ms"], out)


def both_ways(lab, size, name):
    """A kernel in turn with the copy, and for itself as the steps of a ladder: each time the copy's, its own, and the share."""
    out = []
    for copy, row in ((f"copy beside {name}", name), ("copy", f"{name}, one after the other")):
        copy, row = best(lab, size, copy), best(lab, size, row)
        out += [f"{copy['median_ms']:.4f}", f"{row['median_ms']:.4f}", f"{share(row):.3f}"]
    return out


BOTH_WAYS = ["in turn: copy, ms", "kernel, ms", "share", "one after the other: copy, ms", "kernel, ms", "share"]


def methods():
    """What a copy bounds, measured in both ways."""
    asked = [(lab, size) for lab, size, _ in ASKED if lab != "matmul"]
    return markdown(["`best`", "size", *BOTH_WAYS], [[lab, size, *both_ways(lab, size, "best")] for lab, size in asked])


def used_once():
    """The transposition with and without the marks of lines that are used once."""
    rows = [[label, size, *both_ways("transpose", size, name)] for lab, size, _ in ASKED if lab == "transpose"
            for name, label in (("ladder: marked as used once", "marked"), ("best", "`best`: plain"))]
    return markdown(["loads and stores", "size", *BOTH_WAYS], rows)


def ladder(lab, size, names):
    out = []
    last = None
    for name, label in names:
        row = best(lab, size, name)
        gain = "" if last is None else f"{last / row['median_ms']:.2f}"
        out.append([label, f"{row['median_ms']:.4f}", gain, f"{share(row):.3f}"])
        last = row["median_ms"]
    reference = "cuBLAS" if lab == "matmul" else "the copy"
    return markdown(["step", "median, ms", "gain", f"share of {reference}"], out)


def applications():
    """Lab 4's published table: the whole application, and its parts."""
    out = []
    for row in APPLICATIONS:
        parts = [row[f"{part}_ms"] for part in ("allocate", "to_device", "kernel", "to_host", "free")]
        shown = [f"{part:.3f}" if part else "" for part in parts]
        out.append([row["application"], *shown, f"{row['whole_ms']:.3f}"])
    return markdown(["", "allocate", "to the device", "kernel", "to the host", "free", "whole"], out)


LIMIT = {
    "reached": reached,
    "methods": methods,
    "used once": used_once,
    "where": lambda: [
        f"{CHECKS[0]['card']}, driver {CHECKS[0]['driver']}, {CHECKS[0]['date']}, commit `{CHECKS[0]['commit']}`; "
        + f"{sum(c['cases'] for c in CHECKS)} small and ragged cases compared before, "
        + ("all right." if all(c["right"] for c in CHECKS) else "NOT all right.")
    ],
    "transpose": lambda: ladder("transpose", "16384x16384", [
        ("naive_read_rows", "`naive_read_rows`"), ("padded", "`padded`: through a padded tile"),
        ("ladder: loop", "four elements per thread"),
        ("ladder: best, SIDE 32 THREADS 256", "`best` with `SIDE 32`, `THREADS 256`: float4"),
        ("ladder: best, THREADS 256", "`best` with `THREADS 256`: 64 x 64 tiles"),
        ("best, one after the other", "`best`: 512 threads")]),
    "convolution": lambda: ladder("convolution", "8192x8192 filter 7x7", [
        ("naive", "lab 2 `naive`"), ("output_tile", "lab 4 `output_tile`"),
        ("ladder: strip of 4 rows", "4 x 4 outputs per thread, radius known to the compiler"),
        ("lab 2 best", "lab 2 `best`: sums that move on from row to row"),
        ("ladder: ring", "rows through shared memory, every second strip upwards"),
        ("ladder: best, all strips of 32 rows", "`best` with all strips of 32 rows: fast FIR, a ring for a block"),
        ("best, one after the other", "`best`: long strips, the last ones short")]),
    "matmul": lambda: ladder("matmul", "4096x4096x4096", [
        ("naive", "`naive`"), ("tiled", "`tiled`"), ("register_tiled", "`register_tiled`: 4 x 4 outputs per thread"),
        ("ladder: best, 8 x 8 outputs", "`best` with 8 x 8 outputs: asynchronous copies, loads one step ahead"),
        ("ladder: best, TILE_M 128", "`best` with 128 x 128 tiles: 8 x 16 outputs"),
        ("ladder: best, TILE_N 256", "`best` with 64 x 256 tiles"),
        ("best", "`best`: 64 x 128 tiles, four blocks per multiprocessor")]),
}


def filled(page, text, tables):
    for name, make in tables.items():
        mark = re.compile(rf"(<!-- table {name} -->\n).*?(<!-- end -->)", re.S)
        if not mark.search(text):
            sys.exit(f"{page} has no place for the table `{name}`: <!-- table {name} --> and <!-- end -->")
        table = "\n".join(make())
        text = mark.sub(lambda m: f"{m[1]}\n{table}\n\n{m[2]}", text)
    return text


for name, tables in {"limit.md": LIMIT, "lab-4.md": {"application": applications}}.items():
    page = BOOK / name
    old = page.read_text()
    new = filled(page, old, tables)
    if "--check" not in sys.argv[1:]:
        page.write_text(new)
    elif old != new:
        sys.exit(f"{page}: the tables are not what benches/gpu/results says; run benches/gpu/tables.py")
