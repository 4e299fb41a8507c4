import { type ChangeWindow, freezeSpan, isTimeZone, type Span, spansFrom } from '../../change-windows.ts';
import type { EstateDoc, TargetDoc } from '../document.ts';
import { error, type Problem, suggest, warning } from '../problem.ts';
import { estateOf, ofKind, type SpecSet } from '../spec-set.ts';
import type { Located, Path } from '../tree.ts';
import { twinsIn } from './names.ts';

type Holder = Located<EstateDoc> | Located<TargetDoc>;

const holdersIn = ({ documents, targets }: SpecSet): readonly Holder[] => [
  ...ofKind(documents, 'Estate').slice(0, 1),
  ...targets.values(),
];

/** The windows and freezes of the estate and its targets. */
export function* changeWindows(set: SpecSet, today: string): Iterable<Problem> {
  yield* windows(set, today);
  yield* freezes(set, today);
}

/** Windows have names of their own, a time zone that exists, and targets that exist; each opens at some time. */
function* windows(set: SpecSet, today: string): Iterable<Problem> {
  for (const holder of holdersIn(set)) {
    const list: Entries = holder.value.spec.windows ?? [];
    yield* entries(set, holder, { field: 'windows', what: 'window', list });
    for (const [index, { from, to }] of (holder.value.spec.windows ?? []).entries()) {
      if (from !== to) continue;
      const message = `this window opens and closes at ${from}`;
      const expected = 'another time; for a whole day from 00:00 to 24:00';
      yield error('bad-window', holder.at(['spec', 'windows', index, 'to']), message, { expected });
    }
  }
  yield* neverOpen(set, today);
}

/** The same of freezes; each ends after it begins, and one that is over can go. */
function* freezes(set: SpecSet, today: string): Iterable<Problem> {
  for (const holder of holdersIn(set)) {
    const list: Entries = holder.value.spec.freezes ?? [];
    yield* entries(set, holder, { field: 'freezes', what: 'freeze', list });
    for (const [index, freeze] of (holder.value.spec.freezes ?? []).entries()) {
      if (!isTimeZone(freeze.timeZone)) continue;
      const at = holder.at(['spec', 'freezes', index, 'to']);
      const { from, to } = freezeSpan(freeze);
      if (to <= from) {
        const message = `this freeze ends at ${freeze.to}, and begins at ${freeze.from}`;
        yield error('bad-freeze', at, message, { expected: 'a time after its beginning' });
      } else if (to <= startOf(today)) {
        const message = `this freeze was over at ${freeze.to}`;
        yield warning('freeze-over', at, message, { expected: 'a later time, or no entry' });
      }
    }
  }
}

const startOf = (today: string): number => Date.parse(`${today}T00:00Z`);

type Entries = readonly {
  readonly name: string;
  readonly timeZone: string;
  readonly owners?: readonly string[] | undefined;
  readonly targets?: readonly string[] | undefined;
}[];

interface Listed {
  readonly field: 'windows' | 'freezes';
  readonly what: string;
  readonly list: Entries;
}

function* entries(set: SpecSet, holder: Holder, { field, what, list }: Listed): Iterable<Problem> {
  yield* twinsIn(holder, { what, path: ['spec', field], list });
  for (const [index, { timeZone, targets = [], owners = [] }] of list.entries()) {
    const path = ['spec', field, index];
    if (!isTimeZone(timeZone)) {
      const hint = {
        expected: 'a name of the IANA database, such as Europe/Berlin',
        didYouMean: suggest(timeZone, Intl.supportedValuesOf('timeZone')),
      };
      yield error('unknown-time-zone', holder.at([...path, 'timeZone']), `\`${timeZone}\` is no time zone`, hint);
    }
    yield* unknownTargets(set, holder, targets, [...path, 'targets']);
    yield* unknownOwners(set, holder, owners, [...path, 'owners']);
  }
}

/** Named in a hint; more would bury the rest. */
const MOST = 12;

function* unknownTargets(
  { declared }: SpecSet,
  holder: Holder,
  names: readonly string[],
  path: Path,
): Iterable<Problem> {
  const known = declared.get('Target') ?? new Set<string>();
  for (const [index, name] of names.entries()) {
    if (known.has(name)) continue;
    const expected = [...known].slice(0, MOST).join(', ') || 'there is no document of kind Target';
    const message = `there is no Target named \`${name}\``;
    const hint = { expected, didYouMean: suggest(name, known) };
    yield error('unknown-reference', holder.at([...path, index]), message, hint);
  }
}

/** An owner without a document today may still be intended. */
function* unknownOwners(
  { documents }: SpecSet,
  holder: Holder,
  names: readonly string[],
  path: Path,
): Iterable<Problem> {
  if (names.length === 0) return;
  const known = new Set(documents.flatMap(({ value }) => value.metadata.owner ?? []));
  for (const [index, name] of names.entries()) {
    if (known.has(name)) continue;
    const hint = { expected: [...known].slice(0, MOST).join(', '), didYouMean: suggest(name, known) };
    yield warning('unknown-owner', holder.at([...path, index]), `no document has the owner \`${name}\``, hint);
  }
}

/** A week in each season: the clocks of two zones may be apart in one and together in another. */
const seasonMs = 13 * 7 * 86_400_000;
const seasons = [0, 1, 2, 3];

/** A window of a target opens only while one of the estate is open for it, where the estate has windows for all of the target. */
function* neverOpen(set: SpecSet, today: string): Iterable<Problem> {
  const estate = (estateOf(set.documents)?.value.spec.windows ?? []).map((window) => ({
    window,
    spans: spansOf(window, today),
  }));
  for (const target of set.targets.values()) {
    const { name } = target.value.metadata;
    const here = estate.filter(({ window: { targets } }) => targets?.includes(name) ?? true);
    if (!here.some(({ window: { owners } }) => owners === undefined)) continue;
    const open = here.flatMap(({ spans }) => spans);
    for (const [index, window] of (target.value.spec.windows ?? []).entries()) {
      const own = spansOf(window, today);
      if (own.length === 0 || own.some((span) => open.some((other) => overlap(span, other)))) continue;
      const message = `the window \`${window.name}\` never opens: no window of the estate is open then`;
      const expected = 'hours within a window of the estate';
      yield warning('never-opens', target.at(['spec', 'windows', index]), message, { expected });
    }
  }
}

/** None where another check has found an error. */
function spansOf(window: ChangeWindow, today: string): readonly Span[] {
  if (!isTimeZone(window.timeZone) || window.from === window.to) return [];
  return seasons.flatMap((season) => [...spansFrom(window, startOf(today) + season * seasonMs)]);
}

const overlap = (a: Span, b: Span): boolean => a.from < b.to && b.from < a.to;
