import type { ScopeKey } from './resource.ts';
import type { Touch } from './touch.ts';

/** These touches in the scopes that they are of: one that names only an account is one in each of its scopes. Others are left out. */
export const touchesIn = (touches: readonly Touch[], scopes: readonly ScopeKey[]): readonly Touch[] =>
  touches.flatMap((touch) =>
    scopes
      .filter((scope) => isWithin(scope, touch.scope))
      .map((scope) => (scope === touch.scope ? touch : { ...touch, scope })),
  );

const isWithin = (scope: ScopeKey, wide: ScopeKey): boolean => scope === wide || scope.startsWith(`${wide}/`);
