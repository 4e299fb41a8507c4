import { covers, visibleTargets } from '../../../src/core/access/grant.ts';
import { rowRefs } from '../../../src/core/inventory/row.ts';
import { isHeld } from '../../../src/core/inventory/withheld-changes.ts';
import { isDrift } from '../../../src/core/inventory/withheld-drift.ts';
import type { Attributes } from '../../../src/core/resource.ts';
import type { Clock } from '../../../src/ports/clock-and-log.ts';
import type {
  KeptLook,
  RowAsked,
  RowCountQuery,
  RowCounts,
  RowFilter,
  RowQuery,
  Rows,
  RowWords,
} from '../../../src/ports/inventory-rows.ts';
import type { Where } from '../../../src/ports/queue.ts';
import {
  cursorOf,
  keptRow,
  pageEndOf,
  type ReadVersion,
  rowVersion,
  withinHistory,
} from '../../../src/store/inventory-rows.ts';
import { usualHistoryMs } from '../../../src/store/retention.ts';
import { type EndedRow, type KnownRow, rowChanges, rowEvents } from '../../../src/store/write-inventory-rows.ts';
import { type Look, type Memory, publishEventsIn, type RowMemory, type Version, whereKey } from './memory.ts';
import { endSettledAssignments } from './resource-notes.ts';

export function memoryRows(memory: Memory, clock: Clock): Rows {
  const { rows } = memory;
  const within = withinHistory({ clock }, usualHistoryMs);
  return {
    keep: async (where, look) => keep(memory, where, structuredClone(look)),
    page: async (query) => page(rows, within(query)),
    count: async (query) =>
      rows.versions.filter((one) => isAt(one, undefined) && isSeen(one, query) && fits(one, query, rows)).length,
    countBy: async (query) => countBy(rows, within(query)),
    find: async (asked) =>
      named(rows, within(asked))
        .filter((one) => isAt(one, asked.asOf))
        .slice(0, 100)
        .map((one) => keptRow(read(rows, one), asked.asOf)),
    history: async ({ limit, ...asked }) => {
      within(asked);
      return rows.versions
        .filter((one) => isIn(one, asked) && one.of.row.key === asked.key)
        .filter((one) => isSeen(one, asked) && one.began <= (asked.asOf ?? one.began))
        .toSorted((a, b) => b.began - a.began || b.number - a.number)
        .slice(0, limit)
        .map((one) => rowVersion(read(rows, one), asked.asOf));
    },
    looks: async (estate) =>
      [...rows.looks.values()]
        .filter((one) => one.estate === (estate ?? one.estate) && !one.left)
        .sort((a, b) => compare([a.estate, a.scope], [b.estate, b.scope]))
        .map(({ generation: _, left: __, ...one }) => one),
  };
}

function keep(memory: Memory, where: Where, look: KeptLook): void {
  const { rows } = memory;
  const before = rows.looks.get(whereKey(where)) ?? { ...where, at: look.at, gaps: [], generation: 0 };
  if (before.at > look.at) return;
  const current = new Map(
    rows.versions.filter((one) => one.ended === null && isIn(one, where)).map((one) => [one.of.row.key, one]),
  );
  const { written, vanished, relisted, unlisted } = rowChanges(knownIn(current), look);
  const changed = written.flatMap(({ key, was }) => (was === undefined ? [] : key));
  for (const key of [...changed, ...vanished]) end(rows, current.get(key), { at: look.at, before });
  for (const { row, digest, since } of written) {
    rows.numbers += 1;
    const version = { of: { ...where, row, digest }, number: rows.numbers, since, began: look.at };
    const { generation } = row.state;
    rows.versions.push({ ...version, generation, ended: null, seen: null, listed: true });
  }
  for (const key of relisted) Object.assign(current.get(key) ?? {}, { listed: true, seen: null });
  for (const key of unlisted) unlist(current.get(key), before);
  if (look.left) leave(rows, where, before);
  const generation = look.rows.find(({ state }) => state.status === 'InSync')?.state.generation ?? before.generation;
  const looked = { ...where, at: look.at, gaps: look.gaps.map(({ kind }) => kind), generation };
  rows.looks.set(whereKey(where), look.left ? { ...before, left: true } : looked);
  endSettledAssignments(memory, where, look);
  publishEventsIn(
    memory.events,
    look.at,
    rowEvents(where, {
      written,
      replaced: changed.flatMap((key) => endedRow(current.get(key))),
      gone: vanished.flatMap((key) => endedRow(current.get(key))),
    }),
  );
}

const knownIn = (current: ReadonlyMap<string, Version>): ReadonlyMap<string, KnownRow> =>
  new Map(
    [...current].map(([key, { of, since, listed }]) => [
      key,
      { ...of.row.state, kind: of.row.place.kind, digest: of.digest, since, listed },
    ]),
  );

/** Ends a version. If it began with this same observation, it is removed. */
function end(
  rows: RowMemory,
  one: Version | undefined,
  { at, before }: { readonly at: number; readonly before: Look },
): void {
  if (one === undefined) return;
  if (one.began >= at) rows.versions = rows.versions.filter((other) => other !== one);
  one.generation = lastGeneration(one, before);
  one.ended = at;
  one.seen ??= before.at;
  one.listed &&= !before.gaps.includes(one.of.row.place.kind);
}

function unlist(one: Version | undefined, before: Look): void {
  if (one === undefined) return;
  one.generation = lastGeneration(one, before);
  one.listed = false;
  one.seen = before.at;
}

function leave({ versions }: RowMemory, where: Where, before: Look): void {
  for (const one of versions) if (one.ended === null && one.listed && isIn(one, where)) unlist(one, before);
}

const lastGeneration = ({ listed, of, generation }: Version, before: Look): number =>
  listed && of.row.state.status === 'InSync' ? before.generation : generation;

function endedRow(one: Version | undefined): readonly EndedRow[] {
  if (one === undefined) return [];
  const { key, place, called, state, whose } = one.of.row;
  const { kind, targets } = place;
  const { address = null, id = null } = called;
  return [
    {
      key,
      kind,
      targets,
      address,
      id,
      status: state.status,
      owner: whose.owner ?? '',
      criticality: whose.criticality ?? 'normal',
    },
  ];
}

function page(rows: RowMemory, query: RowQuery) {
  const { by, descending } = query.sort;
  const columns = [...(by === 'address' ? [] : [by]), 'scope', 'key', 'estate'];
  const cursor = query.after === undefined ? undefined : pageEndOf(query.after, query, columns);
  const asOf = cursor?.asOf ?? query.asOf;
  const way = descending ? -1 : 1;
  const found = rows.versions
    .filter((one) => isAt(one, asOf) && isSeen(one, query) && fits(one, { ...query, asOf }, rows))
    .map((one) => ({ one, place: placeIn(one, columns) }))
    .filter(({ place }) => cursor === undefined || way * compare(place, cursor.values) > 0)
    .toSorted((a, b) => way * compare(a.place, b.place));
  const shown = found.slice(0, query.limit);
  const last = found.length > query.limit ? shown.at(-1) : undefined;
  const next = last && cursorOf(query, { values: last.place, ...(asOf === undefined ? {} : { asOf }) });
  return {
    rows: shown.map(({ one }) => keptRow(read(rows, one), asOf)),
    ...(next === undefined ? {} : { next }),
  };
}

function placeIn({ of: { row, estate, scope }, since }: Version, columns: readonly string[]): readonly string[] {
  const said: Readonly<Record<string, string>> = {
    ...{ estate, scope, key: row.key, name: row.called.name, status: row.state.status },
    // why: as many digits each, so that texts sort as the numbers do
    since: String(since).padStart(15, '0'),
  };
  return columns.map((column) => said[column] ?? '');
}

function compare(a: readonly string[], b: readonly string[]): number {
  const at = a.findIndex((text, i) => text !== b[i]);
  if (at < 0) return 0;
  return (a[at] ?? '') < (b[at] ?? '') ? -1 : 1;
}

const isIn = ({ of }: Version, where: Where): boolean => whereKey(of) === whereKey(where);
const isAt = ({ began, ended }: Version, asOf: number | undefined): boolean =>
  asOf === undefined ? ended === null : began <= asOf && (ended === null || ended > asOf);

const isSeen = ({ of: { row, estate } }: Version, { seen }: Pick<RowQuery, 'seen'>): boolean =>
  seen.some((bounds) => covers(bounds, { estate, targets: row.place.targets, owner: row.whose.owner ?? '' }));

const named = ({ versions }: RowMemory, asked: RowAsked): readonly Version[] =>
  versions
    .filter((one) => isSeen(one, asked) && one.of.estate === (asked.estate ?? one.of.estate))
    .filter(({ of: { row } }) =>
      [asked.of].flat().some((of) => [row.key, row.called.address, row.called.id].includes(of)),
    )
    .toSorted((a, b) => compare([a.of.estate, a.of.scope, a.of.row.key], [b.of.estate, b.of.scope, b.of.row.key]));

function countBy(rows: RowMemory, query: RowCountQuery): RowCounts {
  const found = rows.versions.filter((one) => isAt(one, query.asOf) && isSeen(one, query) && fits(one, query, rows));
  const values = found.flatMap((one) => valuesOf(one, query, rows));
  const counts = [...Map.groupBy(values, (value) => value)]
    .map(([value, all]) => ({ value, count: all.length }))
    .toSorted((a, b) => b.count - a.count || compare([a.value], [b.value]));
  const shown = counts.slice(0, query.limit);
  return { total: found.length, values: shown, more: counts.length - shown.length };
}

function valuesOf(one: Version, query: RowCountQuery, rows: RowMemory): readonly string[] {
  const { row, estate, scope } = one.of;
  const { place, whose, state, exposed } = row;
  if (query.by === 'target') {
    const visible = visibleTargets(query.seen, { estate, targets: place.targets });
    return place.targets.length === 0 ? [''] : visible;
  }
  const values = {
    ...{ ...place, scope },
    status: state.status,
    criticality: whose.criticality ?? 'normal',
    claim: whose.claim,
    owner: whose.owner ?? '',
    exposed: exposed?.answer ?? '',
    network: networkOf(one, query, rows),
    origin: originOf(one, query, rows),
  };
  return [values[query.by]];
}

function originOf(one: Version, query: Pick<RowQuery, 'seen' | 'asOf'>, rows: RowMemory): string {
  const { sides, whose } = one.of.row;
  if (whose.claim !== 'unmanaged') return whose.claim;
  const attributes = sides.observed?.attributes;
  const ref = attributes !== undefined && 'match' in attributes ? attributes.group : undefined;
  const group = rows.versions.find(
    (other) =>
      isIn(other, one.of) &&
      isAt(other, query.asOf) &&
      isSeen(other, query) &&
      other.of.row.place.kind === 'group' &&
      [other.of.row.called.address, other.of.row.called.id].includes(ref ?? ''),
  );
  const origin = sides.observed?.origin ?? group?.of.row.sides.observed?.origin;
  return origin?.maker ?? origin?.why ?? 'unknown';
}

function networkOf(one: Version, query: Pick<RowQuery, 'seen' | 'asOf'>, rows: RowMemory): string {
  const { row } = one.of;
  const { kind } = row.place;
  if (kind === 'network') return row.called.address ?? row.called.id ?? '';
  const named = [row.sides.observed, row.sides.desired].flatMap((side) => refIn(side?.attributes)).at(0) ?? '';
  if (kind !== 'instance') return named;
  const subnet = rows.versions.find(
    (other) =>
      isIn(other, one.of) &&
      isAt(other, query.asOf) &&
      other.of.row.place.kind === 'subnet' &&
      (other.of.row.called.address === named || (other.of.row.called.id === named && isSeen(other, query))),
  );
  return subnet === undefined ? '' : networkOf(subnet, query, rows);
}

function refIn(attributes: Attributes[keyof Attributes] | undefined): readonly string[] {
  if (attributes === undefined) return [];
  if ('placement' in attributes) return [attributes.placement.subnet];
  return 'network' in attributes ? [attributes.network] : [];
}

function fits(one: Version, query: Pick<RowQuery, 'seen' | 'asOf' | 'filter'>, rows: RowMemory): boolean {
  const { row, estate, scope } = one.of;
  const { text = '', labels = {}, ...filter }: RowFilter & RowWords = query.filter;
  const { place, called, whose, state, violations = [] } = row;
  const violated = violations.flatMap(({ policy }) => [policy, '*']);
  const among = (values: readonly string[] | undefined, ...have: readonly string[]): boolean =>
    values === undefined || values.some((value) => have.includes(value));
  return (
    among(filter.estates, estate) &&
    among(filter.scopes, scope) &&
    among(filter.clouds, place.cloud) &&
    among(filter.accounts, place.account) &&
    among(filter.regions, place.region) &&
    among(filter.kinds, place.kind) &&
    among(filter.statuses, state.status) &&
    among(filter.claims, whose.claim) &&
    among(filter.violates, ...violated) &&
    (filter.held === undefined || isHeld(row)) &&
    (filter.drift === undefined || isDrift(row)) &&
    among(filter.exposed, row.exposed?.answer ?? '') &&
    (filter.networks === undefined || filter.networks.includes(networkOf(one, query, rows))) &&
    (filter.origins === undefined || filter.origins.includes(originOf(one, query, rows))) &&
    among(filter.owners, whose.owner ?? '') &&
    among(filter.criticalities, whose.criticality ?? 'normal') &&
    among(filter.targets, ...(place.targets.length === 0 ? [''] : place.targets)) &&
    among(filter.refersTo, ...rowRefs(row)) &&
    Object.entries(labels).every(([key, value]) => isLabelled(called.labels[key], value)) &&
    [called.address ?? '', called.name, called.id ?? '', ...Object.values(called.labels)].some((word) =>
      word.toLowerCase().includes(text.toLowerCase()),
    )
  );
}

const isLabelled = (has: string | undefined, value: string): boolean =>
  has !== undefined && (value === '' || has === value);

function read(rows: RowMemory, { of, ...version }: Version): ReadVersion {
  const { at = 0, gaps = [], generation = 0 } = rows.looks.get(whereKey(of)) ?? {};
  const look = { look_at: at, look_gaps: gaps, look_generation: generation };
  return { ...version, ...look, estate: of.estate, body: structuredClone(of.row) };
}
