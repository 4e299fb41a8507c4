import { z } from 'zod';
import { boundsFor, mayDo } from '../../../core/access/grant.ts';
import { day, freeText } from '../../../core/documents/fields.ts';
import type { EditAnswers, ProposedEdit } from '../../../ports/queries.ts';
import { forbidden, orDeclinedProblem, ProblemError } from '../../problem.ts';
import { estateField, resolveEstate } from '../fields.ts';
import { type Route, route } from '../route.ts';
import { examples, story } from '../schemas/examples.ts';

export interface EditsDependencies {
  readonly edits: EditAnswers;
  estates(): Promise<readonly string[]>;
}

const field = z
  .string()
  .regex(/^[A-Za-z][^\s]{0,255}$/, 'a field, such as size or labels.tier')
  .meta({ description: 'As the document calls it: `size`, `disk.size`, `labels.tier`, `peers`' });

const ignore = z.strictObject({
  field,
  owner: freeText(128).meta({ description: 'The team or tool that changes the field' }),
  reason: freeText(512),
  until: day.meta({ description: 'The last day of the entry: 2027-01-31' }),
});

const difference = z.object({ address: z.string(), field: z.string().optional() });

const editSchema = z
  .object({
    estate: z.string(),
    revision: z.string().meta({ description: 'Of the specs that are edited' }),
    accepted: z
      .array(
        z.object({
          address: z.string(),
          field: z.string().optional().meta({ description: 'Absent: the rule is gone from the cloud' }),
          from: z.unknown().optional().meta({ description: 'In the documents' }),
          to: z.unknown().optional().meta({ description: 'On the cloud' }),
          file: z.string(),
          line: z.int(),
        }),
      )
      .meta({ description: 'The differences that a plan of the edited documents no longer has; none: no drift' }),
    others: z
      .array(z.string())
      .meta({ description: 'Other resources with differences that the same edits keep. Review them, too' }),
    left: z.array(difference).meta({ description: 'Fields of Setpoint itself: the next apply writes them' }),
    rollouts: z.array(difference).meta({ description: 'Differences that a document caused. The edits leave them' }),
    files: z.array(
      z.object({
        path: z.string().meta({ description: 'In the folder of the specs' }),
        removed: z.boolean(),
        diff: z.string().meta({ description: 'A unified diff for people: lines of secrets are masked' }),
      }),
    ),
    command: z.string().optional().meta({
      description:
        'The command that proposes the same in a branch. Absent for `ignore`, for files of teams, and without drift',
    }),
    next: z.string().meta({ description: 'The next step' }),
  })
  .meta({ id: 'SpecEdit', description: 'Edits of documents by which the specs keep drift, for a person to commit' })
  .register(examples, {
    example: {
      ...{ estate: story.estate, revision: story.revision },
      accepted: [
        {
          ...{ address: story.address, field: 'labels.tier', from: 'web', to: 'canary' },
          ...{ file: 'instances.yaml', line: 4 },
        },
      ],
      ...{ others: [], left: [], rollouts: [] },
      files: [
        {
          ...{ path: 'instances.yaml', removed: false },
          diff: '--- instances.yaml\n+++ instances.yaml\n@@ -4,1 +4,1 @@\n-  labels: { tier: web }\n+  labels: { tier: canary }\n',
        },
      ],
      command: `setpoint accept ${story.address} --propose`,
      next: 'Run the command in a checkout of the specs. Or commit the edits of the diffs there, and open a pull request.',
    },
  });

export const editsRoutes = ({ edits, estates }: EditsDependencies): readonly Route[] => [
  route({
    method: 'POST',
    path: '/v1/edits',
    operation: {
      id: 'proposeEdit',
      tag: 'Plans',
      summary: 'Edit the documents of drift: accept it, or ignore a field until a day',
      description:
        'The answer has the diffs, and changes neither specs nor clouds. It uses the active specs and the newest observations, and proves that a plan of the edited documents no longer changes this and does nothing new. It refuses an edit that is not exact, with `where`, `why` and `next`. It needs the permission in the whole estate. Send `ignore`, or `accept`, or neither to accept all fields.',
      responses: { 200: { description: 'The edits, to commit', schema: editSchema } },
    },
    permission: 'plan',
    request: {
      body: z
        .strictObject({
          estate: estateField,
          address: z.string().min(1).max(1000).meta({
            description: 'The address of a resource or document, a unique end of it, or an id of the cloud',
          }),
          accept: z
            .strictObject({ fields: z.array(field).min(1).max(50).optional() })
            .optional()
            .meta({ description: 'The documents state the drift. Default: of all fields' }),
          ignore: ignore.optional().meta({ description: 'The document leaves a drifted field alone until a day' }),
        })
        .refine(({ accept, ignore: entry }) => accept === undefined || entry === undefined, {
          error: 'nothing, where `accept` is sent',
          path: ['ignore'],
        }),
    },
    handle: async ({ body, context: { caller } }) => {
      const { address, accept, ignore: entry } = body;
      const estate = await resolveEstate({ asked: body.estate, in: 'body', permission: 'plan' }, caller, estates);
      // why: a refusal and a diff show all active specs
      if (!mayDo(caller.grants, 'plan', { estate })) throw new ProblemError(forbidden('plan'));
      const asked = { estate, seen: boundsFor(caller.grants, 'plan'), address };
      const made = await orDeclinedProblem(
        entry === undefined
          ? edits.accept({ ...asked, fields: accept?.fields ?? [] })
          : edits.ignore({ ...asked, ignore: entry }),
      );
      return { status: 200, body: editAnswer(estate, made) };
    },
  }),
];

const editAnswer = (estate: string, edit: ProposedEdit) => ({
  ...{ estate, revision: edit.revision },
  accepted: edit.accepted.map(({ at: { file, line }, ...change }) => ({ ...change, file, line })),
  others: [...edit.others],
  left: edit.left.map(({ address, field: name }) => ({ address, field: name })),
  rollouts: edit.rollouts.map(({ address, field: name }) => ({ address, field: name })),
  files: edit.files.map(({ path, removed, diff }) => ({ path, removed, diff })),
  ...(edit.command === undefined ? {} : { command: edit.command }),
  next: nextStep(edit),
});

function nextStep({ files, command }: ProposedEdit): string {
  if (files.length === 0) return 'Nothing to do: there is no such drift.';
  if (files.some(({ path }) => path.startsWith('@')))
    return 'Make the edits of the diffs, commit them, and open pull requests. Files below `@NAME/` lie in the repository of the team NAME.';
  if (command === undefined)
    return 'Make the edits of the diffs in a checkout of the specs, commit them, and open a pull request.';
  return 'Run the command in a checkout of the specs. Or commit the edits of the diffs there, and open a pull request.';
}
