import type { Content } from '../../src/core/ledger/entry.ts';
import { scopes } from './ledgers.ts';

/** What an attacker has: each has what stands before it too. */
export const reaches = ['database', 'folder', 'key'] as const;
export type Reach = (typeof reaches)[number];

/** One entry as an attacker sees it. `number`: its place among all 21, from 0; of a forged one the place of the one before it. */
export interface Told extends Content {
  readonly chain: string;
  readonly number: number;
  readonly seq: number;
}

export interface History {
  readonly name: string;
  /** The entries as they shall have been. */
  readonly forge: (entries: readonly Told[]) => readonly Told[];
  /** The seal of the estate is made anew too. */
  readonly isResealed?: true;
}

const [here, there] = scopes;
const signed = 18;

const at = (number: number, change: (entry: Told) => readonly Told[]) => (entries: readonly Told[]) =>
  entries.flatMap((entry) => (entry.number === number ? change(entry) : [entry]));
const only = (keep: (entry: Told) => boolean) => (entries: readonly Told[]) => entries.filter(keep);
const inBody = (entry: Told, more: object): readonly Told[] => [{ ...entry, body: { ...entry.body, ...more } }];

/** Twenty ways to tell another past; entries 0 to 17 are signed, 18 to 20 are not. */
export const histories: readonly History[] = [
  { name: 'a signed entry says something else', forge: at(3, (one) => inBody(one, { verb: 'delete' })) },
  { name: 'somebody else approved', forge: at(9, (one) => inBody(one, { authority: { approver: 'eve' } })) },
  { name: 'an entry was written earlier', forge: at(12, (one) => [{ ...one, at: one.at - 500 }]) },
  { name: 'a word of a person says something else', forge: at(2, (one) => inBody(one, { pause: { person: 'eve' } })) },
  { name: 'an entry in the middle of a chain is gone', forge: at(6, () => []) },
  { name: 'a chain is gone', forge: only(({ chain }) => chain !== there) },
  { name: 'the words of people are gone', forge: only(({ chain }) => chain !== 'people') },
  { name: 'the newest signed entry and all after it are gone', forge: only(({ number }) => number < signed - 1) },
  { name: 'all since the second checkpoint is gone, as from an old backup', forge: only(({ number }) => number < 12) },
  { name: 'all since the first checkpoint is gone', forge: only(({ number }) => number < 6) },
  { name: 'nothing is left', forge: () => [] },
  {
    name: 'two entries changed places',
    forge: (entries) => {
      const [first, fourth] = [entries[0], entries[3]];
      if (!first || !fourth) return entries;
      const swapped = new Map([
        [first, { ...first, body: fourth.body }],
        [fourth, { ...fourth, body: first.body }],
      ]);
      return entries.map((entry) => swapped.get(entry) ?? entry);
    },
  },
  { name: 'a forged entry stands in the middle', forge: at(7, (one) => [one, ...inBody(one, { verb: 'forget' })]) },
  {
    name: 'a forged entry stands at the end',
    forge: at(20, (one) => [one, ...inBody(one, { pause: { person: 'eve' } })]),
  },
  { name: 'an unsigned entry says something else', forge: at(19, (one) => inBody(one, { verb: 'delete' })) },
  { name: 'an unsigned entry is gone', forge: at(18, () => []) },
  { name: 'all unsigned entries are gone', forge: only(({ number }) => number < signed) },
  { name: 'an entry stands in another chain', forge: at(4, (one) => [{ ...one, chain: here }]) },
  {
    name: 'a chain has another name',
    forge: (entries) => entries.map((one) => (one.chain === there ? { ...one, chain: 'gcp/acme/us-east1' } : one)),
  },
  { name: 'the estate began anew', forge: (entries) => entries.slice(3), isResealed: true },
];
