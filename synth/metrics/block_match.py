"""Matching of predicted with gold text blocks as OmniDocBench does it: one to one, and with split and merged blocks."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from rapidfuzz.distance import Levenshtein
from scipy.optimize import linear_sum_assignment

from synth.metrics import Mode
from synth.metrics.omnidocbench import clean_string
from synth.metrics.reading_order import Matched

CLOSE = 0.25  # blocks at least this near are taken for a pair before truncated blocks are sought
FAR = 0.7  # an assigned pair farther apart than this is none
PART = 0.4  # how near a gold block must be to a stretch of a prediction to be a part of it
PIECE = 0.6  # the same for a predicted piece in a gold block

Run = list[int]
Entry = tuple[list[int], list[int]]
"""Indices of gold blocks and of the predicted blocks they are matched with."""


def _distances(gold: Sequence[str], pred: Sequence[str]) -> np.ndarray:
    return np.array([[Levenshtein.normalized_distance(one, two) for two in pred] for one in gold])


def _cleaned(blocks: Sequence[str]) -> list[str]:
    """What is left to compare; blocks without a letter or digit vanish, and those after them move up (as released)."""
    return [text for text in map(clean_string, blocks) if text]


def one_to_one(gold: Sequence[str], pred: Sequence[str], mode: Mode = "compat") -> list[Matched]:
    """Gold blocks with the prediction that the cheapest assignment gives them. Source: match_gt2pred_simple.

    `compat` takes predicted block 0 for unmatched, and raises IndexError for a page with no text at all.
    """
    truth, found = _cleaned(gold), _cleaned(pred)
    if not truth or not found:
        if not truth and not found and mode == "compat":
            raise IndexError("no block on either side")
        return [Matched([at + 1], "") for at in range(len(truth))]
    rows, columns = linear_sum_assignment(_distances(truth, found))
    partner = dict(zip(rows.tolist(), columns.tolist(), strict=True))
    if mode == "compat":
        partner = {row: column for row, column in partner.items() if column}
    return [Matched([at + 1], partner.get(at, "")) for at in range(len(truth))]


def with_splits(gold: Sequence[str], pred: Sequence[str]) -> list[Matched]:
    """Gold blocks with predicted ones, where either may be cut or joined. Source: match_gt2pred_quick (text blocks).

    Neighbouring predictions that together come nearer to a gold block are joined, the cheapest assignment is sought,
    gold blocks left over are sought inside predictions, and what is still left is assigned at any distance.
    """
    truth, found = _cleaned(gold), _cleaned(pred)
    if not truth or not found:
        return [Matched([at + 1], "") for at in range(len(truth))]
    if len(truth) == len(found) == 1:
        return [Matched([1], 0)]
    cost = _distances(truth, found)
    runs: list[Run] = _joined_runs(cost, truth, found) or [[at] for at in range(len(found))]
    cost = _distances(truth, [" ".join(found[at] for at in run) for run in runs])
    rows, columns = linear_sum_assignment(cost)
    direct = {
        row: tuple(runs[column])
        for row, column in zip(rows.tolist(), columns.tolist(), strict=True)
        if cost[row, column] <= FAR
    }
    groups = _with_parts(direct, truth, found)
    return _to_matches(_leftovers(groups, truth, found), len(truth))


def _joined_runs(cost: np.ndarray, truth: Sequence[str], found: Sequence[str]) -> list[Run]:
    """All predictions in order, those joined that together resemble a gold block without a near one; [] if none."""
    near = cost < CLOSE
    taken = set(np.flatnonzero(near.any(axis=0)).tolist())
    best: list[tuple[Run, float]] = []
    lonely: list[int] = np.flatnonzero(~near.any(axis=1)).tolist()
    for row in lonely:
        options = []
        for start in range(len(found)):
            if start not in taken:
                run = _grow(truth[row], found, start, taken)
                text = " ".join(found[at] for at in run)
                options.append((run, Levenshtein.normalized_distance(truth[row], text)))
        if options:
            best.append(min(options, key=lambda option: option[1]))
    chosen = _without_overlap(best)
    if not chosen:
        return []
    result: list[Run] = [[at] for at in range(len(found))]
    for run in chosen:
        at = result.index([run[0]])
        result[at : at + len(run)] = [run]
    return result


def _grow(gold: str, found: Sequence[str], start: int, taken: set[int]) -> Run:
    run = [start]
    while (after := start + len(run)) < len(found) and after not in taken:
        pieces = [found[at] for at in (*run, after)]
        if not _belongs(gold, pieces):
            break
        run.append(after)
        if len(" ".join(pieces)) > len(gold):
            break
    return run


def _belongs(gold: str, pieces: Sequence[str]) -> bool:
    """Whether the last piece brings the pieces nearer to the gold block, every one being found in it."""
    before, after = " ".join(pieces[:-1]), " ".join(pieces)
    if Levenshtein.normalized_distance(gold, after) > Levenshtein.normalized_distance(gold, before):
        return False
    inner = [_inside(gold, piece) for piece in pieces]
    return all(value is not None and value <= PIECE for value in inner[:-1]) and (
        inner[-1] is not None and inner[-1] < PIECE
    )


def _inside(whole: str, part: str) -> float | None:
    """Distance of `part` to the stretch of `whole` of its length that is nearest, over its length; None if longer."""
    size = len(part)
    if not size or size > len(whole):
        return None
    return min(Levenshtein.distance(whole[at : at + size], part) for at in range(len(whole) - size + 1)) / size


def _without_overlap(options: Sequence[tuple[Run, float]]) -> list[Run]:
    """Runs that share no prediction: of each chain of overlapping ones the disjoint choice with the least mean cost."""
    chains: list[list[tuple[Run, float]]] = []
    for option in sorted(options, key=lambda option: option[0][0]):
        if chains and any(set(option[0]) & set(other) for other, _ in chains[-1]):
            chains[-1].append(option)
        else:
            chains.append([option])
    chosen: list[Run] = []
    for chain in chains:
        paths = [[chain[0]]]
        for run, price in chain[1:]:
            placed = False
            for path in paths:
                same = next((at for at, (other, _) in enumerate(path) if other == run), None)
                if same is not None:
                    if path[same][1] > price:
                        path.pop(same)
                        path.append((run, price))
                    placed = True
                elif not any(set(run) & set(other) for other, _ in path):
                    path.append((run, price))
                    placed = True
            if not placed:
                paths.append([(run, price)])
        chosen += [run for run, _ in min(paths, key=lambda path: sum(price for _, price in path) / len(path))]
    return chosen


def _with_parts(
    direct: dict[int, tuple[int, ...]], truth: Sequence[str], found: Sequence[str]
) -> dict[tuple[int, ...], list[int]]:
    """Gold blocks by the predictions they go with: the assigned ones, then leftovers found inside a prediction."""
    groups: dict[tuple[int, ...], list[int]] = {}
    for row in sorted(direct):
        groups.setdefault(direct[row], []).append(row)
    placed = set(direct)
    left = [row for row in range(len(truth)) if row not in direct]
    for at, text in enumerate(found):
        parts = [row for row in left if (gap := _inside(text, truth[row])) is not None and gap < PART]
        if parts:
            fresh = [row for row in parts if row not in placed]
            groups.setdefault((at,), []).extend(fresh)
            placed.update(fresh)
    return groups


def _leftovers(
    groups: dict[tuple[int, ...], list[int]], truth: Sequence[str], found: Sequence[str]
) -> list[tuple[int, tuple[int, ...]]]:
    """(gold block, predictions) of the groups, then of an assignment of all that is left on both sides."""
    entries = [(row, key) for key, rows in groups.items() for row in sorted(set(rows))]
    rows = sorted(set(range(len(truth))) - {row for row, _ in entries})
    columns = sorted(set(range(len(found))) - {at for key in groups for at in key})
    if rows and columns:
        cost = _distances([truth[row] for row in rows], [found[at] for at in columns])
        pairs = zip(*linear_sum_assignment(cost), strict=True)
        entries += [(rows[one], (columns[two],)) for one, two in pairs]
    return entries


def _to_matches(entries: Sequence[tuple[int, tuple[int, ...]]], total: int) -> list[Matched]:
    merged: dict[tuple[int, ...], list[int]] = {}
    for row, key in entries:
        merged.setdefault(key, []).append(row)
    matches = [Matched([row + 1 for row in rows], key[0]) for key, rows in merged.items()]
    missing = sorted(set(range(total)) - {row for row, _ in entries})
    return matches + [Matched([row + 1], "") for row in missing]
