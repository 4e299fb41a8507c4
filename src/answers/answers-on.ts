import type { Answers } from '../ports/answers.ts';
import { approvalsOn } from './approvals.ts';
import { driftOf } from './drift.ts';
import { explained } from './explained.ts';
import { type Grounds, surveyInForce } from './opened.ts';
import { originsAt } from './origins-at.ts';
import { pausesOn } from './pauses.ts';
import { plansOn } from './plans.ts';
import { seenOf } from './sight.ts';

/** What is asked about estates, answered out of a store. */
export const answersOn = (grounds: Grounds): Answers => ({
  drift: async (asked) => {
    const survey = await surveyInForce(asked, grounds);
    return seenOf(survey, driftOf(survey), asked);
  },
  explain: (asked) => explained(asked, grounds),
  origins: (row) => originsAt(row, grounds),
  approvals: approvalsOn(grounds),
  pauses: pausesOn(grounds),
  plans: plansOn(grounds),
});
