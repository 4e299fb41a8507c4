import type { Mode } from '../desired.ts';
import type { Guards } from '../guards.ts';
import { strictest } from '../mode.ts';
import type { Address, ScopeKey } from '../resource.ts';
import type { Wanted } from './plan-input.ts';

/** The mode by which the generation before binds what is done for a document; undefined where it does not. */
export type ModesBefore = (document: Address) => Mode | undefined;

/**
 * A document that the generation before did not name is bound by what it would have inherited there:
 *
 *   named there | its scope         | mode before
 *   ------------+-------------------+--------------------------------------------------------------------
 *   yes         | –                 | as it was
 *   no          | had a target      | the strictest of its own word now, its targets' and the estate's then
 *   no          | none spoke of it  | the estate's then, where it said one
 */
export function modesBefore(
  { modes, inherited }: Pick<Guards, 'modes' | 'inherited'>,
  scopes: readonly { readonly wanted: Pick<Wanted, 'documents'> }[],
): ModesBefore {
  const own = (document: Address) => scopes.flatMap(({ wanted }) => wanted.documents.get(document)?.own ?? []);
  const known: readonly ScopeKey[] = Object.keys(inherited?.scopes ?? {});
  const modeBefore: ModesBefore = (document) => {
    const said = modes[document];
    if (said !== undefined || inherited === undefined) return said;
    const scope = known.find((one) => document.startsWith(`${one}/`));
    if (scope === undefined) return inherited.estate;
    return strictest([...own(document), inherited.scopes[scope] ?? undefined]);
  };
  // why: each policy asks for each action of a document
  const found = new Map<Address, Mode | undefined>();
  return (document) => {
    if (!found.has(document)) found.set(document, modeBefore(document));
    return found.get(document);
  };
}
