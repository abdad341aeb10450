"""Columns of draws and the arrays they are elements of: "theta.1", "theta.2" are theta[2] (src/posterior/posterior.cpp)."""

from __future__ import annotations

import itertools
import math
from collections import namedtuple

from ._numpy import np



class Variable(namedtuple("Variable", ["name", "dims", "first", "size"])):
    """Columns [first, first + size) of the draws, the first index running fastest."""

    __slots__ = ()


def _split(name: str) -> tuple[str, tuple[int, ...]]:
    """ "pair:2.3.1" is base "pair:2" with indices 3, 1; "z.real" has none."""
    base, begin, indices = name, name.rfind(":"), []
    while (dot := base.rfind(".")) > max(begin, 0):
        part = base[dot + 1 :]
        if not (part.isascii() and part.isdigit()) or part[0] == "0":
            break
        indices.append(int(part))
        base = base[:dot]
    return base, tuple(reversed(indices))


def _is_full_array(elements: list[tuple[str, tuple[int, ...]]]) -> bool:
    dims = elements[-1][1]
    expected = itertools.product(*(range(1, size + 1) for size in reversed(dims)))
    return math.prod(dims) == len(elements) and all(
        indices == tuple(reversed(place)) for (_, indices), place in zip(elements, expected)
    )


def find_variables(names: list[str]) -> list[Variable]:
    """A column that is no element of a full array is a variable of its own."""
    elements = [_split(name) for name in names]
    variables, first = [], 0
    while first < len(names):
        base, indices = elements[first]
        last = first + 1
        while last < len(names) and indices and (elements[last][0], len(elements[last][1])) == (base, len(indices)):
            last += 1
        if indices and _is_full_array(elements[first:last]):
            variables.append(Variable(base, elements[last - 1][1], first, last - first))
        else:
            variables += [Variable(names[i], (), i, 1) for i in range(first, last)]
        first = last
    return variables


def display_name(column: str) -> str:
    """ "theta[1]", "L[2,1]" from "theta.1", "L.2.1"; "pair[2].1[3]" from "pair.2:1.3"."""
    parts = []
    for slot in column.split(":"):
        base, indices = _split(slot)
        parts.append(f"{base}[{','.join(map(str, indices))}]" if indices else base)
    return ".".join(parts)


def as_array(columns: np.ndarray, dims: tuple[int, ...]) -> np.ndarray:
    """[..., columns] as [..., dims], where the first of dims ran fastest."""
    if not dims:
        return columns[..., 0]
    lead = columns.shape[:-1]
    reshaped = columns.reshape(*lead, *reversed(dims))
    rank = len(lead)
    order = (*range(rank), *range(rank + len(dims) - 1, rank - 1, -1))
    return np.ascontiguousarray(reshaped.transpose(order))
