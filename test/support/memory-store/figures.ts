import { covers } from '../../../src/core/access/grant.ts';
import type { Kind } from '../../../src/core/resource.ts';
import type {
  Figures,
  HistoryPart,
  HistoryQuery,
  Objective,
  ObjectivesQuery,
  ScopeFigures,
} from '../../../src/ports/figures.ts';
import type { Memory, RowMemory } from './memory.ts';

type Version = RowMemory['versions'][number];

export function memoryFigures({ rows, estates }: Memory): Figures {
  const within = (estate: string, seen: ObjectivesQuery['seen']) => (one: Version) =>
    one.of.estate === estate &&
    seen.some((bounds) =>
      covers(bounds, { estate, targets: one.of.row.place.targets, owner: one.of.row.whose.owner ?? '' }),
    );
  return {
    scopes: async (estate, seen) => {
      const found = rows.versions.filter((one) => one.ended === null && within(estate, seen)(one));
      return [...(estates.get(estate)?.scopes ?? [])]
        .flatMap(([scope, { looked }]) => (looked === undefined ? [] : [{ scope, at: looked.at, gaps: looked.gaps }]))
        .map((look): ScopeFigures => ({ ...look, counts: counted(found.filter(({ of }) => of.scope === look.scope)) }))
        .sort((a, b) => (a.scope < b.scope ? -1 : 1));
    },
    objectives: async (query) => {
      const lines = rows.versions
        .filter(within(query.estate, query.seen))
        .filter(({ of }) => !['Unmanaged', 'Orphan'].includes(of.row.state.status));
      return objectives(lines, query);
    },
    history: async (query) => {
      const lines = rows.versions
        .filter(within(query.estate, query.seen))
        .filter(({ of }) => !['Unmanaged', 'Orphan'].includes(of.row.state.status));
      return historyOf(lines, query);
    },
    seen: async (estate, addresses, seen) => {
      const known = Map.groupBy(
        rows.versions.filter(({ of }) => of.estate === estate),
        ({ of }) => of.row.called.address,
      );
      const isWithin = within(estate, seen);
      const found = new Map<string, number>();
      for (const address of addresses) {
        const versions = known.get(address) ?? [];
        const newest = versions.at(-1);
        if (newest === undefined || !isWithin(newest)) continue;
        const others = versions.filter((one) => !isWithin(one)).map(({ ended }) => ended ?? Number.MAX_SAFE_INTEGER);
        found.set(address, Math.max(0, ...others));
      }
      return found;
    },
  };
}

function counted(versions: readonly Version[]): ScopeFigures['counts'] {
  const all = versions.flatMap(({ of: { row } }) =>
    row.place.targets.map((target) => ({ target, status: row.state.status })),
  );
  return [...Map.groupBy(all, ({ target, status }) => `${target} ${status}`).values()]
    .flatMap((same) => same.slice(0, 1).map((one) => ({ ...one, count: same.length })))
    .sort((a, b) => (`${a.target} ${a.status}` < `${b.target} ${b.status}` ? -1 : 1));
}

function objectives(versions: readonly Version[], query: ObjectivesQuery): readonly Objective[] {
  const alive = versions.filter(({ ended }) => ended === null || ended > query.since);
  const keys = alive.flatMap(({ of: { row } }) => row.place.targets.map((target) => `${target} ${row.place.kind}`));
  return [...new Set(keys)].sort().map((key) => {
    const [target = '', kind = ''] = key.split(' ');
    const isHere = ({ of: { row } }: Version): boolean => row.place.kind === kind && row.place.targets.includes(target);
    const here = alive.filter(isHere);
    const ms = (all: readonly Version[]): number =>
      all.reduce((sum, one) => sum + (one.ended ?? query.now) - Math.max(one.began, query.since), 0);
    return {
      target,
      // why: made of one a few lines above
      kind: kind as Kind,
      resources: new Set(here.map(lineOf)).size,
      time: { ms: ms(here), inSyncMs: ms(here.filter(isInSync)) },
      spells: spellsOf(
        [...Map.groupBy(versions, lineOf).values()].flatMap(spellsIn).filter(({ first }) => isHere(first)),
        query,
      ),
    };
  });
}

/** Part by part, from all versions. */
function historyOf(versions: readonly Version[], { since, now, parts }: HistoryQuery): readonly HistoryPart[] {
  const length = (now - since) / parts;
  const all = [...Map.groupBy(versions, lineOf).values()].flatMap(spellsIn);
  return Array.from({ length: parts }, (_, part): HistoryPart => {
    const [from, to] = [since + part * length, since + (part + 1) * length];
    const isLast = part === parts - 1;
    const isIn = (at: number): boolean => at >= from && (at < to || (isLast && at === to));
    // why: a moment between two parts belongs to the later one
    const stand = versions.filter(({ began, ended }) =>
      isLast ? began <= to && (ended ?? Infinity) > to : began < to && (ended ?? Infinity) >= to,
    );
    const ms = (some: readonly Version[]): number =>
      some.reduce((sum, one) => sum + Math.max(0, Math.min(one.ended ?? now, to) - Math.max(one.began, from)), 0);
    const ended = all.flatMap(({ first, end }) =>
      typeof end === 'number' && end > since && isIn(end) ? [end - first.began] : [],
    );
    const p95Ms = ended.toSorted((a, b) => a - b)[Math.max(0, Math.ceil(0.95 * ended.length) - 1)];
    return {
      ...{ since: from, until: to, resources: stand.length },
      outOfSync: stand.filter((one) => !isInSync(one)).length,
      time: { ms: ms(versions), inSyncMs: ms(versions.filter(isInSync)) },
      drifted: all.filter(({ first }) => isIn(first.began) && isDrift(first)).length,
      closed: ended.length,
      ...(p95Ms === undefined ? {} : { p95Ms }),
    };
  });
}

const lineOf = ({ of }: Version): string => `${of.scope} ${of.row.key}`;
const isInSync = ({ of }: Version): boolean => of.row.state.status === 'InSync';

interface Spell {
  readonly first: Version;
  readonly end: number | 'open' | 'gone';
}

function spellsIn(line: readonly Version[]): readonly Spell[] {
  return line.flatMap((first, at): readonly Spell[] => {
    const before = line[at - 1];
    if (isInSync(first) || (before !== undefined && !isInSync(before))) return [];
    const next = line.slice(at).find(isInSync);
    if (next !== undefined) return [{ first, end: next.began }];
    return [{ first, end: line.at(-1)?.ended === null ? 'open' : 'gone' }];
  });
}

function spellsOf(spells: readonly Spell[], { since }: ObjectivesQuery): Objective['spells'] {
  const times = spells
    .flatMap(({ first, end }) => (typeof end === 'number' && end > since ? [end - first.began] : []))
    .sort((a, b) => a - b);
  const open = spells.filter(({ end }) => end === 'open').map(({ first }) => first.began);
  const part = (of: number): number => times[Math.max(0, Math.ceil(of * times.length) - 1)] ?? 0;
  return {
    drifted: spells.filter(({ first }) => first.began >= since && isDrift(first)).length,
    closed: times.length,
    ...(times.length === 0 ? {} : { times: { p50Ms: part(0.5), p95Ms: part(0.95), maxMs: part(1) } }),
    open: open.length,
    ...(open.length === 0 ? {} : { openSince: Math.min(...open) }),
  };
}

const isDrift = ({ of: { row } }: Version): boolean =>
  row.sides.next?.cause === 'drift' || ['Drifted', 'Missing'].includes(row.state.status);
