import type { ScopePlan } from '../action.ts';
import type { Compiled } from '../compile/compile.ts';
import type { Dialect } from '../compile/dialect.ts';
import type { Cloud, ScopeKey } from '../resource.ts';
import { between } from './between.ts';

export interface Compared {
  /** Of each scope of the second, in its order. */
  readonly plans: readonly ScopePlan[];
  /** Scopes of the first that the second has not: what stands there stays, and nobody looks after it. */
  readonly left: readonly LeftScope[];
}

export interface LeftScope {
  readonly scope: ScopeKey;
  readonly documents: number;
}

interface Ground {
  /** Of the second. */
  readonly estate: string;
  readonly dialects: Readonly<Partial<Record<Cloud, Dialect>>>;
}

/** What two states of the specs ask of the clouds differently, scope by scope. */
export function difference(from: Compiled, to: Compiled, { estate, dialects }: Ground): Compared {
  const before = new Map(from.scopes.map((one) => [one.scope, one.wanted]));
  const after = new Set(to.scopes.map(({ scope }) => scope));
  return {
    plans: to.scopes.map(({ scope, wanted, targets: [target] }) => {
      const dialect = target && dialects[target.spec.provider];
      if (dialect === undefined) throw new Error(`${scope} is on no cloud that was opened`);
      return between(before.get(scope), { scope, estate, wanted, dialect });
    }),
    left: from.scopes
      .filter(({ scope }) => !after.has(scope))
      .map(({ scope, wanted }) => ({ scope, documents: wanted.documents.size })),
  };
}
