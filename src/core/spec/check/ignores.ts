import { holds } from '../active-ignores.ts';
import type { ResourceDoc } from '../effective-mode.ts';
import { fieldsAt } from '../fields-at.ts';
import type { Located } from '../located.ts';
import { error, type Problem, warning } from '../problem.ts';
import type { SpecSet } from '../spec-set.ts';
import { suggest } from '../suggest.ts';

/** An `ignore` names a field that exists, and is over after its last day. */
export function* ignores(set: SpecSet, today: string): Iterable<Problem> {
  for (const document of [...set.networks.values(), ...set.rules, ...set.instances]) {
    for (const [index, entry] of document.value.spec.ignore.entries()) {
      yield* unknownField(document, index, entry.field);
      if (holds(entry, today)) continue;
      const message = `this ended on ${entry.until}: \`${entry.field}\` is no longer ignored`;
      const expected = `a later day, if ${entry.owner} still changes it; else remove the entry`;
      yield warning('ignore-ended', document.at(['spec', 'ignore', index, 'until']), message, { expected });
    }
  }
}

/** Not what the cloud holds: what it is to be governed by, and where it is. */
const NOT_COMPARED: readonly string[] = [
  'targets',
  'network',
  'replicas',
  'replace',
  'on',
  'mode',
  'protect',
  'deletionPolicy',
  'ignore',
  'rollout',
  'minReady',
];

function* unknownField(document: Located<ResourceDoc>, index: number, field: string): Iterable<Problem> {
  const { kind } = document.value;
  const [first = '', second, ...more] = field.split('.');
  if (first === 'labels') return;
  const fields = [...fieldsAt(kind, ['spec']).filter((name) => !NOT_COMPARED.includes(name)), 'labels'];
  const inner = fieldsAt(kind, ['spec', first]);
  const known = fields.includes(first) && (second === undefined || inner.includes(second)) && more.length === 0;
  if (known) return;
  const candidates = [...fields, ...inner.map((name) => `${first}.${name}`)];
  yield error('unknown-field', document.at(['spec', 'ignore', index, 'field']), `${kind} has no field \`${field}\``, {
    expected: candidates.join(', '),
    didYouMean: suggest(field, candidates),
  });
}
