import type { Clock } from '../ports/clock.ts';
import type { SpecTree } from '../ports/spec-tree.ts';

/** A folder that somebody is writing changes from one look to the next. */
const stillMs = 1_000;

/**
 * A checkout removes first what it will write again, and may be long in between: a tree that has lost documents is believed
 * only after this. What a rule's absence brings about cannot be taken back as soon.
 */
const lostMs = 10_000;

/** Whether a tree that was just read is no half of one: it has stood like this for long enough, beside what is in force. */
export function settled(clock: Clock): (seen: SpecTree, inForce: SpecTree | undefined) => boolean {
  let revision = '';
  let since = 0;
  return (seen, inForce) => {
    if (seen.revision !== revision) since = clock.now();
    revision = seen.revision;
    return clock.now() - since >= (hasLost(seen, inForce) ? lostMs : stillMs);
  };
}

function hasLost(seen: SpecTree, inForce: SpecTree | undefined): boolean {
  const here = new Set(seen.documents.map(nameOf));
  return inForce?.documents.some((document) => !here.has(nameOf(document))) ?? false;
}

const nameOf = ({ value: { kind, metadata } }: SpecTree['documents'][number]): string => `${kind} ${metadata.name}`;
