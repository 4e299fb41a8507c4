import { seesAll } from '../core/access/grant.ts';
import type { ScopePlan } from '../core/action.ts';
import type { Address } from '../core/resource.ts';
import type { Answers } from '../ports/queries.ts';
import type { QueryContext } from './active-estate.ts';
import { approvalsOn } from './approvals.ts';
import { windowsOn } from './change-windows.ts';
import { driftEffect, driftOf, leftToPeople } from './drift.ts';
import { editsOn } from './edits.ts';
import { explained, originsAt } from './explain.ts';
import { patchesOn } from './patches.ts';
import { pausesOn } from './pauses.ts';
import { plansOn } from './plans.ts';
import { previewContextOn } from './preview.ts';
import { notesOf, resourceNotesOn } from './resource-notes.ts';
import { withWithheld } from './status.ts';
import { trafficOn } from './traffic.ts';
import { seenOf } from './visible-plans.ts';
import { whoWithin } from './who.ts';

/** Answers queries about estates, out of a store. */
export function answersOn(grounds: QueryContext): Answers {
  const planning = previewContextOn(grounds);
  return {
    drift: (asked) =>
      planning.line(async () => {
        const survey = await planning.survey(asked);
        const plans = await driftOf(survey);
        const planned = await withWithheld(seenOf(survey, plans, asked), asked, grounds.store);
        const drift = {
          ...planned,
          leftToPeople: await leftToPeople(survey, plans),
          notes: await notesOf(asked, addressesIn(planned.plans), grounds.store),
        };
        // why: the effect names machines of all owners
        return seesAll(asked.seen, asked.estate) ? { ...drift, effect: await driftEffect(survey, plans) } : drift;
      }),
    explain: (asked) => planning.line(() => explained(asked, planning)),
    who: (asked) => planning.line(() => whoWithin(asked, planning)),
    // why: it plans nothing, and the active specs are compiled already
    origins: (row) => originsAt(row, grounds),
    traffic: trafficOn(grounds),
    approvals: approvalsOn(planning),
    pauses: pausesOn(grounds),
    windows: windowsOn(grounds),
    patches: patchesOn(planning),
    edits: editsOn(planning),
    plans: plansOn(planning),
    resourceNotes: resourceNotesOn(grounds.store),
  };
}

const addressesIn = (plans: readonly ScopePlan[]): readonly Address[] =>
  plans.flatMap(({ actions, findings }) =>
    [...actions, ...findings].flatMap((one) => ('address' in one && one.address !== undefined ? [one.address] : [])),
  );
