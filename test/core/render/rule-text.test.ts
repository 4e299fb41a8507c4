import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ruleText } from '../../../src/core/render/plan-text.ts';
import type { RuleAttributes, RuleMatch } from '../../../src/core/resource.ts';

const base: RuleMatch = { direction: 'ingress', action: 'allow', protocol: 'tcp', ports: '443', peers: ['10.0.0.0/8'] };
const rule = (match: Partial<RuleMatch>, more: Partial<RuleAttributes> = {}): RuleAttributes => ({
  network: 'vnet',
  match: { ...base, ...match },
  description: '',
  ...more,
});

const rows: readonly { readonly name: string; readonly rule: RuleAttributes; readonly want: string }[] = [
  {
    name: 'in a group',
    rule: rule({}, { group: 'aws/1/eu/group/core.web' }),
    want: 'ingress tcp 443 from 10.0.0.0/8 to core.web',
  },
  {
    name: 'for a tag',
    rule: rule({ targets: ['tag:core-web'], peers: ['tag:core-lb'] }, { order: { priority: 1000 } }),
    want: 'ingress tcp 443 from core-lb to core-web, priority 1000',
  },
  {
    name: 'for everyone in the network, switched off',
    rule: rule({ targets: [], action: 'deny', ports: 'all' }, { order: { priority: 9, disabled: true } }),
    want: 'deny ingress tcp from 10.0.0.0/8 to everyone, priority 9, disabled',
  },
  {
    name: 'out of a group',
    rule: rule({
      direction: 'egress',
      targets: ['azure/s/weu/rg/group/core.web'],
      peers: ['group:azure/s/weu/rg/group/core.db'],
    }),
    want: 'egress tcp 443 from core.web to core.db',
  },
];
for (const { name, rule: given, want } of rows) test(`a rule ${name}`, () => assert.equal(ruleText(given), want));
