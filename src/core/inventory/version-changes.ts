import { diff, type FieldChange } from '../diff.ts';
import type { Row } from './row.ts';

/** What became another between two versions of a line: how it stood, whose it was, what was asked for and what was there. */
export function versionChanges(from: Row, to: Row): readonly FieldChange[] {
  const [before, after] = [told(from), told(to)];
  const gone = diff(before, after).flatMap(({ field, from: now, to: was }) =>
    now === undefined ? [{ field, from: was }] : [],
  );
  return [...diff(after, before), ...gone];
}

const told = ({ called, whose, state, sides }: Row): object => ({
  status: state.status,
  claim: whose.claim,
  owner: whose.owner,
  name: called.name,
  address: called.address,
  id: called.id,
  desired: sides.desired && { ...sides.desired.attributes, mode: sides.desired.mode, protect: sides.desired.protect },
  observed: sides.observed && { ...sides.observed.attributes, state: sides.observed.state },
});
