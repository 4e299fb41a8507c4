import type { CompiledScope } from '../core/compile/compile.ts';
import type { SecretRef } from '../core/documents/secret-ref.ts';
import { ofKind } from '../core/documents/spec-set.ts';
import { canonical } from '../core/ledger/canonical.ts';
import type { Secrets } from '../ports/secrets.ts';
import type { SpecTree } from '../ports/sources.ts';

/**
 * The scopes of a proposal, each looked at where and with the credentials that the specs in force say: what a proposal says
 * of that is compared with it (`core/trust`), and never used. Throws for a scope that is not in force.
 */
export const withActiveTargets = (
  proposed: readonly CompiledScope[],
  active: readonly CompiledScope[],
): readonly CompiledScope[] =>
  proposed.map((one) => {
    const targets = active.find(({ scope }) => scope === one.scope)?.targets;
    if (targets === undefined) throw new Error(`${one.scope} is not active; Setpoint must reject the proposal`);
    return { ...one, targets };
  });

/** Only the credentials that targets have in force, which a look at their clouds needs; of all else no value is read. */
export function secretsToLook(active: SpecTree, secrets: Secrets): Secrets {
  const known = new Set(
    ofKind(active.documents, 'Target').flatMap(({ value }) => {
      const { credentials } = value.spec;
      return credentials === undefined ? [] : [keyOf(credentials)];
    }),
  );
  return {
    resolve: async (ref, asking) => (known.has(keyOf(ref)) ? secrets.resolve(ref, asking) : notRead),
  };
}

const keyOf = ({ env, file, uri }: SecretRef): string => canonical({ env, file, uri });

const notRead = {
  ok: false,
  failure: { kind: 'terminal', code: 'secret-refused', message: 'no secret is read to plan a proposal' },
} as const;
