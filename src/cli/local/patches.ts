import { documentTitle } from '../../core/documents/document.ts';
import { fieldText, type Patch } from '../../core/patch.ts';
import { dayOf, formatMoment } from '../../core/render/wording.ts';
import { printable } from '../../core/text.ts';
import { type Estate, openEstate, withActiveRevision } from '../../estate/load.ts';
import { besideActive, EndedIsNeeded } from '../../estate/patches.ts';
import type { Store } from '../../ports/store.ts';
import type { CliProcess } from '../context.ts';
import { exitCodes, UserError } from '../errors.ts';

/**
 * The estate with the patches of the store over its specs, as it is or would be active. Once is enough: specs that were read beside them
 * stay as they are, and nobody accepts them if the patches are others by then.
 */
export async function besidePatchesOf<E extends Estate>(
  estate: E,
  store: Pick<Store, 'fleet' | 'generations'> | undefined,
  { dependencies, clock }: CliProcess,
): Promise<E> {
  if (store === undefined || estate.tree.patches !== undefined) return estate;
  const parse = dependencies.parseStoredSpecs;
  const known = await withActiveRevision(estate.tree, { estate: estate.name, store });
  const tree = await besideActive(known, { estate: estate.name, store, parse }).catch(asUserError);
  if (tree.revision === known.revision) return { ...estate, tree };
  const opened = await openEstate(tree, dependencies.provider, dayOf(clock.now()));
  const selected = new Map(estate.scopes.map((scope) => [scope.scope, scope]));
  const scopes = opened.compiled.scopes.flatMap((scope) => {
    const before = selected.get(scope.scope);
    return before === undefined ? [] : [{ ...scope, regions: before.regions }];
  });
  return { ...estate, ...opened, scopes };
}

function asUserError(error: unknown): never {
  if (!(error instanceof EndedIsNeeded)) throw error;
  throw new UserError('The specs need a document that has ended. Nothing was changed.', {
    why: `${error.message}.`,
    next: 'setpoint status lists all lifetimes.',
    code: exitCodes.refused,
  });
}

/** Prints the patches beside the specs of a command, the patches that these specs end, and the documents whose lifetime is over. */
export async function printPatches(
  { name, tree }: Estate,
  store: Pick<Store, 'fleet'> | undefined,
  { terminal }: CliProcess,
): Promise<void> {
  const { holding = [], ends = [] } = tree.patches ?? {};
  const over = tree.lifetimes?.over ?? [];
  if (store === undefined || holding.length + ends.length + over.length === 0) return;
  const active = new Map((await store.fleet.patches.active(name)).map((patch) => [patch.id, patch]));
  const named = (id: number): string => {
    const patch = active.get(id);
    return patch === undefined ? `patch #${id}` : patchText(patch);
  };
  const lines = [
    ...holding.map((id) => `Beside these specs: ${named(id)}`),
    ...ends.map(({ id, why }) => `These specs end ${named(id)}, because ${why}`),
    ...over.map((document) => `Left out of these specs, as its \`ttl\` is over: ${document}`),
  ];
  terminal.err.write(lines.map((line) => `${printable(line)}\n`).join(''));
}

/** `patch #7 of Instance web (size) by ada until 2026-12-01 16:00 UTC: #4711` */
const patchText = (patch: Patch): string =>
  `patch #${patch.id} of ${documentTitle(patch)} (${patch.fields.map(({ path }) => fieldText(path)).join(', ')}) by ${patch.person} until ${formatMoment(patch.until)}: ${patch.reason}`;
