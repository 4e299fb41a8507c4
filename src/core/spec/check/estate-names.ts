import type { EstateDoc } from '../document.ts';
import type { Located } from '../located.ts';
import { error, type Problem } from '../problem.ts';
import { ofKind, type SpecSet } from '../spec-set.ts';
import { place } from './place.ts';

/** No two sources, signers or hooks of an estate by one name; in any case, as folders and addresses are made of them. */
export function* estateNames({ documents }: SpecSet): Iterable<Problem> {
  for (const estate of ofKind(documents, 'Estate')) {
    const { sources, signatures, hooks } = estate.value.spec;
    yield* twins(estate, { what: 'source', path: ['spec', 'sources'], list: sources });
    yield* twins(estate, { what: 'signer', path: ['spec', 'signatures', 'signers'], list: signatures?.signers });
    yield* twins(estate, { what: 'hook', path: ['spec', 'hooks'], list: hooks });
  }
}

interface Named {
  readonly what: string;
  readonly path: readonly string[];
  readonly list: readonly { readonly name: string }[] | undefined;
}

function* twins({ at }: Located<EstateDoc>, { what, path, list = [] }: Named): Iterable<Problem> {
  const first = new Map<string, number>();
  for (const [index, { name }] of list.entries()) {
    const before = first.get(name.toLowerCase());
    if (before === undefined) first.set(name.toLowerCase(), index);
    else {
      const message = `a second ${what} named \`${name}\`: the first is at ${place(at([...path, before, 'name']))}`;
      yield error('duplicate-name', at([...path, index, 'name']), message, { expected: 'a name of its own' });
    }
  }
}
