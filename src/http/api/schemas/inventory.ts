import { z } from 'zod';
import { type Bounds, visibleTargets } from '../../../core/access/grant.ts';
import { claims, type Origin } from '../../../core/inventory/ownership.ts';
import { type Claim, statuses, versionChanges } from '../../../core/inventory/row.ts';
import { lastModifiedByJson, originJson } from '../../../core/render/plan-json.ts';
import { assignmentJson, commentJson } from '../../../core/render/resource-note.ts';
import { clouds } from '../../../core/resource.ts';
import type { ResourceNoteLists } from '../../../ports/fleet-state.ts';
import type { KeptRow, RowVersion } from '../../../ports/inventory-rows.ts';
import { causeSchema, changeSchema, kindSchema, verbSchema } from './action.ts';
import { exampleOf, examples, story } from './examples.ts';
import { originSchema } from './explanation.ts';
import { violationBody } from './plan.ts';
import {
  attributesByKind,
  criticalitySchema,
  desiredMachine,
  documentSchema,
  lastModifiedBySchema,
  modeSchema,
  objectOriginSchema,
  observedMachine,
} from './resource.ts';
import { assignmentSchema, commentsField } from './resource-note.ts';
import { timestamp } from './timestamp.ts';

/** The claims of the inventory, where a resource can also be missing. */
export const rowClaims = [...claims, 'none'] as const satisfies readonly Claim[];

const statusSchema = z.enum(statuses).meta({
  description:
    'InSync: it matches the specs; Drifted: it changed outside Setpoint; Missing: it was deleted outside Setpoint; Pending: the specs changed; Settling: Setpoint wrote it, and the cloud does not show it yet; Blocked: a requirement is missing, unknown or forbidden; Failed: a person must act; Unmanaged: no estate claims it, or another one does; Orphan: it is ours, and no document asks for it; Paused: a pause holds its next action.',
});

const violationSchema = z
  .object(violationBody)
  .meta({ id: 'Violation', description: 'A rule of a policy that a resource breaks' });

/** The observation that a resource rests on. `complete`: whether the newest one could list its kind. */
const rowObservation = { at: timestamp, ageSeconds: z.int(), complete: z.boolean() } as const;

const nextActionBody = {
  verb: verbSchema,
  cause: causeSchema,
  reason: z.string().optional().meta({ description: 'The reason that Setpoint withholds it' }),
} as const;

const rowBody = {
  address: z.string().optional().meta({ description: 'The name in Setpoint; absent for unmanaged resources' }),
  id: z.string().optional().meta({ description: "The cloud's name; absent if it does not exist" }),
  name: z.string(),
  kind: kindSchema,
  cloud: z.enum(clouds),
  account: z.string(),
  region: z.string().meta({ description: "Region, zone or location; '' where it is global" }),
  scope: z.string(),
  estate: z.string(),
  targets: z.array(z.string()),
  claim: z.enum(rowClaims).meta({ description: 'The claim; none: a document asks for it, and it does not exist' }),
  owner: z
    .string()
    .optional()
    .meta({ description: 'The owner in its documents, also former ones; never read from the cloud' }),
  criticality: criticalitySchema.meta({ description: 'The class of alerts' }),
  labels: z.record(z.string(), z.string()),
  origin: objectOriginSchema
    .optional()
    .meta({ description: 'The likely origin, if the object shows one and carries no mark' }),
  ignored: z
    .object({
      owner: z.string(),
      reason: z.string(),
      until: z.string().meta({ description: 'The last day, such as 2027-01-31' }),
    })
    .optional()
    .meta({ description: 'The entry of a target that leaves this unmanaged resource out of plans' }),
  violations: z
    .array(violationSchema)
    .optional()
    .meta({ description: 'The rules of policies that the object breaks as it stands on the cloud' }),
  exposed: z
    .object({
      answer: z.enum(['yes', 'no', 'unknown']),
      reason: z.string().meta({
        description: 'The ports and rules of a yes; the reason of a no; the parts that Setpoint does not evaluate',
      }),
    })
    .optional()
    .meta({
      id: 'Exposure',
      description: 'Of a machine: `yes` where the internet reaches it by its own address, as last observed',
    }),
  status: statusSchema,
  reason: z.string().meta({ description: 'A sentence, with the next step if there is one' }),
  code: z.string().optional(),
  since: timestamp,
  generation: z.int().meta({ description: 'The newest generation that it matched; 0: none' }),
  lastModifiedBy: lastModifiedBySchema.optional(),
  nextAttempt: timestamp.optional().meta({ description: 'The latest time of the next reconcile of its scope' }),
} as const;

const fields = z.object(rowBody);

const rowExample: z.output<typeof fields> = {
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
  criticality: 'normal',
  labels: { Name: 'web-0', tier: 'test' },
  status: 'Drifted',
  reason: `It was changed on the cloud: labels.tier. Its mode is plan: a person applies it, or approves it with: setpoint approve --reason "…"`,
  code: 'mode',
  since: story.lookedAt,
  generation: 7,
  lastModifiedBy: exampleOf(lastModifiedBySchema),
  nextAttempt: story.nextAt,
};

/** For `curl | jq`: flat, one line of a table. */
export const rowSchema = z
  .object({
    ...rowBody,
    next: z.object(nextActionBody).optional(),
    attributes: z
      .record(z.string(), z.json())
      .optional()
      .meta({ description: 'The observed attributes; only with `attributes=true`' }),
    observed: z.object(rowObservation),
  })
  .meta({
    id: 'Resource',
    description: 'One resource of the inventory: in the specs, on a cloud, or both',
  })
  .register(examples, {
    example: {
      ...rowExample,
      next: { verb: 'update', cause: 'drift', reason: story.held },
      observed: { at: story.lookedAt, ageSeconds: 40, complete: true },
    },
  });

/** `seen`: where who asks may read: targets beside it that they may not see are not named. */
interface RowContext {
  readonly now: number;
  readonly seen: readonly Bounds[];
  /** When its scope has its next reconcile. */
  readonly nextAt: number | undefined;
  /** Adds the attributes of the object. */
  readonly withAttributes?: boolean;
}

export function rowAnswer(
  { place, called, whose, state, sides, violations, exposed, ...kept }: KeptRow,
  { now, seen, nextAt, withAttributes = false }: RowContext,
) {
  const { address, id, name, labels } = called;
  return {
    ...{ address, id, name },
    kind: place.kind,
    cloud: place.cloud,
    account: place.account,
    region: place.region,
    scope: place.scope,
    estate: kept.estate,
    targets: visibleTargets(seen, { estate: kept.estate, targets: place.targets }),
    claim: whose.claim,
    owner: whose.owner,
    criticality: whose.criticality ?? 'normal',
    labels,
    origin: sides.observed?.origin && originJson(sides.observed.origin),
    ignored: whose.ignored,
    violations,
    exposed,
    ...stateAnswer(state),
    since: kept.since,
    next: sides.next && nextActionAnswer(sides.next),
    nextAttempt: nextAt,
    attributes: withAttributes ? sides.observed?.attributes : undefined,
    observed: { ...kept.observed, ageSeconds: Math.max(0, Math.round((now - kept.observed.at) / 1000)) },
  };
}

const stateAnswer = ({ status, reason, code, generation, by }: KeptRow['state']) => ({
  status,
  reason,
  code,
  generation,
  lastModifiedBy: by && lastModifiedByJson(by),
});

const nextActionAnswer = ({ verb, cause, held }: NonNullable<KeptRow['sides']['next']>) => ({
  verb,
  cause,
  reason: held,
});

const ofEachKind = <E extends z.ZodRawShape>(extra: E) => {
  const of = <K extends keyof typeof attributesByKind>(kind: K) =>
    z.object({ kind: z.literal(kind), attributes: attributesByKind[kind], ...extra });
  return z.discriminatedUnion('kind', [of('network'), of('subnet'), of('group'), of('firewall-rule'), of('instance')]);
};

const desiredSide = ofEachKind({
  mode: modeSchema,
  protect: z.boolean(),
  deletionPolicy: z.enum(['retain', 'delete']),
}).meta({ id: 'DesiredSide', description: 'The resource in the specs' });

const observedSide = ofEachKind({
  state: z.enum(['ready', 'pending', 'deleting', 'gone']),
  parts: z.array(z.object({ part: z.string(), id: z.string() })),
}).meta({ id: 'ObservedSide', description: 'The resource on the cloud' });

const versionSchema = z
  .object({
    number: z.int().meta({ description: 'A rising number' }),
    from: timestamp,
    until: timestamp.optional().meta({ description: 'The end of the version; absent: it is current' }),
    status: statusSchema,
    reason: z.string(),
    code: z.string().optional(),
    generation: z.int(),
    claim: rowBody.claim,
    lastModifiedBy: lastModifiedBySchema.optional(),
    changes: z
      .array(changeSchema)
      .meta({ description: 'The changes since the version before; empty for the oldest one in the answer' }),
  })
  .meta({ id: 'ResourceVersion', description: 'One version of a resource' });

const relationSchema = z
  .object({
    address: z.string().optional(),
    id: z.string().optional(),
    name: z.string(),
    kind: rowBody.kind,
    status: statusSchema,
  })
  .meta({ id: 'Relation' });

const relations = z.array(relationSchema);

export const rowDetailsSchema = z
  .object({
    ...rowBody,
    next: z
      .object({ ...nextActionBody, mode: modeSchema.optional(), at: timestamp.optional() })
      .partial()
      .meta({ description: 'The next action, its latest time, its mode, and the reason that Setpoint withholds it' }),
    documents: z.array(documentSchema).meta({ description: 'The documents that ask for it' }),
    desired: desiredSide.optional(),
    origins: z.array(originSchema).meta({ description: 'The line that set each field' }),
    observed: z.object({
      ...rowObservation,
      object: observedSide.optional().meta({ description: 'Absent: no object exists' }),
    }),
    diff: z.array(changeSchema),
    assignee: assignmentSchema.optional().meta({ description: 'The person who takes it on; absent: nobody' }),
    comments: commentsField.optional(),
    history: z.array(versionSchema).meta({ description: 'Newest first' }),
    relations: z.object({
      refersTo: relations,
      referredToBy: relations.meta({ description: 'At most 100' }),
      sameAddress: relations.meta({ description: 'Other resources at the same address' }),
    }),
  })
  .meta({ id: 'ResourceDetails', description: 'One resource of the inventory with all details' })
  .register(examples, {
    example: {
      ...rowExample,
      next: { verb: 'update', cause: 'drift', reason: story.held, mode: 'plan', at: story.nextAt },
      documents: [exampleOf(documentSchema)],
      desired: { kind: 'instance', attributes: desiredMachine, mode: 'plan', protect: false, deletionPolicy: 'retain' },
      origins: [exampleOf(originSchema)],
      observed: {
        at: story.lookedAt,
        ageSeconds: 40,
        complete: true,
        object: {
          kind: 'instance',
          attributes: observedMachine,
          state: 'ready',
          parts: [{ part: 'disk', id: 'vol-0099916a1eb4abce6' }],
        },
      },
      diff: [exampleOf(changeSchema)],
      history: [
        {
          number: 20,
          from: story.lookedAt,
          status: rowExample.status,
          reason: rowExample.reason,
          code: 'mode',
          generation: 7,
          claim: 'ours',
          lastModifiedBy: exampleOf(lastModifiedBySchema),
          changes: [
            { field: 'status', from: 'InSync', to: 'Drifted' },
            { field: 'observed.labels.tier', from: 'web', to: 'test' },
          ],
        },
        {
          number: 13,
          from: story.appliedAt,
          until: story.lookedAt,
          status: 'InSync',
          reason: 'As it is asked for.',
          generation: 7,
          claim: 'ours',
          changes: [],
        },
      ],
      relations: {
        refersTo: [
          {
            address: `${story.scope}/subnet/core.app`,
            id: 'subnet-0d9219d549b3f4d5b',
            name: 'core-app',
            kind: 'subnet',
            status: 'InSync',
          },
        ],
        referredToBy: [],
        sameAddress: [],
      },
    },
  });

interface RowDetails {
  readonly row: KeptRow;
  readonly origins: readonly Origin[];
  /** Newest first; one more than is shown, where there are so many. */
  readonly history: readonly RowVersion[];
  readonly shown: number;
  /** Absent: of the past. */
  readonly notes?: ResourceNoteLists | undefined;
  readonly relations: Readonly<Record<'refersTo' | 'referredToBy' | 'beside', readonly KeptRow[]>>;
}

export function rowDetailsAnswer({ row, origins, history, shown, ...details }: RowDetails, around: RowContext) {
  const { relations: related, notes } = details;
  const { next, observed, ...flat } = rowAnswer(row, around);
  const { kind } = row.place;
  const { desired, observed: object, diff } = row.sides;
  return {
    ...flat,
    next: { ...next, mode: desired?.mode, at: around.nextAt },
    documents: row.whose.documents,
    desired: desired && { kind, ...desired },
    origins,
    observed: {
      ...observed,
      object: object && { kind, attributes: object.attributes, state: object.state, parts: object.parts },
    },
    diff,
    assignee: notes?.assignments.map(assignmentJson)[0],
    comments: notes?.comments.map(commentJson),
    history: history.slice(0, shown).map((version, at) => versionAnswer(version, history[at + 1])),
    relations: {
      refersTo: related.refersTo.map(relationAnswer),
      referredToBy: related.referredToBy.map(relationAnswer),
      sameAddress: related.beside.map(relationAnswer),
    },
  };
}

const versionAnswer = (version: RowVersion, before: RowVersion | undefined) => ({
  ...stateAnswer(version.state),
  claim: version.whose.claim,
  number: version.number,
  from: version.from,
  until: version.until,
  changes: before === undefined ? [] : versionChanges(before, version),
});

const relationAnswer = ({ called: { address, id, name }, place, state }: KeptRow) => ({
  ...{ address, id, name },
  kind: place.kind,
  status: state.status,
});
