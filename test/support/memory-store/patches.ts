import { type LifetimeDecision, lifetimesAfter } from '../../../src/core/ttl.ts';
import type { Clock } from '../../../src/ports/clock-and-log.ts';
import type { Lifetimes, PatchDecision, Patches } from '../../../src/ports/fleet-state.ts';
import { type Generation, Overtaken } from '../../../src/ports/knowledge.ts';
import { endDocumentNote, endPatchNote, noteBody, patchNote } from '../../../src/store/ledger-entries.ts';
import { append, type EstateMemory, estateOf, type Memory, type PatchMemory } from './memory.ts';

export function memoryPatches(memory: Memory, clock: Clock): Patches {
  const activeIn = (estate: EstateMemory): readonly PatchMemory[] =>
    estate.patches.filter(({ end }) => end === undefined);
  return {
    active: async (name) =>
      activeIn(estateOf(memory, name)).map(({ patch }) => ({
        ...structuredClone(patch),
        isOver: patch.until <= clock.now(),
      })),
    ended: async (name, most) =>
      estateOf(memory, name)
        .patches.flatMap(({ patch, end }) => (end === undefined ? [] : [{ ...structuredClone(patch), end }]))
        .toSorted((a, b) => b.end.at - a.end.at || b.id - a.id)
        .slice(0, most),
    next: async (name) => Math.max(0, ...estateOf(memory, name).patches.map(({ patch }) => patch.id)) + 1,
    due: async () =>
      [...memory.estates.values()]
        .filter((estate) => activeIn(estate).some(({ patch }) => patch.until <= clock.now()))
        .map(({ name }) => name)
        .sort(),
  };
}

export function decide(
  memory: EstateMemory,
  { holding, begins, ends }: PatchDecision,
  { number, revision }: Pick<Generation, 'number' | 'revision'>,
  at: number,
): void {
  const active = memory.patches.filter(({ end }) => end === undefined);
  const after = active.map(({ patch }) => patch.id).filter((id) => !ends.some((end) => end.id === id));
  const wanted = holding.filter((id) => id !== begins?.id);
  const isKnown = ends.every(({ id }) => active.some(({ patch }) => patch.id === id));
  if (!isKnown || after.length !== wanted.length || !wanted.every((id) => after.includes(id)))
    throw new Overtaken(memory.name, number - 1, number, 'patch');
  const note = (body: Readonly<Record<string, unknown>>) =>
    append(memory, { at, type: 'note', body: noteBody(memory.name, body) });
  for (const { id, ...end } of ends) {
    const one = active.find(({ patch }) => patch.id === id);
    if (one === undefined) continue;
    one.end = { ...end, at };
    note(endPatchNote(one.patch, end, { number, revision }));
  }
  if (begins === undefined) return;
  const { isOver: _, ...patch } = structuredClone(begins);
  memory.patches.push({ patch });
  note(patchNote(begins, { number, revision }));
}

export const memoryLifetimes = (memory: Memory, clock: Clock): Lifetimes => ({
  list: async (name) =>
    estateOf(memory, name)
      .lifetimes.map((one) => {
        const until = one.since + one.ttlMs;
        return { ...one, until, isOver: until <= clock.now() };
      })
      .toSorted((a, b) => a.until - b.until || (a.document < b.document ? -1 : 1)),
  due: async () =>
    [...memory.estates.values()]
      .filter(({ lifetimes }) =>
        lifetimes.some(({ since, ttlMs, endedAt }) => endedAt === undefined && since + ttlMs <= clock.now()),
      )
      .map(({ name }) => name)
      .sort(),
});

export function decideLifetimes(
  memory: EstateMemory,
  decision: LifetimeDecision | undefined,
  { number, revision }: Pick<Generation, 'number' | 'revision'>,
  at: number,
): void {
  const before = memory.lifetimes;
  const unasked = before.length === 0 ? [] : undefined;
  const after = decision === undefined ? unasked : lifetimesAfter(before, decision, { number, at });
  if (after === undefined) throw new Overtaken(memory.name, number - 1, number, 'lifetime');
  memory.lifetimes = after;
  for (const one of after) {
    const ended = before.find(({ document }) => document === one.document)?.endedAt;
    if (one.endedAt !== undefined && one.endedAt !== ended)
      append(memory, { at, type: 'note', body: noteBody(memory.name, endDocumentNote(one, { number, revision })) });
  }
}
