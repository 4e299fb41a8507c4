import { ranBefore } from '../../../src/core/plan/tally.ts';
import type { Clock } from '../../../src/ports/clock-and-log.ts';
import { type Approval, type Approvals, mostRefusals } from '../../../src/ports/fleet-state.ts';
import type { Where } from '../../../src/ports/queue.ts';
import { unspent, usable } from '../../../src/store/approvals.ts';
import { approvalNote, noteBody, refusalNote, withdrawalNote } from '../../../src/store/ledger-entries.ts';
import { append, estateOf, type Memory, spentBy } from './memory.ts';

export const memoryApprovals = (memory: Memory, clock: Clock): Approvals => ({
  give: async (draft) => {
    const body = noteBody(draft.estate, approvalNote(draft));
    const estate = estateOf(memory, draft.estate);
    const ran = ranBefore(spentBy(estate, draft.generation, clock.now()));
    const seq = append(estate, { at: clock.now(), type: 'note', body });
    const approval = { ...structuredClone(draft), seq, ...ran };
    memory.fleet.approvals.push(approval);
    estate.countEpoch += 1;
    return approval;
  },
  active: async (where) => unspent(usableApprovals(memory, where, clock.now())),
  activeIn: async (estate) => unspent(usableApprovals(memory, { estate }, clock.now())),
  ofTombstones: async (estate) => ofTombstones(memory, estate),
  given: async (estate) => ofNewest(memory, estate),
  withdrawn: async (estate) =>
    new Set(
      [...memory.fleet.withdrawn].flatMap((key) =>
        key.startsWith(`${estate} `) ? [Number(key.slice(estate.length + 1))] : [],
      ),
    ),
  withdraw: async (estate, seq, by) => {
    const active = ofNewest(memory, estate).filter(({ until }) => until > clock.now());
    const approval = [...active, ...ofTombstones(memory, estate)].find((one) => one.seq === seq);
    if (approval === undefined) return undefined;
    memory.fleet.withdrawn.add(`${estate} ${seq}`);
    const kept = estateOf(memory, estate);
    kept.guard.epoch += 1;
    append(kept, { at: clock.now(), type: 'note', body: noteBody(estate, withdrawalNote(approval, by)) });
    return approval;
  },
  refuse: async (draft) => {
    const { parts, ...word } = structuredClone(draft);
    const estate = estateOf(memory, word.estate);
    if (estate.generations.at(-1)?.number !== word.generation) return undefined;
    const made = parts.map((one) => {
      const part = { ...word, ...one };
      const body = noteBody(word.estate, refusalNote(part));
      return { ...part, seq: append(estate, { at: clock.now(), type: 'note', body }), at: clock.now() };
    });
    memory.fleet.refusals.push(...made);
    return made;
  },
  refused: async (estate, actions) => {
    const newest = estateOf(memory, estate).generations.at(-1)?.number;
    const of = memory.fleet.refusals.filter((one) => one.estate === estate && one.generation === newest);
    const byAction = new Map(
      of.flatMap((one) =>
        one.actions
          .filter((action) => actions.has(action))
          .map((action) => [JSON.stringify([one.by.person, action]), one] as const),
      ),
    );
    const found = new Set(byAction.values());
    const refusals = of.filter((one) => found.has(one));
    return { refusals: refusals.slice(-mostRefusals), truncated: refusals.length > mostRefusals };
  },
});

export function usableApprovals(
  memory: Memory,
  where: Pick<Where, 'estate'> & Partial<Pick<Where, 'scope'>>,
  now: number,
) {
  const uses = [...memory.fleet.approvedIntents.values()].filter(({ estate }) => estate === where.estate);
  return ofNewest(memory, where.estate)
    .filter((one) => (where.scope === undefined || one.scope === where.scope) && one.until > now)
    .map((approval) => {
      const own = uses.filter(({ seq }) => seq === approval.seq);
      return { ...approval, left: usable(approval.actions, own) };
    });
}

function ofNewest(memory: Memory, name: string): readonly Approval[] {
  const newest = estateOf(memory, name).generations.at(-1)?.number;
  return memory.fleet.approvals.filter(
    ({ estate, generation, seq }) =>
      estate === name && generation === newest && !memory.fleet.withdrawn.has(`${name} ${seq}`),
  );
}

function ofTombstones(memory: Memory, estate: string): readonly Approval[] {
  const intents = [...estateOf(memory, estate).scopes.values()].flatMap(({ tombstones }) =>
    [...tombstones.values()].map(({ intent }) => intent),
  );
  const seqs = [...memory.fleet.approvedIntents.values()].flatMap((use) =>
    use.estate === estate && intents.includes(use.intent) ? [use.seq] : [],
  );
  return memory.fleet.approvals.filter(
    (one) => one.estate === estate && seqs.includes(one.seq) && !memory.fleet.withdrawn.has(`${estate} ${one.seq}`),
  );
}
