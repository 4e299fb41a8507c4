import type { Document, EstateDoc } from '../document.ts';
import { estateOf } from '../estate-of.ts';
import type { Located } from '../located.ts';
import { treeOf } from '../overlay-path.ts';
import { error, type Problem } from '../problem.ts';
import type { SpecSet } from '../spec-set.ts';
import { suggest } from '../suggest.ts';
import { place } from './place.ts';

/**
 * What lies under `@<team>/` is of a source that the estate names, of a kind that a team may hold, and of an owner that the
 * source has.
 */
export function* teamTrees({ documents, declared }: SpecSet): Iterable<Problem> {
  const estate = estateOf(documents);
  const undeclared = new Set<string>();
  for (const document of documents) {
    const tree = treeOf(document.at().file);
    if (tree === '') continue;
    const source = estate?.value.spec.sources?.find(({ name }) => `@${name}/` === tree);
    yield* kinds(document, tree);
    if (source) yield* owners(document, source);
    // why: an Estate that has errors of its own may name it
    else if (!undeclared.has(document.at().file) && (estate || !declared.has('Estate'))) {
      undeclared.add(document.at().file);
      yield unknownSource(document, tree, estate);
    }
  }
}

type Source = NonNullable<EstateDoc['spec']['sources']>[number];

/** Any other kind, one that is new among them, is for the root alone. */
const KINDS: ReadonlySet<string> = new Set(['Network', 'FirewallRule', 'Instance'] satisfies Document['kind'][]);

function* kinds(document: Located<Document>, tree: string): Iterable<Problem> {
  const { kind } = document.value;
  if (KINDS.has(kind)) return;
  yield error('not-here', document.at(['kind']), `\`${tree}\` is a tree of a team, and holds no ${kind}`, {
    expected: `${[...KINDS].join(', ')}; documents of kind ${kind} stand in the root's own tree`,
  });
}

function* owners(document: Located<Document>, { name, owners: allowed }: Source): Iterable<Problem> {
  const { owner } = document.value.metadata;
  if (owner !== undefined && allowed.includes(owner)) return;
  const what = owner === undefined ? 'is missing' : `is ${JSON.stringify(owner)}`;
  yield error('wrong-owner', document.at(['metadata', 'owner']), `\`metadata.owner\` ${what}`, {
    expected: `an owner of the source ${name}: ${allowed.slice(0, MOST).join(', ')}`,
    didYouMean: owner === undefined ? undefined : suggest(owner, allowed),
  });
}

/** Named in a hint; more would bury the rest. */
const MOST = 12;

function unknownSource(document: Located<Document>, tree: string, estate: Located<EstateDoc> | undefined): Problem {
  const names = (estate?.value.spec.sources ?? []).map(({ name }) => name);
  const where = estate ? ` at ${place(estate.at(['spec', 'sources']))}` : '';
  return error('unknown-source', document.at(), `\`${tree}\` is of no source of the estate`, {
    expected:
      names.length > 0 ? `one of ${names.slice(0, MOST).join(', ')}${where}` : `a source in spec.sources${where}`,
    didYouMean: suggest(tree.slice(1, -1), names),
  });
}
