import type { ResourceDoc } from '../effective-mode.ts';
import type { Located } from '../located.ts';
import { error, type Problem } from '../problem.ts';
import type { SpecSet } from '../spec-set.ts';
import { place } from './place.ts';

/** A former name belongs to one document, and to none that bears it now: else two would claim one object. */
export function* formerNames(set: SpecSet): Iterable<Problem> {
  for (const documents of [[...set.networks.values()], set.rules, set.instances]) {
    yield* claims(documents);
  }
}

function* claims(documents: readonly Located<ResourceDoc>[]): Iterable<Problem> {
  const owners = new Map(documents.map((document) => [document.value.metadata.name, document]));
  for (const document of documents) {
    for (const [index, was] of (document.value.metadata.was ?? []).entries()) {
      const other = owners.get(was);
      owners.set(was, other ?? document);
      if (!other) continue;
      const same = other === document;
      const message = same
        ? `\`${was}\` is its name now`
        : `\`${was}\` belongs to the document at ${place(other.at())}`;
      yield error('former-name', document.at(['metadata', 'was', index]), message, {
        expected: 'a name no longer in use',
      });
    }
  }
}
