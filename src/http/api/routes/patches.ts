import { z } from 'zod';
import { boundsFor } from '../../../core/access/grant.ts';
import { type EndedPatch, fieldText, type Patch } from '../../../core/patch.ts';
import { effectJson } from '../../../core/render/effect.ts';
import { planJson } from '../../../core/render/plan-json.ts';
import { policiesJson } from '../../../core/render/policies.ts';

import type { BegunPatch, PatchAnswers } from '../../../ports/queries.ts';
import { badInput, orDeclinedProblem, ProblemError } from '../../problem.ts';
import { sha256 } from '../../sha256.ts';
import { estateField, reasonField, resolveEstate } from '../fields.ts';
import { type Caller, posterOf, type Route, route } from '../route.ts';
import { findingSchema, plannedActionSchema } from '../schemas/action.ts';
import { exampleOf, examples, story } from '../schemas/examples.ts';
import { effectSchema, plannedActions, policyViolationSchema } from '../schemas/plan.ts';
import { timestamp } from '../schemas/timestamp.ts';

export interface PatchesDependencies {
  readonly patches: PatchAnswers;
  estates(): Promise<readonly string[]>;
}

const fieldName = z.string().min(1).max(500);

const patchFields = {
  id: z.int(),
  kind: z.string().meta({ description: 'Of the document' }),
  name: z.string().meta({ description: 'Of the document; of a group with its network' }),
  fields: z.array(
    z.object({
      field: z.string(),
      value: z.unknown().meta({ description: '`null`: the field is removed' }),
      former: z.unknown().optional().meta({ description: 'As the specs have it; absent: they do not state it' }),
    }),
  ),
  actor: z.string(),
  reason: z.string(),
  at: timestamp,
  until: timestamp,
};

const example = {
  ...{ id: 7, kind: 'Instance', name: 'web', actor: story.person, reason: 'incident 4711' },
  fields: [{ field: 'size', value: 't3.large', former: 't3.small' }],
  ...{ at: story.askedAt, until: '2027-02-01T12:00:40.000Z' },
};

const patchSchema = z
  .object({
    ...patchFields,
    expired: z.boolean().meta({ description: 'Its time is over, and no worker has ended it yet' }),
  })
  .meta({ id: 'Patch', description: 'Other values for fields of one document until a time' })
  .register(examples, { example: { ...example, expired: false } });

const endedSchema = z
  .object({
    ...patchFields,
    end: z.object({
      at: timestamp,
      type: z.enum(['expired', 'commit', 'invalid', 'person', 'replaced']),
      reason: z.string(),
      actor: z.string().optional(),
    }),
  })
  .meta({ id: 'EndedPatch', description: 'A patch that ended, and why' })
  .register(examples, {
    example: { ...example, end: { at: story.askedAt, type: 'commit', reason: 'the specs changed `size`' } },
  });

const list = z
  .object({
    estate: z.string(),
    items: z.array(patchSchema).meta({ description: 'The active patches, oldest first' }),
    ended: z.array(endedSchema).meta({ description: 'The last 20 that ended, newest first' }),
  })
  .meta({ id: 'Patches' })
  .register(examples, {
    example: { estate: story.estate, items: [exampleOf(patchSchema)], ended: [exampleOf(endedSchema)] },
  });

const begun = z
  .object({
    estate: z.string(),
    patch: patchSchema,
    revision: z.string().meta({ description: 'Of the specs with it' }),
    generation: z.int().optional().meta({ description: 'The generation that has it; absent with `preview`' }),
    actions: z.array(plannedActionSchema).meta({ description: 'Its actions by the newest observations' }),
    findings: z.array(findingSchema).meta({ description: 'Of its document alone' }),
    policies: z.array(policyViolationSchema).optional().meta({ description: 'Of its document alone; absent: none' }),
    scopes: z
      .array(z.object({ scope: z.string(), calls: z.object({ predicted: z.int() }) }))
      .meta({ description: 'The scopes of its actions and findings' }),
    effect: effectSchema.optional().meta({ description: 'Only for callers that see all of the estate' }),
    waits: z.array(z.string()).meta({ description: 'Reasons for which some of it waits' }),
    atEnd: z
      .object({ deletes: z.int(), stops: z.int() })
      .meta({ description: 'Machines that its end deletes or stops' }),
  })
  .meta({ id: 'StartedPatch' })
  .register(examples, {
    example: {
      ...{ estate: story.estate, patch: exampleOf(patchSchema), revision: story.revision, generation: 8 },
      ...{ actions: [exampleOf(plannedActionSchema)], findings: [], waits: [], atEnd: { deletes: 0, stops: 1 } },
      scopes: [{ scope: story.scope, calls: { predicted: 1 } }],
    },
  });

const ended = z
  .object({ estate: z.string(), patch: patchSchema, generation: z.int() })
  .meta({ id: 'StoppedPatch' })
  .register(examples, { example: { estate: story.estate, patch: exampleOf(patchSchema), generation: 9 } });

export const patchesRoutes = (dependencies: PatchesDependencies): readonly Route[] => [
  listed(dependencies),
  begin(dependencies),
  end(dependencies),
];

const listed = ({ patches, estates }: PatchesDependencies): Route =>
  route({
    method: 'GET',
    path: '/v1/patches',
    operation: {
      id: 'listPatches',
      tag: 'Patches',
      summary: 'List patches',
      responses: { 200: { description: 'The patches of documents that you see', schema: list } },
    },
    permission: 'read',
    request: { query: z.strictObject({ estate: estateField }) },
    handle: async ({ query, context: { caller } }) => {
      const estate = await resolveEstate({ asked: query.estate, in: 'query', permission: 'read' }, caller, estates);
      const found = await orDeclinedProblem(patches.list({ estate, seen: boundsFor(caller.grants, 'read') }));
      const { active, ended: past } = found;
      return { status: 200, body: { estate, items: active.map(patchAnswer), ended: past.map(endedAnswer) } };
    },
  });

const begin = ({ patches, estates }: PatchesDependencies): Route =>
  route({
    method: 'POST',
    path: '/v1/patches',
    operation: {
      id: 'patch',
      tag: 'Patches',
      summary: 'Change fields of one document for a while',
      description:
        'A generation with these values beside the specs. Policies, limits, modes and pauses hold for it, and its end. It replaces and deletes nothing.',
      responses: { 201: { description: 'The patch is active, or with `preview` would be', schema: begun } },
    },
    permission: 'operate',
    request: {
      body: z.strictObject({
        estate: estateField,
        address: z.string().min(1).max(1000).meta({
          description: 'The address of a document, of its only resource, or a unique end of it',
        }),
        fields: z
          .record(fieldName, z.unknown())
          .refine((given) => Object.keys(given).length > 0 && Object.keys(given).length <= 50, '1 to 50 fields')
          .meta({ description: 'Values by field as in the spec: `size`, `labels.tier`. `null` removes the field' }),
        until: z.iso.datetime({ offset: true }).meta({ description: 'At most 30 days from now' }),
        reason: reasonField,
        replace: z.int().min(1).optional().meta({ description: 'The number of a patch that it takes the place of' }),
        preview: z.boolean().optional().meta({ description: 'Judge it, and begin nothing. Default: false' }),
      }),
    },
    handle: async ({ body, context: { caller } }) => {
      const { address, reason, replace, preview = false } = body;
      const estate = await resolveEstate({ asked: body.estate, in: 'body', permission: 'operate' }, caller, estates);
      const fields = Object.entries(body.fields).map(([field, value]) => ({ field, value: boundedValue(value) }));
      const draft = { address, fields, reason, replaces: replace, preview, until: Date.parse(body.until) };
      const done = await orDeclinedProblem(
        patches.begin({ estate, ...boundsOf(caller) }, { ...draft, by: posterOf(caller) }),
      );
      return { status: 201, body: { estate, ...begunAnswer(done, estate) } };
    },
  });

const end = ({ patches, estates }: PatchesDependencies): Route =>
  route({
    method: 'POST',
    path: '/v1/patches/end',
    operation: {
      id: 'endPatch',
      tag: 'Patches',
      summary: 'End a patch before its time',
      responses: { 200: { description: 'Workers go back to the specs', schema: ended } },
    },
    permission: 'operate',
    request: { body: z.strictObject({ estate: estateField, id: z.int().min(1), reason: reasonField }) },
    handle: async ({ body, context: { caller } }) => {
      const estate = await resolveEstate({ asked: body.estate, in: 'body', permission: 'operate' }, caller, estates);
      const asked = { estate, ...boundsOf(caller), by: posterOf(caller) };
      const { patch, generation } = await orDeclinedProblem(patches.end(asked, body.id, body.reason));
      return { status: 200, body: { estate, patch: patchAnswer(patch), generation: generation.number } };
    },
  });

/** As a document may hold it: no value is nested deeper, or larger, than people write. */
function boundedValue(value: unknown): unknown {
  if (JSON.stringify(value).length <= 20_000) return value;
  throw new ProblemError(badInput([{ in: 'body', at: 'fields', expected: 'values of at most 20,000 characters' }]));
}

const boundsOf = ({ grants }: Caller) => ({ seen: boundsFor(grants, 'read'), mine: boundsFor(grants, 'operate') });

const patchAnswer = ({ isOver, ...patch }: Patch) => ({ ...sharedAnswer(patch), expired: isOver });

const sharedAnswer = ({ id, kind, name, fields, person, reason, at, until }: Omit<Patch, 'isOver'>) => ({
  ...{ id, kind, name, actor: person, reason, at, until },
  fields: fields.map(({ path, value, was }) => ({
    ...{ field: fieldText(path), value },
    ...(was === undefined ? {} : { former: was }),
  })),
});

const endedAnswer = ({ end: { at, as, why, person }, ...patch }: EndedPatch) => ({
  ...sharedAnswer(patch),
  end: { at, type: as, reason: why, ...(person === undefined ? {} : { actor: person }) },
});

const begunAnswer = (
  { patch, revision, generation, plans, effect, violations, waits, atEnd }: BegunPatch,
  estate: string,
) => ({
  patch: patchAnswer(patch),
  revision,
  ...(generation === undefined ? {} : { generation: generation.number }),
  actions: plannedActions(plans, sha256),
  findings: planJson(plans, { estate, revision }, sha256).findings,
  ...(violations.length === 0 ? {} : { policies: policiesJson(violations) }),
  // why: a caller who sees a part of the estate learns of no other scope
  scopes: plans
    .filter(({ actions, findings }) => actions.length + findings.length > 0)
    .map(({ scope, calls: { predicted } }) => ({ scope, calls: { predicted } })),
  ...(effect === undefined ? {} : { effect: effectJson(effect) }),
  waits: [...waits],
  atEnd,
});
