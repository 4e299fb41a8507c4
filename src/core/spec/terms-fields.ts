import { z } from 'zod';
import { rollout } from './rollout-field.ts';
import { flag, freeText, text } from './text-field.ts';

export const mode = () =>
  z.enum(['observe', 'plan', 'enforce']).optional().meta({
    description:
      'What the unattended loop may do: observe reads, plan lets a person apply, enforce applies by itself. Left out: inherited. The strictest wins.',
  });

/** A calendar day; the pattern allows the 31st of every month, the check does not. */
export const day = text(/^\d{4}-\d\d-\d\d$/, 'a day, such as 2027-01-31').refine(
  (value) => new Date(`${value}T00:00:00Z`).toJSON()?.startsWith(value) ?? false,
  { error: 'a day that exists, such as 2027-01-31' },
);

const ignore = z.strictObject(
  {
    field: text(/^[A-Za-z][^\s]{0,255}$/, 'a field, such as size or labels.tier').meta({
      description: 'The field to leave alone, as written in this document: size, disk.size, labels.tier.',
    }),
    owner: freeText(128).meta({ description: 'Who changes it instead of us.' }),
    reason: freeText(512).meta({ description: 'Why.' }),
    until: day.meta({ description: 'The last day on which it holds. Later it is a warning and no longer ignores.' }),
  },
  { error: '{ field, owner, reason, until }' },
);

/** What may be done with a resource; the same on every kind that stands for something on a cloud. */
export const terms = () => ({
  mode: mode(),
  protect: flag().default(false).meta({ description: 'No plan may delete or replace it.' }),
  deletionPolicy: z.enum(['retain', 'delete']).optional().meta({
    description:
      'What becomes of the object when its document goes. Left out: rules are deleted, networks, subnets and instances retained.',
  }),
  ignore: z
    .array(ignore, { error: 'a list of { field, owner, reason, until }' })
    .default([])
    .meta({ description: 'Fields that somebody else changes: neither compared nor written, until a day.' }),
  rollout: rollout(),
});
