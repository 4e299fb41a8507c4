import { createHash } from 'node:crypto';
import type { Mark } from '../../../src/core/observed.ts';
import type { Labels } from '../../../src/core/resource.ts';
import { readLine, readMark, writeLine } from '../marks.ts';

/**
 * The mark as labels. A label takes `[a-z0-9_-]{0,63}` (https://cloud.google.com/compute/docs/labeling-resources). Of what does
 * not fit the first 32 hex digits of its SHA-256 stand there, and the mark itself in the metadata `setpoint-mark`.
 */
export function markLabels(mark: Mark, part?: string): Labels {
  const fields: Readonly<Record<string, string | undefined>> = {
    estate: mark.estate,
    store: mark.store,
    name: nameOf(mark),
    policy: mark.deletionPolicy,
    intent: mark.intent,
    attempt: mark.attempt?.toString(),
    part,
  };
  const entries = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [[ownPrefix + name, fitting(value)]],
  );
  return Object.fromEntries(entries);
}

/** Text that says the whole mark, where its labels cannot. */
export const markText = (mark: Mark): string | undefined =>
  [mark.estate, mark.store, nameOf(mark) ?? '', mark.intent ?? ''].every((value) => fitting(value) === value)
    ? undefined
    : writeLine(mark);

/** `place`: `gcp/acme/europe-west1-b`. `text`: the metadata `setpoint-mark`, taken at its word where the labels say the same. */
export function readLabels(labels: Labels, place: string, text?: string): Mark | undefined {
  const [estate, store, name] = [labels[label.estate], labels[label.store], labels[label.name]];
  if (!estate || store === undefined || !name) return undefined;
  const whole = readLine(text ?? '')?.mark;
  if (whole && isSameMark(whole, labels)) return whole;
  return readMark({
    estate,
    store,
    address: `${place}/instance/${name}`,
    deletion: labels[label.policy],
    intent: labels[label.intent],
    attempt: Number(labels[label.attempt] ?? Number.NaN),
  });
}

/** The labels that are no part of a mark, which are the user's and the cloud's. Sorted. */
export const withoutMark = (labels: Labels): Labels =>
  Object.fromEntries(
    Object.entries(labels)
      .filter(([key]) => !key.startsWith(ownPrefix))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );

const ownPrefix = 'setpoint-';
const label = {
  estate: `${ownPrefix}estate`,
  store: `${ownPrefix}store`,
  name: `${ownPrefix}name`,
  policy: `${ownPrefix}policy`,
  intent: `${ownPrefix}intent`,
  attempt: `${ownPrefix}attempt`,
} as const;

/** The last segment of the address. */
const nameOf = ({ address }: Mark): string | undefined => address?.slice(address.lastIndexOf('/') + 1);

const fitting = (value: string): string =>
  /^[a-z0-9_-]{0,63}$/.test(value) ? value : createHash('sha256').update(value).digest('hex').slice(0, 32);

function isSameMark(mark: Mark, labels: Labels): boolean {
  const said = markLabels(mark);
  return Object.values(label).every((key) => said[key] === labels[key]);
}
