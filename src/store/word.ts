import type { Linked } from '../core/ledger/entry.ts';
import type { HappeningDraft } from '../ports/happenings.ts';

/** In characters: watchers read all of a reason in the ledger. */
const mostReason = 300;

/** What is told of an entry in the ledger: of a note that names a person, which word of whom, on what, and why. Else nothing. */
export function wordsOf(estate: string, { seq, type, body }: Linked): readonly HappeningDraft[] {
  if (type !== 'note') return [];
  const [[word, said] = []] = Object.entries(fieldsOf(body['note']));
  const note = fieldsOf(said);
  const person = note['person'] ?? fieldsOf(note['by'])['person'] ?? fieldsOf(note['authority'])['approver'];
  const reason = note['reason'] ?? fieldsOf(note['by'])['reason'];
  if (word === undefined || typeof person !== 'string') return [];
  const about = { word, seq, person, ...(typeof reason === 'string' ? { reason: reason.slice(0, mostReason) } : {}) };
  return [{ estate, type: 'word', ...whose(fieldsOf(note['of'])), about: { ...about, ...onWhat(note) } }];
}

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields => (typeof value === 'object' && value !== null ? { ...value } : {});

/** What the word is on, where the note says it. */
const onWhat = (note: Fields): Fields =>
  Object.fromEntries(
    (['scope', 'what', 'of', 'revision', 'generation', 'documents'] as const)
      .map((field) => [field, note[field]] as const)
      .filter(([, value]) => value !== undefined),
  );

/** A word that holds one target or owner still is theirs; any other is everybody's. */
function whose({ by, name }: Fields): Pick<HappeningDraft, 'targets' | 'owner'> {
  if (typeof name !== 'string') return {};
  if (by === 'target') return { targets: [name] };
  return by === 'owner' ? { owner: name } : {};
}
