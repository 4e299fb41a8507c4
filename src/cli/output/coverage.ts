import type { Coverage, Covered, Grouping, ObjectGroup } from '../../core/inventory/coverage.ts';
import { kindNames } from '../../core/kinds/kinds.ts';
import type { Kind } from '../../core/resource.ts';
import { count, percent } from './format.ts';
import { table } from './table.ts';

/** A line for each kind: `  network        3 of 4`. Without the kinds that have no object. */
export const kindLines = (kinds: readonly (Covered & { readonly kind: Kind })[]): readonly string[] =>
  kinds.map((one) => `  ${one.kind.padEnd(14)} ${shareText(one)}`);

/** No share is told of an incomplete listing. */
const shareText = ({ managed, objects, complete }: Covered): string =>
  complete ? `${managed} of ${objects}` : `${managed} of at least ${objects}: not listed completely`;

/** `Coverage: 12 of 40 objects are managed (30%)`, then a line for each kind. */
export function coverageText({ kinds, ignored, ...all }: Coverage): string {
  const lines = kinds.map((one) => {
    const own = one.complete && one.objects > 0 ? ` (${percent(one.managed, one.objects)})` : '';
    return `  ${one.kind.padEnd(14)} ${shareText(one)}${own}`;
  });
  const more = ignored === 0 ? [] : [`  ignored        ${ignored}: list with --ignored`];
  return [`Coverage: ${wholeText(all)}`, ...lines, ...more, ''].join('\n');
}

function wholeText({ managed, objects, complete }: Covered): string {
  const verb = managed === 1 ? 'is' : 'are';
  return complete
    ? `${managed} of ${count(objects, 'object')} ${verb} managed (${percent(managed, objects)})`
    : `${managed} of at least ${count(objects, 'object')} ${verb} managed. Not all objects were listed, so there is no percentage`;
}

export const coverageJson = ({ kinds, ignored, ...all }: Coverage): object => ({
  ...coveredJson(all),
  ignored,
  kinds: Object.fromEntries(kinds.map(({ kind, ...one }) => [kind, coveredJson(one)])),
});

/** `percent`: absent where the listing is incomplete. Rounded down to tenths. */
const coveredJson = ({ managed, objects, complete }: Covered): object => ({
  managed,
  objects,
  complete,
  percent: complete ? Number.parseFloat(percent(managed, objects)) : undefined,
});

/** The counts of each group, by kind. */
export function groupTable(groups: readonly ObjectGroup[], by: Grouping, width = Infinity): string {
  const kinds = kindNames.filter((kind) => groups.some((one) => one.kinds[kind] !== undefined));
  const rows = groups.map(({ group, objects, kinds: counts }) => [
    group,
    String(objects),
    ...kinds.map((kind) => String(counts[kind] ?? 0)),
  ]);
  return table(
    [by, 'objects', ...kinds].map((head) => head.toUpperCase()),
    rows,
    width,
  );
}

export const groupJson = ({ group, objects, kinds }: ObjectGroup): object => ({ group, objects, kinds });
