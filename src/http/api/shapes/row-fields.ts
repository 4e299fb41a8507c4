import { z } from 'zod';
import { claims } from '../../../core/inventory/ownership.ts';
import { type Claim, statuses } from '../../../core/inventory/row.ts';
import { clouds } from '../../../core/resource.ts';
import { causeShape, kindShape, verbShape } from './action.ts';
import { exampleOf, story } from './examples.ts';
import { moment } from './moment.ts';
import { touchedShape } from './touched.ts';

/** Of lines, some of which are not there. */
export const rowClaims = [...claims, 'none'] as const satisfies readonly Claim[];

export const statusShape = z.enum(statuses).meta({
  description:
    'InSync: as wanted; Drifted: the cloud was changed behind our back; Missing: it is gone behind our back; Pending: the specs moved; Settling: written, or begun, and not to be seen yet; Blocked: what it needs is not there, not known or not allowed; Failed: a person must act; Unmanaged: nobody claims it, or somebody else does; Orphan: ours, and no document wants it; Paused: a person holds it still.',
});

/** Which look a line rests on, and whether the newest one could tell of its kind. */
export const rowLook = { at: moment, ageSeconds: z.int(), complete: z.boolean() } as const;

export const nextBody = {
  verb: verbShape,
  cause: causeShape,
  held: z.string().optional().meta({ description: 'Why it is not done' }),
} as const;

export const rowBody = {
  address: z.string().optional().meta({ description: 'Our name; where it is ours, or wanted' }),
  id: z.string().optional().meta({ description: "The cloud's name; where it stands" }),
  name: z.string(),
  kind: kindShape,
  cloud: z.enum(clouds),
  account: z.string(),
  region: z.string().meta({ description: "Region, zone or location; '' where it is global" }),
  scope: z.string(),
  estate: z.string(),
  targets: z.array(z.string()),
  claim: z.enum(rowClaims).meta({ description: 'Whose it is; none: a document wants it, and it is not there' }),
  owner: z.string().optional().meta({ description: 'Of its documents, or of those it had; never read from the cloud' }),
  labels: z.record(z.string(), z.string()),
  status: statusShape,
  reason: z.string().meta({ description: 'A sentence; what to do next where there is something to do' }),
  code: z.string().optional(),
  since: moment,
  generation: z.int().meta({ description: 'The newest that it was found in step with; 0: none' }),
  by: touchedShape.optional(),
  nextAttempt: moment.optional().meta({ description: 'When its scope has its next pass, at the latest' }),
} as const;

const fields = z.object(rowBody);

export const rowExample: z.output<typeof fields> = {
  address: story.address,
  id: story.machine,
  name: 'web-0',
  kind: 'instance',
  cloud: 'aws',
  account: '111122223333',
  region: 'eu-west-1',
  scope: story.scope,
  estate: story.estate,
  targets: [story.target],
  claim: 'ours',
  owner: 'team-web',
  labels: { Name: 'web-0', tier: 'test' },
  status: 'Drifted',
  reason: `It was changed on the cloud: labels.tier. Its mode is plan: a person applies it, or approves it with: setpoint approve.`,
  code: 'mode',
  since: story.lookedAt,
  generation: 7,
  by: exampleOf(touchedShape),
  nextAttempt: story.nextAt,
};
