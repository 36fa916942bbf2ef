#!/usr/bin/env python3
"""Draws the table of steps by fabric in docs/effects.md: `docs/effects/steps.py docs/effects.md > docs/effects/steps.svg`.

The table's times are those that its commands print, in ms; the share that `flow` misses is computed from them again.
"""

import re
import sys
from html import escape

LEFT, PANEL, GAP, BAR, ROW, TOP = 270, 280, 120, 13, 46, 50


def rows(page):
    """(fabric, [(flow, packets) in ms for each model]) of each line of the table."""
    found = []
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        times = [float(cell[:-3]) for cell in cells if re.fullmatch(r"[\d.]+ ms", cell)]
        if line.startswith("|") and len(times) == 4:
            found.append((cells[0], [tuple(times[:2]), tuple(times[2:])]))
    if not found:
        sys.exit("steps.py: no line of the table has four times in ms")
    return found


def text(x, y, anchor, words):
    return f"<text x='{x:.1f}' y='{y:.1f}' text-anchor='{anchor}'>{escape(words)}</text>"


def bar(x, y, width, colour):
    return f"<rect x='{x:.1f}' y='{y:.1f}' width='{width:.1f}' height='{BAR}' fill='{colour}'/>"


def picture(table):
    width, height = LEFT + 2 * (PANEL + GAP), TOP + ROW * len(table)
    drawn = []
    for panel, model in enumerate(("MoE", "dense")):
        x = LEFT + panel * (PANEL + GAP)
        longest = max(max(times[panel]) for _, times in table)
        drawn.append(text(x, 24, "start", f"{model} step: flow (grey) and packets (blue)"))
        for row, (fabric, times) in enumerate(table):
            y = TOP + row * ROW
            flow, packets = times[panel]
            if panel == 0:
                drawn.append(text(LEFT - 12, y + BAR + 4, "end", fabric.replace("`", "")))
            drawn.append(bar(x, y, PANEL * flow / longest, "#9aa0a6"))
            drawn.append(bar(x, y + BAR + 1, PANEL * packets / longest, "#2a6fb0"))
            missed = 100 * (packets / flow - 1)
            label = f"{packets:.0f} ms, {missed:+.{0 if missed >= 10 else 1}f} %"
            drawn.append(text(x + PANEL * packets / longest + 6, y + 2 * BAR, "start", label))
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' width='{width}' height='{height}' font-family='sans-serif' "
        "font-size='12'>\n<rect width='100%' height='100%' fill='white'/>\n" + "\n".join(drawn) + "\n</svg>"
    )


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as page:
        print(picture(rows(page.read())))
