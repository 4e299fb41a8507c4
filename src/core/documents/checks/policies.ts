import type { PolicyDoc } from '../document.ts';
import { holds } from '../effective-terms.ts';
import { error, type Problem, suggest, warning } from '../problem.ts';
import { ofKind, type SpecSet } from '../spec-set.ts';
import type { Located } from '../tree.ts';
import { twinsIn } from './names.ts';

/** No two rules of a policy by one name: messages, tests and exemptions name them. */
export function* policyRules({ documents }: SpecSet): Iterable<Problem> {
  for (const policy of ofKind(documents, 'Policy')) {
    const { metadata, spec } = policy.value;
    yield* twinsIn(policy, { what: `rule of ${metadata.name}`, path: ['spec', 'rules'], list: spec.rules });
    for (const [index, kind] of spec.kinds.entries())
      if (spec.kinds.indexOf(kind) < index)
        yield warning('repeated', policy.at(['spec', 'kinds', index]), `\`${kind}\` is already in this list`);
  }
}

/** An exemption names rules of its policy, and is over after its last day. */
export function* exemptions({ documents }: SpecSet, today: string): Iterable<Problem> {
  for (const policy of ofKind(documents, 'Policy')) {
    const known = policy.value.spec.rules.map(({ name }) => name);
    for (const [index, entry] of policy.value.spec.exemptions.entries()) {
      const path = ['spec', 'exemptions', index];
      yield* unknownRules(policy, entry, known, index);
      if (holds(entry, today)) continue;
      const message = `this exemption ended on ${entry.until}: the rules hold again`;
      const expected = `a later day, if ${entry.owner} still needs it; else remove the entry`;
      yield warning('exemption-ended', policy.at([...path, 'until']), message, { expected });
    }
  }
}

type Exemption = PolicyDoc['spec']['exemptions'][number];

function* unknownRules(
  policy: Located<PolicyDoc>,
  { rules = [] }: Exemption,
  known: readonly string[],
  entry: number,
): Iterable<Problem> {
  for (const [index, name] of rules.entries()) {
    if (known.includes(name)) continue;
    const at = policy.at(['spec', 'exemptions', entry, 'rules', index]);
    const message = `\`${name}\` is no rule of this policy`;
    const expected = known.slice(0, MOST).join(', ');
    yield error('unknown-reference', at, message, { expected, didYouMean: suggest(name, known) });
  }
}

/** Named in a hint; more would bury the rest. */
const MOST = 12;
