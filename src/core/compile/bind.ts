import type { DeletionPolicy, Desired, Terms } from '../desired.ts';
import type { Guards } from '../guards.ts';
import { stricterLimits } from '../ledger/estate-count.ts';
import { strictest } from '../mode.ts';
import type { Address } from '../resource.ts';
import type { Compiled, CompiledScope } from './compile.ts';
import { governing } from './governing.ts';

/**
 * No commit lifts its own guard: each term is the stricter of the new generation's and of the one in force. A loosening
 * thus counts from the next generation on. Without one in force the new terms hold as they are.
 */
export function bind({ scopes, guards }: Compiled, inForce: Guards | undefined): Compiled {
  if (inForce === undefined) return { scopes, guards };
  const protect = new Set(inForce.protected);
  return {
    scopes: scopes.map((scope) => bindScope(scope, inForce, protect)),
    guards: { ...guards, limits: stricterLimits(guards.limits, inForce.limits) },
  };
}

function bindScope(scope: CompiledScope, inForce: Guards, protect: ReadonlySet<Address>): CompiledScope {
  const desired = scope.wanted.desired.map((one): Desired => ({ ...one, terms: bindTerms(one, inForce, protect) }));
  return { ...scope, wanted: { ...scope.wanted, desired } };
}

function bindTerms(desired: Desired, inForce: Guards, protect: ReadonlySet<Address>): Terms {
  const { terms, documents } = desired;
  const addresses = governing(desired);
  return {
    ...terms,
    mode: strictest([terms.mode, ...documents.map(({ address }) => inForce.modes[address])]),
    protect: terms.protect || addresses.some((address) => protect.has(address)),
    deletionPolicy: keeping([terms.deletionPolicy, ...addresses.map((address) => inForce.policies[address])]),
  };
}

const keeping = (policies: readonly (DeletionPolicy | undefined)[]): DeletionPolicy =>
  policies.includes('retain') ? 'retain' : 'delete';
