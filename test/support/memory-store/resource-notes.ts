import { compareText } from '../../../src/core/text.ts';
import type { Clock } from '../../../src/ports/clock-and-log.ts';
import { mostComments, type ResourceNotes } from '../../../src/ports/fleet-state.ts';
import type { KeptLook } from '../../../src/ports/inventory-rows.ts';
import type { Where } from '../../../src/ports/queue.ts';
import { assignNote, commentNote, endAssignmentNote, resourceNoteBody } from '../../../src/store/ledger-entries.ts';
import { isComplete, refuseOther, settledAt } from '../../../src/store/resource-notes.ts';
import { append, estateOf, type Memory } from './memory.ts';

export function memoryResourceNotes(memory: Memory, clock: Clock): ResourceNotes {
  const { fleet } = memory;
  type Subject = Parameters<typeof resourceNoteBody>[0];
  const isAt =
    ({ estate, address }: Subject) =>
    (one: Subject): boolean =>
      one.estate === estate && one.address === address;
  const note = (subject: Subject, said: Readonly<Record<string, unknown>>): number =>
    append(estateOf(memory, subject.estate), {
      at: clock.now(),
      type: 'note',
      body: resourceNoteBody(subject, said),
    });
  return {
    assign: async (draft, expected) => {
      const replaced = fleet.assignments.find(isAt(draft));
      refuseOther(replaced, expected);
      const assignment = { ...draft, seq: note(draft, assignNote(draft, replaced)), at: clock.now() };
      fleet.assignments = [...fleet.assignments.filter((one) => one !== replaced), assignment];
      return { assignment, ...(replaced && { replaced }) };
    },
    endAssignment: async (draft, expected) => {
      const ended = fleet.assignments.find(isAt(draft));
      if (ended === undefined) return undefined;
      refuseOther(ended, expected);
      note(draft, endAssignmentNote(draft, ended));
      fleet.assignments = fleet.assignments.filter((one) => one !== ended);
      return ended;
    },
    comment: async (draft) => {
      const comment = { ...draft, seq: note(draft, commentNote(draft)), at: clock.now() };
      const kept = [comment, ...fleet.comments.filter(isAt(draft))].slice(0, mostComments);
      fleet.comments = [...kept, ...fleet.comments.filter((one) => !isAt(draft)(one))];
      return comment;
    },
    list: async (estate, addresses) => {
      const isListed = (one: Subject): boolean => one.estate === estate && addresses.includes(one.address);
      return {
        assignments: fleet.assignments.filter(isListed).sort((a, b) => compareText(a.address, b.address)),
        comments: fleet.comments.filter(isListed).sort((a, b) => b.seq - a.seq),
      };
    },
  };
}

export function endSettledAssignments({ fleet }: Memory, { estate, scope }: Where, look: KeptLook): void {
  if (!isComplete(look)) return;
  const earlier = fleet.assignments.filter((one) => one.estate === estate && one.scope === scope && one.at <= look.at);
  const settled = new Set(settledAt(earlier, look));
  fleet.assignments = fleet.assignments.filter((one) => !settled.has(one));
}
