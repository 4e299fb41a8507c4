import { z } from 'zod';
import { boundsFor } from '../../../core/access/grant.ts';
import { assignmentJson, commentJson } from '../../../core/render/resource-note.ts';
import type { ExpectedAssignment } from '../../../ports/fleet-state.ts';
import type { AssignmentWord, ResourceNoteAnswers } from '../../../ports/queries.ts';
import { orDeclinedProblem } from '../../problem.ts';
import { estateField, reasonField, resolveEstate } from '../fields.ts';
import { type Caller, type Route, route } from '../route.ts';
import { endedAssignmentSchema, newAssignmentSchema, newCommentSchema } from '../schemas/resource-note.ts';

export interface ResourceNotesDependencies {
  readonly resourceNotes: ResourceNoteAnswers;
  estates(): Promise<readonly string[]>;
}

export const resourceNotesRoutes = (dependencies: ResourceNotesDependencies): readonly Route[] => [
  assign(dependencies),
  endAssignment(dependencies),
  comment(dependencies),
];

const subjectFields = {
  estate: estateField,
  address: z
    .string()
    .min(1)
    .max(1000)
    .meta({ description: 'The address of a resource of the inventory, or a unique end of it' }),
};

const assignmentBody = z.strictObject({
  ...subjectFields,
  reason: reasonField.optional(),
  expected: z
    .strictObject({ actor: z.string().max(1000), at: z.iso.datetime({ offset: true }) })
    .nullable()
    .optional()
    .meta({
      description:
        'The assignment that you saw; null: you saw none. If another stands, Setpoint changes nothing and answers 409 with its `assignment`. Absent: whichever stands',
    }),
});

const wordOf = (
  { estate: _, expected, ...word }: z.output<typeof assignmentBody>,
  { person }: Caller,
): AssignmentWord => ({ ...word, person, ...(expected === undefined ? {} : { expected: expectedOf(expected) }) });

const expectedOf = (seen: { readonly actor: string; readonly at: string } | null): ExpectedAssignment =>
  seen === null ? 'none' : { person: seen.actor, at: Date.parse(seen.at) };

/** The caller's part of the estate that a body names. */
async function askedBy(
  asked: string | undefined,
  caller: Caller,
  { estates }: Pick<ResourceNotesDependencies, 'estates'>,
) {
  const estate = await resolveEstate({ asked, in: 'body', permission: 'plan' }, caller, estates);
  return { estate, seen: boundsFor(caller.grants, 'read'), mine: boundsFor(caller.grants, 'plan') };
}

const assign = ({ resourceNotes, ...dependencies }: ResourceNotesDependencies): Route =>
  route({
    method: 'POST',
    path: '/v1/assignments',
    operation: {
      id: 'assign',
      tag: 'Inventory',
      summary: 'Take a resource on',
      description:
        'It replaces the assignment of another person, and changes nothing else. The first complete observation that finds the resource in sync ends it.',
      responses: { 201: { description: 'The resource is assigned to you', schema: newAssignmentSchema } },
    },
    permission: 'plan',
    request: { body: assignmentBody },
    handle: async ({ body, context: { caller } }) => {
      const asked = await askedBy(body.estate, caller, dependencies);
      const made = resourceNotes.assign(asked, wordOf(body, caller));
      const { assignment, replaced } = await orDeclinedProblem(made);
      const answer = { estate: asked.estate, assignment: assignmentJson(assignment) };
      return { status: 201, body: { ...answer, ...(replaced && { replaced: assignmentJson(replaced) }) } };
    },
  });

const endAssignment = ({ resourceNotes, ...dependencies }: ResourceNotesDependencies): Route =>
  route({
    method: 'POST',
    path: '/v1/assignments/end',
    operation: {
      id: 'endAssignment',
      tag: 'Inventory',
      summary: 'End the assignment of a resource, your own or of somebody else',
      responses: { 200: { description: 'Nobody has taken the resource on', schema: endedAssignmentSchema } },
    },
    permission: 'plan',
    request: { body: assignmentBody },
    handle: async ({ body, context: { caller } }) => {
      const asked = await askedBy(body.estate, caller, dependencies);
      const ended = await orDeclinedProblem(resourceNotes.endAssignment(asked, wordOf(body, caller)));
      return { status: 200, body: { estate: asked.estate, ...(ended && { ended: assignmentJson(ended) }) } };
    },
  });

const comment = ({ resourceNotes, ...dependencies }: ResourceNotesDependencies): Route =>
  route({
    method: 'POST',
    path: '/v1/comments',
    operation: {
      id: 'comment',
      tag: 'Inventory',
      summary: 'Comment on a resource',
      description: 'Nobody can change or remove it, as it is an entry of the ledger. Write no secrets.',
      responses: { 201: { description: 'The comment', schema: newCommentSchema } },
    },
    permission: 'plan',
    request: {
      body: z.strictObject({ ...subjectFields, text: reasonField.meta({ description: 'The ledger records it' }) }),
    },
    handle: async ({ body: { estate: named, ...word }, context: { caller } }) => {
      const asked = await askedBy(named, caller, dependencies);
      const made = await orDeclinedProblem(resourceNotes.comment(asked, { ...word, person: caller.person }));
      return { status: 201, body: { estate: asked.estate, comment: commentJson(made) } };
    },
  });
