import { ranOf } from '../../../src/core/plan/total.ts';
import type { Approval, Approvals } from '../../../src/ports/approvals.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { noteBody } from '../../../src/store/entry-body.ts';
import { approvalNote } from '../../../src/store/fleet-notes.ts';
import { spentBy } from './counted.ts';
import { whereKey } from './fleet-memory.ts';
import { append, estateOf, type Memory } from './memory.ts';

export const memoryApprovals = (memory: Memory, clock: Clock): Approvals => ({
  give: async (draft) => {
    const body = noteBody(draft.estate, approvalNote(draft));
    const estate = estateOf(memory, draft.estate);
    const ran = ranOf(spentBy(estate, draft.generation, clock.now()));
    const seq = append(estate, { at: clock.now(), type: 'note', body });
    const approval = { ...structuredClone(draft), seq, ran };
    memory.fleet.approvals.push(approval);
    return approval;
  },
  inForce: async (where) =>
    ofNewest(memory, where.estate).filter((one) => whereKey(one) === whereKey(where) && one.until > clock.now()),
  given: async (estate) => ofNewest(memory, estate),
});

function ofNewest(memory: Memory, name: string): readonly Approval[] {
  const newest = estateOf(memory, name).generations.at(-1)?.number;
  return memory.fleet.approvals.filter(({ estate, generation }) => estate === name && generation === newest);
}
