import type { Answers } from '../ports/answers.ts';
import { approvalsOn } from './approvals.ts';
import { driftOf } from './drift.ts';
import { explained, originsAt } from './explain.ts';
import type { Grounds } from './active-estate.ts';
import { pausesOn } from './pauses.ts';
import { planningOn } from './preview.ts';
import { plansOn } from './plans.ts';
import { seenOf } from './visibility.ts';
import { withWithheld } from './status.ts';

/** What is asked about estates, answered out of a store. */
export function answersOn(grounds: Grounds): Answers {
  const planning = planningOn(grounds);
  return {
    drift: (asked) =>
      planning.line(async () => {
        const survey = await planning.survey(asked);
        return withWithheld(seenOf(survey, await driftOf(survey), asked), asked, grounds.store);
      }),
    explain: (asked) => planning.line(() => explained(asked, planning)),
    // why: it plans nothing, and the specs in force are compiled already
    origins: (row) => originsAt(row, grounds),
    approvals: approvalsOn(planning),
    pauses: pausesOn(grounds),
    plans: plansOn(planning),
  };
}
