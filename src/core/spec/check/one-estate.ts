import { error, type Problem } from '../problem.ts';
import { ofKind, type SpecSet } from '../spec-set.ts';
import { place } from './place.ts';

/** Exactly one Estate: it names the owner of everything, so none means nothing can be told ours. */
export function* oneEstate({ documents, declared }: SpecSet): Iterable<Problem> {
  const [first, ...others] = ofKind(documents, 'Estate');
  if (!first && !declared.has('Estate')) {
    const at = documents[0]?.at() ?? { file: '', line: 1, column: 1 };
    const expected = 'exactly one document of kind Estate in the tree';
    yield error('no-estate', at, 'these specs have no Estate', { expected });
  }
  for (const other of others) {
    const message = `a second Estate: the first is at ${first ? place(first.at()) : 'another place'}`;
    yield error('second-estate', other.at(), message, { expected: 'exactly one' });
  }
}
