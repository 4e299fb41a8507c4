import type { Approvals } from '../../../src/ports/approvals.ts';
import type { Clock } from '../../../src/ports/clock.ts';
import { noteBody } from '../../../src/store/entry-body.ts';
import { approvalNote } from '../../../src/store/fleet-notes.ts';
import { whereKey } from './fleet-memory.ts';
import { append, estateOf, type Memory } from './memory.ts';

export const memoryApprovals = (memory: Memory, clock: Clock): Approvals => ({
  give: async (draft) => {
    const body = noteBody(draft.estate, approvalNote(draft));
    const seq = append(estateOf(memory, draft.estate), { at: clock.now(), type: 'note', body });
    const approval = { ...structuredClone(draft), seq };
    memory.fleet.approvals.push(approval);
    return approval;
  },
  inForce: async (where) => {
    const newest = estateOf(memory, where.estate).generations.at(-1)?.number;
    return memory.fleet.approvals
      .filter((one) => whereKey(one) === whereKey(where))
      .filter(({ generation, until }) => generation === newest && until > clock.now());
  },
});
