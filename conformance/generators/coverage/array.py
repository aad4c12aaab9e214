"""The covering array of a function: few structures that together show what exists of it.

A *feature* is a property of a call, which has one *class* of each. A covering array shows each
*pair* of classes in some call: faults of two properties together meet a call with both. Each round
draws structures and keeps the best one. A pair that no draw shows is excluded, with the reason.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, islice, product
from random import Random

from conformance.editions import Edition
from conformance.generators.classes import DTYPE, INTEGERS, Classes
from conformance.generators.coverage.classes import classes_of, with_dtype
from conformance.generators.coverage.effort import (
    BROAD,
    ENOUGH,
    FIRST,
    LEAST_SETTLED,
    OFTEN,
    RARE,
    REJECTED,
    Effort,
)
from conformance.generators.coverage.items import (
    FILLED,
    SETTLED,
    Item,
    One,
    apart,
    are_bindings,
    empty_apart,
    is_open,
    is_steered,
    levels,
    owner,
    points_of,
    probed_apart,
    triples_of,
)
from conformance.generators.coverage.rare import rare
from conformance.generators.drawing import Chooser, Drawn, Rejected, seeded
from conformance.generators.sizes import ELEMENTS
from conformance.generators.structure import Structure, made
from conformance.specs import Spec

_SHIFT, _MASK = 12, (1 << 12) - 1
_LEVELS = 4
"""Items are numbers: two numbers of ones, and the level, packed."""
WEIGHT = {SETTLED: 4}
"""What can convict is shown first."""
LONGEST_ROW = 10
"""Features that a steered draw is asked for at most; the rest comes as it may."""

Draw = Drawn[Structure]


@dataclass(slots=True)
class CoveringArray:
    """The structures kept so far, and what is known of the function."""

    spec: Spec
    edition: Edition
    random: Random
    effort: Effort
    elements: int = ELEMENTS
    """The most elements of a tensor, about."""
    kept: list[Draw] = field(default_factory=list)
    best: dict[int, int] = field(default_factory=dict)
    """The best level at which each item was seen."""
    missing: dict[int, dict[int, None]] = field(default_factory=dict)
    """The items of each level that were seen there, and no kept structure shows."""
    seen: Counter[int] = field(default_factory=Counter)
    settled: Counter[int] = field(default_factory=Counter)
    """How often each class was seen, and how often in a settled call."""
    excluded: dict[int, str] = field(default_factory=dict)
    """Pairs that were tried in vain, and why."""
    drawn: int = 0
    """Free draws."""
    begun: int = 0
    """How many structures it began with."""
    _pool: list[tuple[Draw, frozenset[int]]] = field(default_factory=list)
    _heap: list[tuple[int, int]] = field(default_factory=list)
    _settled_pool: int = 0
    _shown: dict[int, frozenset[int]] = field(default_factory=dict)
    _known: set[int] = field(default_factory=set)
    _are_apart: dict[int, bool] = field(default_factory=dict)
    _names: list[One | Item] = field(default_factory=list)
    _numbers: dict[One | Item, int] = field(default_factory=dict)

    def begin(self, draws: Sequence[Draw]) -> None:
        """Keep the structures of a smaller array, so that only what they do not show is missing."""
        for draw in draws:
            self._add(draw)
            self._keep(*self._pool[-1])
        self.begun = len(self.kept)

    def rows(self, count: int | None) -> list[Draw]:
        """Up to `count` structures; if None, as many as it takes to show everything that exists.

        With a smaller count they are the first ones of those with a greater one.
        """
        self.draw_freely(self.effort.first)
        self._fill(FIRST if count is None else min(count, FIRST))
        if count is None or count > FIRST:
            # before the rounds, because what is rare shows much of what they would look for
            self._look_for_what_is_rare()
            self._fill(count)
        if count is None:
            self._complete()
        return self.kept

    def _fill(self, count: int | None) -> None:
        """Keep structures until there are so many, or until nothing is missing."""
        while (count is None or len(self.kept) < count) and self._round():
            pass

    def _round(self) -> bool:
        """Draw a little more, and keep the best structure; False if nothing is missing."""
        self.draw_freely(self.effort.free)
        row = self._row() if self.effort.steered else {}
        for _ in range(self.effort.steered if row else 0):
            self._add(self._draw(wanted=row))
        if len(self.kept) < FIRST and len(self.kept) % BROAD == BROAD - 1:
            return self._keep_broadest()
        return self._keep_best()

    def _keep_broadest(self) -> bool:
        """Keep the structure with elements and conventions that shows the most classes alone."""
        alone = {n for left in self.missing.values() for n in left if _is_alone(n // _LEVELS)}
        open_ones = (one for one in self._pool if is_open(one[0].value) and one[1] & alone)
        found = max(open_ones, key=lambda one: len(one[1] & alone), default=None)
        if found is None:
            return self._keep_best()
        self._keep(*found)
        return True

    def _complete(self) -> None:
        """Look for what exists and was not seen, until all that was seen is shown."""
        self.draw_freely(max(0, self.effort.least - self.drawn))
        for number in [*self._never_settled()]:
            self._try_class(number)
        for pair in [*self.doubtful()]:
            self._try(pair)
        for triple in [*self._triples()]:
            self._try(triple)
        self._miss_open_pairs()
        while self._keep_best():
            pass
        self._drop_redundant()
        self._keep_settled()

    def _keep_settled(self) -> None:
        """Keep more settled structures if few of them show everything: only such can convict."""
        more = (d for d, _ in self._pool if d.value.settled and id(d) not in self._shown)
        lacking = LEAST_SETTLED - sum(draw.value.settled for draw in self.kept)
        for draw in islice(more, max(0, lacking)):
            self.kept.append(draw)
            self._shown[id(draw)] = frozenset()

    def _miss_open_pairs(self) -> None:
        """Note the pairs of arguments' classes that no settled call has, and that are not shown."""
        shown = {item for items in self._shown.values() for item in items}
        for number, level in self.best.items():
            item = number * _LEVELS + level
            if item not in shown and self.has_to_be_shown(number, level):
                self.missing.setdefault(level, {})[item] = None
        self._heap = [(-self._gain(items), place) for place, (_, items) in enumerate(self._pool)]
        heapq.heapify(self._heap)

    def _drop_redundant(self) -> None:
        """Drop structures all of whose items others show, but for the first ones."""
        first = max(FIRST, self.begun)
        shown = [self._shown[id(draw)] for draw in self.kept]
        wanted = {
            item * _LEVELS + level
            for item, level in self.best.items()
            if self.has_to_be_shown(item, level)
        }
        count = Counter(item for items in shown for item in items & wanted)
        kept = self.kept[:first]
        for draw, items in zip(self.kept[first:], shown[first:], strict=True):
            if all(count[item] > 1 for item in items & wanted):
                count.subtract(items & wanted)
            else:
                kept.append(draw)
        self.kept = kept

    def _look_for_what_is_rare(self) -> None:
        """Draw until everything has come that the spec names, or for a while."""
        for condition, demanded in rare(self.spec, self.edition, self.elements):
            self._look_for(condition, demanded)

    def _look_for(self, condition: Callable[[Structure], bool], demanded: Classes) -> None:
        features = {name[0] for name in self._names}
        if not demanded.keys() <= features or any(condition(one.value) for one, _ in self._pool):
            return
        rejected = 0
        for _ in range(RARE):
            draw = self._draw(demanded=demanded)
            if isinstance(draw, Rejected):
                rejected += 1
                if rejected == REJECTED:
                    return
            elif condition(draw.value):
                self._add(draw)
                return

    def items(self) -> dict[Item, int]:
        """What the draws have shown, and the best level at which one of them showed it."""
        return {
            self.pair(number): level
            for number, level in self.best.items()
            if self.has_to_be_shown(number, level)
        }

    def often(self, times: int) -> dict[Item, int]:
        """What so many draws have shown, and the best level at which so many showed it."""
        counted = Counter(item for _, items in self._pool for item in items)
        found: dict[Item, int] = {}
        for number, level in (divmod(item, _LEVELS) for item, n in counted.items() if n >= times):
            if level == SETTLED or _is_alone(number):
                pair = self.pair(number)
                found[pair] = max(level, found.get(pair, -1))
        return found

    def shown(self) -> dict[Item, int]:
        """What the kept structures show, and the best level at which one of them does."""
        found: dict[Item, int] = {}
        for draw in self.kept:
            for number, level in (divmod(item, _LEVELS) for item in self._shown[id(draw)]):
                pair = self.pair(number)
                found[pair] = max(level, found.get(pair, -1))
        return found

    def draw_freely(self, count: int) -> None:
        """Draw so many structures, half of them in the dtype in which the documents compute."""
        for _ in range(count):
            plain = {DTYPE: self.spec.dtypes.documented[0]} if self.drawn % 2 else {}
            self.drawn += 1
            self._add(self._draw(wanted=plain))

    def _draw(
        self, *, wanted: Mapping[str, str] | None = None, demanded: Mapping[str, str] | None = None
    ) -> Draw | Rejected:
        turn = len(self._pool)
        asked = [with_dtype(self.spec, classes or {}, turn) for classes in (wanted, demanded)]

        def make(chooser: Chooser) -> Structure:
            return made(
                chooser,
                self.spec,
                self.edition,
                wanted=asked[0],
                demanded=asked[1],
                elements=self.elements,
            )

        return seeded(make, self.random)

    def _add(self, draw: Draw | Rejected) -> None:
        """Note what a structure shows."""
        if isinstance(draw, Rejected):
            return
        items = frozenset(self._items(draw.value))
        new = items - self._known
        self._known |= new
        for item in sorted(new):
            self._note(*divmod(item, _LEVELS))
        self._pool.append((draw, items))
        heapq.heappush(self._heap, (-self._gain(items), len(self._pool) - 1))

    def _note(self, item: int, level: int) -> None:
        before = self.best.get(item, -1)
        if level > before:
            self.best[item] = level
            self.missing.setdefault(before, {}).pop(item * _LEVELS + before, None)
            if level == SETTLED or _is_alone(item):
                self.missing.setdefault(level, {})[item * _LEVELS + level] = None

    def has_to_be_shown(self, item: int, level: int) -> bool:
        """Whether a complete plan has to show an item that exists at best at this level.

        A pair that no settled call has need not be shown, only what is in it; but where no settled
        call has the class of an argument, its pairs are, in calls with elements and few
        conventions. So are two ways of making tensors: a list beside a symbolic tensor.
        """
        if level == SETTLED or _is_alone(item):
            return True
        mine, its = item >> _SHIFT, item & _MASK
        if level < FILLED:
            return False
        is_open = self._is_open_argument(mine) or self._is_open_argument(its)
        return is_open or are_bindings(self._names[mine], self._names[its])

    def _is_open_argument(self, number: int) -> bool:
        feature = self._names[number][0]
        of_argument = (
            isinstance(feature, str) and feature not in (DTYPE, INTEGERS) and not owner(feature)
        )
        return of_argument and not self.settled[number]

    def _keep_best(self) -> bool:
        """Keep the structure that adds the most; what one can add only falls."""
        while self._heap:
            _, place = heapq.heappop(self._heap)
            draw, items = self._pool[place]
            gain = self._gain(items)
            if not gain:
                continue
            if self._heap and -gain > self._heap[0][0]:
                heapq.heappush(self._heap, (-gain, place))
                continue
            self._keep(draw, items)
            return True
        return False

    def _keep(self, draw: Draw, items: frozenset[int]) -> None:
        self.kept.append(draw)
        self._shown[id(draw)] = items
        for left in self.missing.values():
            for item in items & left.keys():
                del left[item]

    def _gain(self, items: frozenset[int]) -> int:
        return sum(
            WEIGHT.get(level, 1) * len(items & left.keys()) for level, left in self.missing.items()
        )

    def _items(self, structure: Structure) -> Iterator[int]:
        classes = classes_of(structure)
        numbers = sorted(map(self._number, classes.items()))
        plain, of_dtypes = levels(structure)
        self.seen.update(numbers)
        self._settled_pool += plain == SETTLED
        if of_dtypes == SETTLED:
            self.settled.update(n for n in numbers if plain == SETTLED or self._is_dtype(n))
        for one, other in combinations(numbers, 2):
            if not self._apart(one, other):
                about = self._is_dtype(one) or self._is_dtype(other)
                yield self._pair(one, other) * _LEVELS + (of_dtypes if about else plain)
        for item, level in points_of(structure, classes, plain):
            number = self._number(item)
            yield self._pair(number, number) * _LEVELS + level

    def _row(self) -> dict[str, str]:
        """Classes that are missing together at one level, and were all seen with each other."""
        plain = self.spec.dtypes.documented[0]
        for level in sorted(self.missing, reverse=True):
            row: dict[str, str] = {}
            for item in self.missing[level]:
                pair = self.pair(item // _LEVELS)
                if is_steered(pair) and self._fits(pair, row):
                    row.update(pair)
                    row.setdefault(DTYPE, plain)
                if len(row) >= LONGEST_ROW:
                    break
            if row:
                return row
        return {}

    def _fits(self, pair: Item, row: Mapping[str, str]) -> bool:
        """Whether a row can have the pair, too; only pairs with its dtype if that is another."""
        if any(row.get(feature, one) != one for feature, one in pair):
            return False
        dtype = row.get(DTYPE, self.spec.dtypes.documented[0])
        if dtype != self.spec.dtypes.documented[0] and (DTYPE, dtype) not in pair:
            return False
        new = [one for one in pair if one[0] not in row]
        return all(self._together(one, other) for one in new for other in row.items())

    def _together(self, one: One, other: One) -> bool:
        pair = sorted((self._numbers.get(one, -1), self._numbers.get(other, -1)))
        return pair[0] < 0 or self._apart(*pair) or self._pair(*pair) in self.best

    def _triples(self) -> Iterator[int]:
        """The combinations of the spec's triples that no settled call has shown."""
        classes: dict[str, list[One]] = {}
        for name in self._names:
            if len(name) == 2 and isinstance(name[0], str):
                classes.setdefault(name[0], []).append((name[0], str(name[1])))
        for features in triples_of(self.spec):
            for triple in product(*(classes.get(feature, ()) for feature in features)):
                number = self._number(triple)
                if self.best.get(self._pair(number, number)) != SETTLED:
                    yield self._pair(number, number)

    def _never_settled(self) -> Iterator[int]:
        """The classes that came in no settled call, but seldom enough to have missed it."""
        for number, name in enumerate(self._names):
            expected = self.seen[number] * self._settled_pool / len(self._pool)
            is_class = isinstance(name[0], str) and len(name) == 2
            if is_class and not self.settled[number] and expected < OFTEN:
                yield number

    def _try_class(self, number: int) -> None:
        feature, one = self._names[number]
        demanded = {DTYPE: self.spec.dtypes.documented[0], str(feature): str(one)}
        for _ in range(0 if feature == DTYPE else self.effort.tries * 3):
            if self.settled[number]:
                return
            self._add(self._draw(wanted=self._settling(demanded), demanded=demanded))

    def _settling(self, demanded: Classes) -> dict[str, str]:
        """For features that decide whether the documents settle a call: a class that they settle.

        Such a feature has classes that came often and never in a settled call.
        """
        counts: dict[str, list[tuple[int, str]]] = {}
        for number, name in enumerate(self._names):
            if isinstance(name[0], str) and name[0] not in demanded and self.seen[number]:
                counts.setdefault(name[0], []).append((self.settled[number], str(name[1])))
        return {f: max(its)[1] for f, its in counts.items() if min(its)[0] == 0 < max(its)[0]}

    def doubtful(self) -> Iterator[int]:
        """The pairs that no draw has shown, or none that is settled, but might have by chance.

        Notes why the others are out: they should have come.
        """
        ones = [(n, one) for n, one in enumerate(self._names) if isinstance(one[0], str)]
        for (mine, one), (its, other) in combinations(ones, 2):
            if one[0] == other[0] or self._apart(mine, its):
                continue
            pair = self._pair(mine, its)
            seen = self.settled if pair in self.best else self.seen
            if self.best.get(pair) == SETTLED or not (seen[mine] and seen[its]):
                continue
            # two classes that came together at all may well come together in a settled call
            enough = ENOUGH if pair not in self.best else ENOUGH * 5
            if seen[mine] * seen[its] < enough * self._count(seen):
                yield pair
            elif pair not in self.best:
                times = f"{self.seen[mine]} of them with {one[0]} {one[1]}"
                others = f"{self.seen[its]} with {other[0]} {other[1]}"
                self.excluded[pair] = (
                    f"never together in {len(self._pool)} draws, {times} and {others}"
                )

    def _count(self, seen: Counter[int]) -> int:
        """How many structures were counted."""
        return len(self._pool) if seen is self.seen else self._settled_pool

    def _try(self, number: int) -> None:
        pair = self.pair(number)
        demanded = dict(pair)
        plain = {DTYPE: self.spec.dtypes.documented[0], **demanded}
        reason = f"did not come in {self.effort.tries} draws that were steered to it"
        more = 3 if number in self.best else 1
        for attempt in range(more * self.effort.tries):
            if self.best.get(number) == SETTLED:
                return
            # what usually settles a call may be what excludes the pair
            wanted = self._settling(plain) if attempt % 2 else {}
            asked = plain if attempt % 2 or number in self.best else demanded
            found = self._draw(wanted=wanted, demanded=asked)
            reason = found.reason if isinstance(found, Rejected) else reason
            self._add(found)
        if number not in self.best:
            self.excluded[number] = reason

    def pair(self, number: int) -> Item:
        """The item of a number: two classes, or a triple or a single point by itself."""
        one, other = sorted((self._names[number >> _SHIFT], self._names[number & _MASK]))
        return one if one == other else (one, other)  # type: ignore[return-value]

    def _number(self, name: One | Item) -> int:
        found = self._numbers.get(name)
        if found is None:
            found = self._numbers[name] = len(self._names)
            self._names.append(name)
        return found

    @staticmethod
    def _pair(one: int, other: int) -> int:
        return one << _SHIFT | other

    def _is_dtype(self, number: int) -> bool:
        return self._names[number][0] in (DTYPE, INTEGERS)

    def _apart(self, one: int, other: int) -> bool:
        pair = self._pair(one, other)
        found = self._are_apart.get(pair)
        if found is None:
            mine, its = self._names[one], self._names[other]
            found = apart(mine[0], its[0]) is not None or any(
                empty_apart(both) or probed_apart(both, self.spec.dtypes.documented)
                for both in ((mine, its), (its, mine))
            )
            self._are_apart[pair] = found
        return found


def _is_alone(item: int) -> bool:
    """Whether an item is no pair."""
    return item >> _SHIFT == item & _MASK
