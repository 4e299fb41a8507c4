import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { SecurityRule } from '@azure/arm-network';
import { dialect } from '../../../providers/azure/dialect.ts';
import { canonicalId } from '../../../providers/azure/ids.ts';
import { readMatch, writeRule } from '../../../providers/azure/security-rule.ts';
import { diff, type FieldChange } from '../../../src/core/diff.ts';
import type { Observed } from '../../../src/core/observed.ts';
import type { RuleAttributes } from '../../../src/core/resource.ts';
import { desiredOf } from '../../support/fixtures.ts';
import { ruleCases, type Said, web } from './rule-cases.ts';

/** As the spec layer hands it over. */
function wanted(said: Said): RuleAttributes {
  const { protocol = 'tcp', ports = ['443'], peers = ['10.0.0.0/8'], description = '', priority = 1000 } = said;
  const { direction = 'ingress', action = 'allow' } = said;
  const [atom] = dialect.rules.atoms({
    name: 'web-https',
    network: 'vnet-1',
    group: web,
    base: { direction, action, protocol },
    traffic: { ports, peers },
    extra: { description, priority, disabled: false, log: false },
  });
  assert.ok(atom);
  return atom.attributes;
}

const seen = (rule: SecurityRule): RuleAttributes => ({
  network: 'vnet-1',
  match: readMatch(rule, canonicalId),
  description: rule.description ?? '',
  ...(rule.priority === undefined ? {} : { order: { priority: rule.priority } }),
});

/** The planner's diff, once the desired rule is in the cloud's words. */
function changes(said: Said, rule: SecurityRule): readonly FieldChange[] {
  const desired = desiredOf('firewall-rule', {
    address: 'azure/s/l/rg/firewall-rule/x',
    name: 'x',
    attributes: wanted(said),
  });
  const observed: Observed<'firewall-rule'> = {
    kind: 'firewall-rule',
    id: 'x',
    name: 'x',
    attributes: seen(rule),
    signs: {},
    condition: { state: 'ready' },
  };
  return diff((dialect.matchSpelling?.(desired, observed) ?? desired).attributes, observed.attributes);
}

describe('rules: same or drift', () => {
  for (const { id, name, spec, cloud, want } of ruleCases) {
    test(`${id}: ${name}: ${want}`, () => {
      const found = changes(spec, cloud);
      if (want === 'same') assert.deepEqual(found, []);
      else assert.notDeepEqual(found, []);
    });
  }
});

describe('what is sent is read back as it was meant', () => {
  for (const { id, name, spec } of ruleCases)
    test(`${id}: ${name}`, () => {
      // why: the properties of a rule's JSON bear the names that the SDK's flat model has
      const sent = writeRule(wanted(spec)) as SecurityRule;
      assert.deepEqual(changes(spec, sent), []);
    });

  test('a list goes as a list, one alone as one', () => {
    const { sourceAddressPrefixes, destinationPortRange, sourceAddressPrefix } = writeRule(
      wanted({ peers: ['10.1.0.0/16', '10.2.0.0/16'] }),
    ) as SecurityRule; // why: as above
    assert.deepEqual(
      [sourceAddressPrefixes, sourceAddressPrefix, destinationPortRange],
      [['10.1.0.0/16', '10.2.0.0/16'], undefined, '443'],
    );
  });
  test('a group is sent by the id that ARM has for it', () => {
    const sent = writeRule({ ...wanted({}), match: { ...wanted({}).match, targets: [`${web}#1a2b`] } });
    assert.deepEqual((sent as SecurityRule).destinationApplicationSecurityGroups, [{ id: web }]); // why: as above
  });
});
