import type { Address } from '../resource.ts';

/** The hashed content of an entry, besides its place in the chain. `at`: milliseconds since the epoch. */
export interface Content {
  readonly at: number;
  readonly type: 'intent' | 'settlement' | 'note';
  readonly body: Readonly<Record<string, unknown>>;
}

/** An entry in its place. Structurally the port's `LedgerEntry`. `seq`: unique in its estate; rises within each chain. */
export interface Linked extends Content {
  readonly seq: number;
  readonly chain: Link;
}

/**
 * `of`: the scope, or `people` for notes; `number`: from 1, without a gap in the chain. Both are absent in entries of the first
 * version, in which an estate had one chain numbered by `seq`.
 */
interface Link {
  readonly of?: string;
  readonly number?: number;
  readonly previous: string;
  readonly hash: string;
}

/** The subject of an entry: of a note as far as it names anything, else all of the estate. */
type EntryAbout =
  | { readonly addresses: readonly Address[] }
  | { readonly target: string }
  | { readonly owner: string }
  | 'estate';

export function aboutOf({ type, body }: Pick<Linked, 'type' | 'body'>): EntryAbout {
  if (type !== 'note') return typeof body['address'] === 'string' ? { addresses: [body['address']] } : 'estate';
  const note = wordOf(body['note']);
  const { by, name } = fieldsOf(note['of']);
  if (by === 'address' && typeof name === 'string') return { addresses: [name] };
  if (by === 'target' && typeof name === 'string') return { target: name };
  if (by === 'owner' && typeof name === 'string') return { owner: name };
  const { documents } = note;
  return Array.isArray(documents) && documents.length > 0 ? { addresses: documents.map(String) } : 'estate';
}

/** The people who approved or decided it: several may have approved together. */
export function peopleOf({ type, body }: Pick<Linked, 'type' | 'body'>): readonly string[] {
  if (type !== 'note') return namesIn(fieldsOf(body['authority'])['approver']);
  const note = wordOf(body['note']);
  return namesIn(note['person'] ?? fieldsOf(note['by'])['person'] ?? fieldsOf(note['authority'])['approver']);
}

const namesIn = (text: unknown): readonly string[] => (typeof text === 'string' ? [text, ...text.split(', ')] : []);

type Fields = Readonly<Record<string, unknown>>;

/** A note has one member, named after what kind of word it is. */
const wordOf = (note: unknown): Fields => fieldsOf(Object.values(fieldsOf(note))[0]);

export const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? { ...value } : {});
