import { targetsOf } from '../placement.ts';
import { error, type Problem } from '../problem.ts';
import type { SpecSet } from '../spec-set.ts';

/**
 * Objects that no document can take over:
 *
 *   kind  | cloud        | reason
 *   ------+--------------+--------------------------------------------------------------------------
 *   rule  | AWS, Azure   | it belongs to whom its group or its network belongs
 *   rule  | Google Cloud | it bears the mark in its description, and its name says what the rule says
 *   group | Google Cloud | it is a tag, and no object
 */
export function* adoptable(set: SpecSet): Iterable<Problem> {
  for (const rule of set.rules) {
    if (rule.value.metadata.adopt === undefined) continue;
    const expected =
      'the rule without adopt: Setpoint makes its own, and leaves an unmarked firewall of Google Cloud alone';
    yield error('not-adoptable', rule.at(['metadata', 'adopt']), 'a firewall rule cannot be adopted', { expected });
  }
  for (const network of set.networks.values())
    for (const [index, { name, adopt }] of network.value.spec.groups.entries())
      for (const { value: target } of targetsOf(set, Object.keys(adopt ?? {}))) {
        if (target.spec.provider !== 'gcp') continue;
        const at = network.at(['spec', 'groups', index, 'adopt', target.metadata.name]);
        const message = `the group \`${name}\` cannot be adopted on Google Cloud: there it is a network tag, and no object`;
        yield error('not-adoptable', at, message, { expected: 'the other targets alone' });
      }
}
