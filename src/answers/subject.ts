import type { CompiledScope } from '../core/compile/compile.ts';
import type { PauseSubject } from '../core/pause.ts';
import type { Address, ScopeKey } from '../core/resource.ts';
import type { Store } from '../ports/store.ts';
import type { Estate } from './estate.ts';

/** What there is by each way of naming it. */
export interface Names {
  readonly address: ReadonlySet<Address>;
  readonly owner: ReadonlySet<string>;
  readonly target: ReadonlySet<string>;
}

/** Whatever the specs speak of, and what the store knows as ours though no document speaks of it any more. */
export async function namesIn(estate: Pick<Estate, 'name' | 'compiled'>, store: Store): Promise<Names> {
  const { scopes } = estate.compiled;
  const known = await Promise.all(scopes.map(({ scope }) => store.inventory.knowledge(estate.name, scope)));
  return {
    address: new Set([
      ...scopes.flatMap(({ wanted }) => [...wanted.desired.map(({ address }) => address), ...wanted.documents.keys()]),
      ...known.flatMap(({ settled }) => [...settled.values()].map(({ address }) => address)),
    ]),
    owner: new Set(scopes.flatMap(({ wanted }) => [...wanted.documents.values()].flatMap(({ owner }) => owner ?? []))),
    target: new Set(scopes.flatMap(({ wanted }) => wanted.targets)),
  };
}

/** The scopes in which a subject may be. */
export function scopesOf(of: PauseSubject, { compiled: { scopes } }: Pick<Estate, 'compiled'>): readonly ScopeKey[] {
  const its = scopes.filter((scope) => mayHold(scope, of));
  return (its.length === 0 ? scopes : its).map(({ scope }) => scope);
}

function mayHold({ scope, wanted }: CompiledScope, of: PauseSubject): boolean {
  switch (of.by) {
    case 'estate':
      return true;
    case 'address':
      return of.name.startsWith(`${scope}/`);
    case 'owner':
      return [...wanted.documents.values()].some(({ owner }) => owner === of.name);
    case 'target':
      return wanted.targets.includes(of.name);
  }
}
