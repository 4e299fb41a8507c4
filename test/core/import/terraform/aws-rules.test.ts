import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { stateRules } from '../../../../src/core/import/terraform/aws-rules.ts';
import type { StateAttributes } from '../../../../src/core/import/terraform/state.ts';

const [ingress, egress, old] = [
  'aws_vpc_security_group_ingress_rule',
  'aws_vpc_security_group_egress_rule',
  'aws_security_group_rule',
];
const https = { from_port: '443', to_port: '443', ip_protocol: 'tcp' };
const oldHttps = { from_port: '443', to_port: '443', protocol: 'tcp', type: 'ingress' };
const block = { cidr_ipv4: '10.0.0.0/8' };

type Row = readonly [
  name: string,
  type: string,
  text: StateAttributes['text'],
  lists: StateAttributes['lists'],
  rules: readonly string[] | undefined,
];

const rows: readonly Row[] = [
  ['a block', ingress, { ...https, ...block }, {}, ['ingress tcp 443 10.0.0.0/8']],
  ['the other direction', egress, { ...https, ...block }, {}, ['egress tcp 443 10.0.0.0/8']],
  ['a protocol by number', ingress, { ...https, ...block, ip_protocol: '17' }, {}, ['ingress udp 443 10.0.0.0/8']],
  ['a protocol without ports', ingress, { ...https, ...block, ip_protocol: '50' }, {}, ['ingress 50 all 10.0.0.0/8']],
  ['a range', ingress, { ...https, ...block, to_port: '445' }, {}, ['ingress tcp 443-445 10.0.0.0/8']],
  ['all ports', ingress, { ...https, ...block, from_port: '0', to_port: '65535' }, {}, ['ingress tcp all 10.0.0.0/8']],
  ['all traffic', egress, { ip_protocol: '-1', cidr_ipv4: '0.0.0.0/0' }, {}, ['egress all all 0.0.0.0/0']],
  [
    'all traffic by 0',
    old,
    { type: 'egress', protocol: '-1', from_port: '0', to_port: '0', self: 'true' },
    {},
    ['egress all all group:sg-1'],
  ],
  [
    'an ICMP type',
    ingress,
    { ...block, ip_protocol: 'icmp', from_port: '8', to_port: '-1' },
    {},
    ['ingress icmp 8/all 10.0.0.0/8'],
  ],
  [
    'an ICMP code',
    ingress,
    { ...block, ip_protocol: '1', from_port: '3', to_port: '4' },
    {},
    ['ingress icmp 3/4 10.0.0.0/8'],
  ],
  [
    'all ICMP',
    ingress,
    { ip_protocol: 'icmpv6', from_port: '-1', to_port: '-1', cidr_ipv6: '::/0' },
    {},
    ['ingress icmpv6 all ::/0'],
  ],
  ['a group', ingress, { ...https, referenced_security_group_id: 'sg-2' }, {}, ['ingress tcp 443 group:sg-2']],
  ['a prefix list', egress, { ...https, prefix_list_id: 'pl-1' }, {}, ['egress tcp 443 prefix-list:pl-1']],
  [
    'itself, said twice',
    old,
    { ...oldHttps, self: 'true', source_security_group_id: 'sg-1' },
    {},
    ['ingress tcp 443 group:sg-1'],
  ],
  [
    'several peers, in the spelling of documents',
    old,
    { ...oldHttps, self: 'false' },
    { cidr_blocks: ['10.0.0.0/8'], ipv6_cidr_blocks: ['2001:DB8:0::/32'], prefix_list_ids: ['pl-1'] },
    ['ingress tcp 443 10.0.0.0/8', 'ingress tcp 443 2001:db8::/32', 'ingress tcp 443 prefix-list:pl-1'],
  ],
  ['no peer', old, oldHttps, { cidr_blocks: [] }, undefined],
  ['no direction', old, { ...oldHttps, type: 'both', self: 'true' }, {}, undefined],
  ['no protocol', ingress, block, {}, undefined],
];

describe('the rules of a resource', () => {
  for (const [name, type, text, lists, rules] of rows)
    test(name, () => {
      const found = stateRules(type, { text: { security_group_id: 'sg-1', ...text }, lists });
      assert.deepEqual(
        found?.matches.map(({ direction, protocol, ports, peers }) => [direction, protocol, ports, ...peers].join(' ')),
        rules,
      );
    });

  test('none without its group', () => {
    assert.equal(stateRules(ingress, { text: { ...https, ...block }, lists: {} }), undefined);
  });
});
