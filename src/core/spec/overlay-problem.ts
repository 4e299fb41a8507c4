import type { Position } from './position.ts';
import { error, type Problem } from './problem.ts';
import { kindOf } from './read-document.ts';
import { suggest } from './suggest.ts';
import { type Tree, treeAt } from './tree.ts';

export const stray = ({ at }: Tree): Problem =>
  error('overlay-stray', at, 'this lies beside the overlays and in none of them', {
    expected: 'a folder for each overlay: overlays/<name>/',
  });

export const unnamed = (tree: Tree): Problem =>
  error(
    'overlay-unnamed',
    treeAt(tree, ['metadata'])?.at ?? tree.at,
    'this does not say which document it goes over: `metadata.name` is missing',
    { expected: `the name of the ${kindOf(tree)} of the base, or of a new one` },
  );

export const twice = (tree: Tree, { file, line }: Position): Problem =>
  error('overlay-twice', placeOfName(tree), `a second document of this overlay for ${called(tree)}`, {
    expected: `one; the first is at ${file}:${line}: join the two`,
  });

/** `names`: of the base's documents of this kind. */
export const alone = (tree: Tree, names: readonly string[]): Problem =>
  error('overlay-alone', placeOfName(tree), `the base has no ${called(tree)}, and as a new one this is not whole`, {
    expected:
      names.length === 0 ? 'a whole document' : `a whole document, or one of ${names.slice(0, MOST).join(', ')}`,
    didYouMean: suggest(nameOf(tree), names),
  });

const MOST = 10;

const called = (tree: Tree): string => `${kindOf(tree)} \`${nameOf(tree).slice(0, LONGEST)}\``;
const LONGEST = 80;

const placeOfName = (tree: Tree): Position => treeAt(tree, ['metadata', 'name'])?.at ?? tree.at;

function nameOf(tree: Tree): string {
  const name = treeAt(tree, ['metadata', 'name']);
  return name?.kind === 'scalar' ? String(name.value) : '';
}
