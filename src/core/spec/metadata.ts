import { z } from 'zod';
import { cloudId, name, names } from './name-field.ts';
import { freeText, text } from './text-field.ts';

const identity = {
  name: name().meta({ description: 'What we call it, everywhere. Unique per kind.' }),
  owner: freeText(128).optional().meta({ description: 'The team or person to ask about it.' }),
};

/** Of documents that stand for nothing on a cloud: estates and targets. */
export const plainMetadata = () => z.strictObject(identity, { error: 'a map with a name' });

const labels = z
  .record(
    text(/^(?!setpoint)(?!aws:).{1,128}$/su, 'a label of 1 to 128 characters that begins neither setpoint nor aws:'),
    text(/^.{0,256}$/su, 'text of at most 256 characters'),
    { error: 'a map of labels, each value text' },
  )
  .optional()
  .meta({ description: 'Labels (tags) on the object. Owned one by one: labels of others are left alone.' });

/** By target, what an object of that cloud is called there. */
export const adoption = () =>
  z
    .record(name(), cloudId(), { error: 'a map from targets to cloud ids' })
    .optional()
    .meta({ description: 'Take over this existing object, by target.', examples: [{ 'aws-prod': 'vpc-0abc' }] });

export const formerNames = () =>
  names('former names').optional().meta({ description: 'Former names: the object is re-marked, never remade.' });

export const metadata = () =>
  z.strictObject({ ...identity, labels, adopt: adoption(), was: formerNames() }, { error: 'a map with a name' });
