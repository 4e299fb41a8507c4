import { z } from 'zod';
import { kindNames } from '../../../core/kinds/kinds.ts';
import { healings } from '../../../core/plan/healing.ts';
import { fieldCategories } from '../../../core/remediation.ts';
import { deleteReasons } from '../../../core/render/plan-json.ts';
import { exampleOf, examples, story } from './examples.ts';
import { desiredSchema, documentSchema, gradeSchema, lastModifiedBySchema, observedSchema } from './resource.ts';
import { timestamp } from './timestamp.ts';

export const kindSchema = z.enum(kindNames);
export const causeSchema = z.enum(['drift', 'rollout', 'unknown']);

/** `from` absent: it is new; `to` absent: it is removed. Values are of what attributes may hold. */
export const changeSchema = z
  .object({ field: z.string(), from: z.unknown().optional(), to: z.unknown().optional() })
  .meta({ id: 'Change', description: 'One differing field' })
  .register(examples, { example: { field: 'labels.tier', from: 'test', to: 'web' } });

const healingSchema = z.enum(healings).meta({
  description: 'The fate of the change outside Setpoint that led to this; absent: there is none',
});

export const remediationSchema = z
  .object({
    value: z.enum(['propose', 'report']),
    category: z.enum(fieldCategories),
    fields: z.array(z.string()).optional().meta({ description: 'The fields of an update that it holds for' }),
    document: z.string().optional().meta({ description: 'The document that says so' }),
    file: z.string().optional(),
    line: z.int().optional(),
    previousGeneration: z
      .literal(true)
      .optional()
      .meta({ description: 'The previous generation says so, which is stricter' }),
  })
  .meta({ id: 'Remediation', description: 'Drift that Setpoint does not heal by itself' })
  .register(examples, {
    example: {
      value: 'propose',
      category: 'labels',
      fields: ['labels.tier'],
      document: 'Target aws-prod',
      file: 'aws.yaml',
      line: 9,
    },
  });

export const contestedSchema = z
  .object({
    field: z.string().meta({ description: '`rule`: of a firewall rule, all of it' }),
    times: z.int().meta({ description: 'Healings in a row' }),
    since: timestamp,
    writer: z
      .object({ actor: z.string(), action: z.string() })
      .optional()
      .meta({ description: 'As an event names it; absent: none does' }),
    from: z.string().meta({ description: 'The value of the other writer, as JSON' }),
    to: z.string().meta({ description: 'The value of the specs, as JSON' }),
    until: timestamp.optional().meta({ description: 'Healing waits until then; absent: it does not wait' }),
    workersUntil: timestamp
      .optional()
      .meta({ description: 'In a plan of a person, who heals it at once: workers wait until then' }),
  })
  .meta({ id: 'Fight', description: 'A field that somebody else writes as often as Setpoint heals it' })
  .register(examples, {
    example: {
      field: 'labels.tier',
      times: 3,
      since: story.appliedAt,
      writer: { actor: 'arn:aws:sts::111122223333:assumed-role/tagger/nightly', action: 'CreateTags' },
      from: '"cost"',
      to: '"web"',
    },
  });

const about = {
  kind: kindSchema,
  address: z.string(),
  documents: z.array(documentSchema),
  cause: causeSchema,
  criticality: gradeSchema.optional(),
  lastModifiedBy: lastModifiedBySchema.optional(),
  healing: healingSchema.optional(),
  remediation: remediationSchema.optional(),
  contested: z.array(contestedSchema).optional(),
};

const incarnated = {
  incarnation: z.int().optional().meta({ description: 'The number of earlier resources at the address; absent: none' }),
};

const between = { desired: desiredSchema, observed: observedSchema, changes: z.array(changeSchema) };

const surgeSchema = z.object({ successor: z.string(), upToDate: z.boolean(), since: z.number() }).partial().meta({
  description:
    'Setpoint launches the successor before it ends the old machine. `successor`: its id, once it exists. `upToDate`: it matches the specs.',
});

const graceSchema = z
  .object({
    phase: z.enum(['begins', 'runs', 'ends']).meta({
      description: '`begins`: nothing is deleted yet. `ends`: the grace is over, or a person deletes at once',
    }),
    forMs: z.int().optional().meta({ description: 'The length of a grace that begins' }),
    by: z.literal('person').optional().meta({ description: 'A person asked for it' }),
    since: timestamp.optional(),
    until: timestamp.optional(),
    allowed: z.boolean().optional().meta({ description: 'A person let it begin, regardless of the mode' }),
    approvals: z.array(z.int()).optional().meta({ description: 'The numbers of the approvals by which it began' }),
  })
  .meta({ id: 'DeletionGrace', description: 'The time in which the object still runs; absent: there is none' });

const actionWith = <E extends z.ZodRawShape>(extra: E) =>
  z.discriminatedUnion('verb', [
    z.object({
      verb: z.literal('create'),
      ...about,
      ...extra,
      ...incarnated,
      desired: desiredSchema,
      reason: z.literal('absent'),
    }),
    z.object({
      ...{ verb: z.literal('update'), ...about, ...extra, ...between, effect: z.enum(['in-place', 'stops']) },
      restarts: z
        .literal(true)
        .optional()
        .meta({ description: 'It starts a machine that an interrupted update by Setpoint stopped' }),
      retires: z
        .literal(true)
        .optional()
        .meta({ description: 'It stops a machine for the grace of its deletion, as its document wanted' }),
    }),
    z.object({
      verb: z.literal('replace'),
      ...about,
      ...extra,
      ...incarnated,
      ...between,
      surge: surgeSchema.optional(),
    }),
    z.object({
      verb: z.literal('delete'),
      ...about,
      ...extra,
      observed: observedSchema,
      reason: z.enum(Object.values(deleteReasons)),
      grace: graceSchema.optional(),
      owners: z.array(z.string()).optional(),
    }),
    z.object({ verb: z.literal('adopt'), ...about, ...extra, ...between }),
    z.object({ verb: z.literal('forget'), ...about, ...extra, id: z.string(), reason: z.literal('gone') }),
  ]);

export const actionSchema = actionWith({})
  .meta({ id: 'Action', description: 'One change to one resource' })
  .register(examples, {
    example: {
      verb: 'update',
      kind: 'instance',
      address: story.address,
      documents: [exampleOf(documentSchema)],
      cause: 'drift',
      lastModifiedBy: exampleOf(lastModifiedBySchema),
      healing: 'undoes',
      desired: exampleOf(desiredSchema),
      observed: exampleOf(observedSchema),
      changes: [exampleOf(changeSchema)],
      effect: 'in-place',
    },
  });

export const verbSchema = z.enum(['create', 'update', 'replace', 'delete', 'adopt', 'forget']);

/** Also of a deletion that only began its grace. */
export const doneVerbSchema = z.enum([...verbSchema.options, 'tombstone']);

const reasonFields = {
  reason: z.string().meta({ description: 'A sentence, with the next step if there is one' }),
  scope: z.string(),
  criticality: gradeSchema.optional(),
  lastModifiedBy: lastModifiedBySchema.optional(),
  healing: healingSchema.optional(),
};

const blockCode = z.enum([
  'not-observed',
  'unknown-region',
  'pending',
  'duplicate-claim',
  'name-taken',
  'owned-by',
  'immutable',
  'adopt-missing',
  'undeclared-rules',
  'depends',
  'non-convergent',
  'foreign-store',
  'lost-commits',
]);

const withholdCode = z.enum([
  'protect',
  'limit',
  'mode',
  'retain',
  'depends',
  'adopted-in-store-only',
  'stale',
  'destructive-drift',
  'quota',
  'backoff',
  'paused',
  'wave',
  'rollout-stopped',
  'failed-launches',
  'lost-commits',
  'data-disks',
  'policy',
  'window',
  'freeze',
  'remediation',
  'grace',
  'patch',
  'approvals',
  'contested',
]);

const requirementsSchema = z
  .array(
    z.object({
      people: z.int().meta({ description: 'The number of different people who must approve it' }),
      role: z.string().optional().meta({ description: 'The approval role that each of them must have; absent: any' }),
      reason: z.string(),
      approvals: z.array(z.object({ actor: z.string(), until: timestamp })).meta({ description: 'So far' }),
    }),
  )
  .meta({ description: 'Of the code `approvals`: the approvals that are missing' });

const withholdingSchema = z
  .object({
    code: withholdCode,
    reason: z.string().meta({ description: 'A sentence, with the next step if there is one' }),
    until: timestamp.optional().meta({ description: 'The end of its grace; absent: it has none' }),
    requirements: requirementsSchema.optional(),
  })
  .meta({ id: 'Withholding', description: 'The reason that no worker carries the change out now' });

/** In a plan. */
export const plannedActionSchema = actionWith({
  digest: z.string().meta({ description: 'A hash of the change' }),
  scope: z.string(),
  withheld: withholdingSchema.optional().meta({ description: 'Only of drift; absent: workers carry it out' }),
})
  .meta({ id: 'PlannedAction', description: 'One change to one resource, in a plan' })
  .register(examples, { example: { ...exampleOf(actionSchema), digest: story.actionDigest, scope: story.scope } });

/** A fact that leads to no action, with its reason. */
export const findingSchema = z
  .discriminatedUnion('type', [
    z.object({
      type: z.enum(['unmanaged', 'orphan', 'copied-mark', 'unrecorded-mark']),
      ...reasonFields,
      id: z.string(),
      kind: kindSchema,
      name: z.string(),
      parent: z.string().optional().meta({ description: 'The owned resource that it belongs to' }),
    }),
    z.object({
      type: z.enum(['blocked', 'non-convergent']),
      ...reasonFields,
      address: z.string(),
      kind: kindSchema,
      code: blockCode,
    }),
    z.object({
      type: z.literal('withheld'),
      ...reasonFields,
      address: z.string(),
      kind: kindSchema,
      action: verbSchema,
      code: withholdCode,
      cause: z.literal('drift').optional().meta({ description: 'The cause of the action; absent: another one' }),
      remediation: remediationSchema.optional(),
      until: timestamp.optional().meta({ description: 'The end of its grace; absent: it has none' }),
      requirements: requirementsSchema.optional(),
      contested: z.array(contestedSchema).optional(),
    }),
    z.object({ type: z.literal('incomplete'), ...reasonFields, kind: kindSchema, code: z.string() }),
    z.object({ type: z.enum(['wrong-account', 'foreign-store']), ...reasonFields }),
  ])
  .meta({ id: 'Finding', description: 'A fact that leads to no action, with its reason' });
