import { z } from 'zod';
import type { Origin } from '../../../core/inventory/ownership.ts';
import { versionChanges } from '../../../core/inventory/row.ts';
import type { KeptRow, RowVersion } from '../../../ports/rows.ts';
import { changeShape } from './action.ts';
import { attributesOfKind, foundMachine, wantedMachine } from './attributes.ts';
import { documentShape, modeShape } from './desired.ts';
import { exampleOf, examples, story } from './examples.ts';
import { originShape } from './explanation.ts';
import { moment } from './moment.ts';
import { type RowAround, rowAnswer } from './row.ts';
import { nextBody, rowBody, rowExample, rowLook, statusShape } from './row-fields.ts';
import { touchedShape } from './touched.ts';

const ofEachKind = <E extends z.ZodRawShape>(extra: E) => {
  const of = <K extends keyof typeof attributesOfKind>(kind: K) =>
    z.object({ kind: z.literal(kind), attributes: attributesOfKind[kind], ...extra });
  return z.discriminatedUnion('kind', [of('network'), of('subnet'), of('group'), of('firewall-rule'), of('instance')]);
};

const desiredSide = ofEachKind({
  mode: modeShape,
  protect: z.boolean(),
  deletionPolicy: z.enum(['retain', 'delete']),
}).meta({ id: 'DesiredSide', description: 'As it is asked for' });

const observedSide = ofEachKind({
  state: z.enum(['ready', 'pending', 'deleting', 'gone']),
  parts: z.array(z.object({ part: z.string(), id: z.string() })),
}).meta({ id: 'ObservedSide', description: 'As its cloud told of it' });

const versionShape = z
  .object({
    number: z.int().meta({ description: 'Only ever rising' }),
    from: moment,
    until: moment.optional().meta({ description: 'When it became another, or went; absent: it is so still' }),
    status: statusShape,
    reason: z.string(),
    code: z.string().optional(),
    generation: z.int(),
    claim: rowBody.claim,
    by: touchedShape.optional(),
    changes: z
      .array(changeShape)
      .meta({ description: 'What became another since the version before; none of the oldest told' }),
  })
  .meta({ id: 'RowVersion', description: 'How a line stood for a time' });

const relationShape = z
  .object({
    address: z.string().optional(),
    id: z.string().optional(),
    name: z.string(),
    kind: rowBody.kind,
    status: statusShape,
  })
  .meta({ id: 'Relation' });

const relations = z.array(relationShape);

export const rowToldShape = z
  .object({
    ...rowBody,
    next: z
      .object({ ...nextBody, mode: modeShape.optional(), at: moment.optional() })
      .partial()
      .meta({ description: 'What happens next, when at the latest, by which mode, and what holds it' }),
    documents: z.array(documentShape).meta({ description: 'Those that want it' }),
    desired: desiredSide.optional(),
    origins: z.array(originShape).meta({ description: 'Which line decided each field' }),
    observed: z.object({ ...rowLook, object: observedSide.optional().meta({ description: 'Absent: nothing stands' }) }),
    diff: z.array(changeShape),
    history: z.array(versionShape).meta({ description: 'Newest first' }),
    relations: z.object({
      refersTo: relations,
      referredToBy: relations.meta({ description: 'At most 100' }),
      beside: relations.meta({ description: 'Others at the same address' }),
    }),
  })
  .meta({ id: 'RowTold', description: 'All about one line of the inventory' })
  .register(examples, {
    example: {
      ...rowExample,
      next: { verb: 'update', cause: 'drift', held: story.held, mode: 'plan', at: story.nextAt },
      documents: [exampleOf(documentShape)],
      desired: { kind: 'instance', attributes: wantedMachine, mode: 'plan', protect: false, deletionPolicy: 'retain' },
      origins: [exampleOf(originShape)],
      observed: {
        at: story.lookedAt,
        ageSeconds: 40,
        complete: true,
        object: {
          kind: 'instance',
          attributes: foundMachine,
          state: 'ready',
          parts: [{ part: 'disk', id: 'vol-0099916a1eb4abce6' }],
        },
      },
      diff: [exampleOf(changeShape)],
      history: [
        {
          number: 20,
          from: story.lookedAt,
          status: rowExample.status,
          reason: rowExample.reason,
          code: 'mode',
          generation: 7,
          claim: 'ours',
          by: exampleOf(touchedShape),
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
        beside: [],
      },
    },
  });

export interface RowTold {
  readonly row: KeptRow;
  readonly origins: readonly Origin[];
  /** Newest first; one more than is told, where there are so many. */
  readonly history: readonly RowVersion[];
  readonly told: number;
  readonly relations: Readonly<Record<'refersTo' | 'referredToBy' | 'beside', readonly KeptRow[]>>;
}

export function rowToldAnswer({ row, origins, history, told, relations: related }: RowTold, around: RowAround) {
  const { next, observed, ...flat } = rowAnswer(row, around);
  const { kind } = row.place;
  const { desired, observed: object, diff } = row.sides;
  return {
    ...flat,
    next: { ...next, mode: desired?.mode, at: around.nextAt },
    documents: row.whose.documents,
    ...(desired === undefined ? {} : { desired: { kind, ...desired } }),
    origins,
    observed: { ...observed, ...(object === undefined ? {} : { object: { kind, ...object } }) },
    diff,
    history: history.slice(0, told).map((version, at) => versionAnswer(version, history[at + 1])),
    relations: {
      refersTo: related.refersTo.map(relationAnswer),
      referredToBy: related.referredToBy.map(relationAnswer),
      beside: related.beside.map(relationAnswer),
    },
  };
}

const versionAnswer = (version: RowVersion, before: RowVersion | undefined) => ({
  ...version.state,
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
