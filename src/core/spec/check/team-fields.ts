import { guardedFields } from '../../trust-fields.ts';
import type { Document } from '../document.ts';
import type { Located } from '../located.ts';
import { treeOf } from '../overlay-path.ts';
import type { Path } from '../position.ts';
import { error, type Problem } from '../problem.ts';
import type { SpecSet } from '../spec-set.ts';

/**
 * What a team's document may hold only if it stands in the root's tree: a secret is read with the worker's rights and would
 * be shown on the team's machine; what is adopted may be anybody's.
 */
export function* teamFields({ documents }: SpecSet): Iterable<Problem> {
  for (const document of documents) {
    if (treeOf(document.at().file) === '') continue;
    for (const { path, guards } of guardedFields(document.value)) {
      const what = guards === 'secret' ? 'no secret' : 'no address to call';
      yield notHere(document, path, `a tree of a team names ${what}`);
    }
    for (const path of adoptions(document.value)) {
      yield notHere(document, path, "a tree of a team adopts nothing: what stands there may be another's");
    }
  }
}

const notHere = ({ at }: Located<Document>, path: Path, message: string): Problem =>
  error('not-here', at(path), message, { expected: "this document in the root's own tree, or without this field" });

function adoptions({ kind, metadata, spec }: Document): readonly Path[] {
  if (kind === 'Estate' || kind === 'Target') return [];
  const listed =
    kind === 'Network'
      ? ([
          ['subnets', spec.subnets],
          ['groups', spec.groups],
        ] as const)
      : [];
  return [
    ...(metadata.adopt === undefined ? [] : [['metadata', 'adopt']]),
    ...listed.flatMap(([list, entries]) =>
      entries.flatMap(({ adopt }, index) => (adopt === undefined ? [] : [['spec', list, index, 'adopt']])),
    ),
  ];
}
