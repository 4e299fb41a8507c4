import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bench, groupBody, NETWORK, outcome, ruleBody } from './bench.ts';

const NSG = `${NETWORK}/networkSecurityGroups/nsg`;
const RULE = `${NSG}/securityRules/r`;

const asg = (name: string): object => ({ id: `${NETWORK}/applicationSecurityGroups/${name}` });

const without = (name: string): object => ({ [name]: undefined });

interface Row {
  readonly name: string;
  readonly more: object;
  readonly want: string;
}

const rows: readonly Row[] = [
  { name: 'as it stands', more: {}, want: '201' },
  { name: 'protocol in capitals', more: { protocol: 'TCP' }, want: '201' },
  { name: 'any protocol', more: { protocol: '*' }, want: '201' },
  { name: 'a number for protocol', more: { protocol: '6' }, want: '400 SecurityRuleInvalidProtocol' },
  { name: 'no protocol', more: without('protocol'), want: '400 SecurityRuleInvalidProtocol' },
  { name: 'access in small letters', more: { access: 'allow' }, want: '201' },
  { name: 'another access', more: { access: 'Permit' }, want: '400 SecurityRuleInvalidAccess' },
  { name: 'direction in capitals', more: { direction: 'OUTBOUND' }, want: '201' },
  { name: 'no direction', more: without('direction'), want: '400 SecurityRuleInvalidDirection' },
  { name: 'priority 99', more: { priority: 99 }, want: '400 SecurityRuleInvalidPriority' },
  { name: 'priority 4096', more: { priority: 4096 }, want: '201' },
  { name: 'priority 4097', more: { priority: 4097 }, want: '400 SecurityRuleInvalidPriority' },
  { name: 'no priority', more: without('priority'), want: '400 SecurityRuleInvalidPriority' },
  { name: 'half a priority', more: { priority: 100.5 }, want: '400 SecurityRuleInvalidPriority' },
  { name: 'a description of 140', more: { description: 'd'.repeat(140) }, want: '201' },
  { name: 'a description of 141', more: { description: 'd'.repeat(141) }, want: '400 SecurityRuleInvalidDescription' },
  { name: 'no source', more: without('sourceAddressPrefix'), want: '400 SecurityRuleParameterNotSpecified' },
  { name: 'an empty source', more: { sourceAddressPrefix: '' }, want: '400 SecurityRuleParameterNotSpecified' },
  {
    name: 'a source said twice',
    more: { sourceAddressPrefixes: ['10.0.0.0/8'] },
    want: '400 SecurityRuleParameterNotSpecified',
  },
  { name: 'no source port', more: without('sourcePortRange'), want: '400 SecurityRuleParameterNotSpecified' },
  { name: 'ports said twice', more: { destinationPortRanges: ['80'] }, want: '400 SecurityRuleParameterNotSpecified' },
  { name: 'an empty list beside', more: { sourceAddressPrefixes: [], destinationPortRanges: [] }, want: '201' },
  { name: 'a bare address', more: { sourceAddressPrefix: '203.0.113.7' }, want: '201' },
  { name: 'a block', more: { sourceAddressPrefix: '203.0.113.0/24' }, want: '201' },
  {
    name: 'a block with host bits',
    more: { sourceAddressPrefix: '50.206.209.68/27' },
    want: '400 SecurityRuleInvalidAddressPrefix',
  },
  { name: 'IPv6', more: { sourceAddressPrefix: '2001:DB8::/32' }, want: '201' },
  {
    name: 'IPv6 with host bits',
    more: { sourceAddressPrefix: '2001:db8::1/32' },
    want: '400 SecurityRuleInvalidAddressPrefix',
  },
  { name: 'a tag in small letters', more: { sourceAddressPrefix: 'virtualnetwork' }, want: '201' },
  { name: 'a service’s tag in a region', more: { sourceAddressPrefix: 'Storage.WestEurope' }, want: '201' },
  {
    name: 'a tag that there is not',
    more: { sourceAddressPrefix: 'AzureBastionSubnet' },
    want: '400 SecurityRuleInvalidAddressPrefix',
  },
  { name: 'any', more: { sourceAddressPrefix: 'any' }, want: '400 SecurityRuleInvalidAddressPrefix' },
  {
    name: 'a tag in a list',
    more: { ...without('sourceAddressPrefix'), sourceAddressPrefixes: ['Internet'] },
    want: '400 SecurityRuleParameterContainsUnsupportedValue',
  },
  {
    name: '* in a list',
    more: { ...without('sourceAddressPrefix'), sourceAddressPrefixes: ['*'] },
    want: '400 SecurityRuleParameterContainsUnsupportedValue',
  },
  {
    name: 'a bad block in a list',
    more: { ...without('sourceAddressPrefix'), sourceAddressPrefixes: ['10.0.0.0/8', '10.0.0.0/33'] },
    want: '400 SecurityRuleInvalidAddressPrefix',
  },
  {
    name: 'ports in a list',
    more: { ...without('destinationPortRange'), destinationPortRanges: ['80', '8000-8100'] },
    want: '201',
  },
  {
    name: '* in a list of ports',
    more: { ...without('destinationPortRange'), destinationPortRanges: ['*'] },
    want: '400 SecurityRuleParameterContainsInvalidPortRanges',
  },
  { name: 'two ports in one', more: { destinationPortRange: '80,443' }, want: '400 SecurityRuleInvalidPortRange' },
  { name: 'ports backwards', more: { destinationPortRange: '90-80' }, want: '400 SecurityRuleInvalidPortRange' },
  { name: 'port 65536', more: { destinationPortRange: '65536' }, want: '400 SecurityRuleInvalidPortRange' },
  { name: 'all ports by number', more: { destinationPortRange: '0-65535' }, want: '201' },
  {
    name: 'groups on both sides',
    more: {
      ...without('sourceAddressPrefix'),
      ...without('destinationAddressPrefix'),
      sourceApplicationSecurityGroups: [asg('web')],
      destinationApplicationSecurityGroups: [asg('WEB')],
    },
    want: '201',
  },
  {
    name: 'a group and a prefix',
    more: { sourceApplicationSecurityGroups: [asg('web')] },
    want: '400 SecurityRuleParameterNotSpecified',
  },
  {
    name: 'a group and an empty prefix',
    more: { sourceAddressPrefix: '', sourceApplicationSecurityGroups: [asg('web')] },
    want: '201',
  },
  {
    name: 'a group that is not there',
    more: { ...without('sourceAddressPrefix'), sourceApplicationSecurityGroups: [asg('no')] },
    want: '400 InvalidResourceReference',
  },
  {
    name: 'a group of another location',
    more: { ...without('sourceAddressPrefix'), sourceApplicationSecurityGroups: [asg('far')] },
    want: '400 InvalidResourceReference',
  },
  { name: 'the priority of another', more: { priority: 4000 }, want: '400 SecurityRuleConflict' },
  { name: 'the priority of another, the other way', more: { priority: 4000, direction: 'Outbound' }, want: '201' },
  { name: 'a property that there is not', more: { ports: ['80'] }, want: '400 InvalidRequestFormat' },
];

describe('a security rule', () => {
  for (const { name, more, want } of rows) {
    it(`${name}: ${want}, by its own URL and inline`, async () => {
      await using made = await bench();
      for (const [group, location] of [
        ['web', 'westeurope'],
        ['far', 'eastus'],
      ])
        await made.send('PUT', `${NETWORK}/applicationSecurityGroups/${group}`, { body: { location } });
      const taken = ruleBody('taken', 4000);
      await made.send('PUT', NSG, { body: groupBody(taken) });
      assert.equal(outcome(await made.send('PUT', RULE, { body: ruleBody('r', 100, more) })), want);
      const inline = await made.send('PUT', NSG, { body: groupBody(taken, ruleBody('r', 100, more)) });
      assert.equal(outcome(inline), want.replace('201', '200'));
    });
  }

  const spellings: readonly { readonly more: object; readonly want: object }[] = [
    {
      more: { protocol: 'TCP', access: 'allow', direction: 'inbound' },
      want: { protocol: 'TCP', access: 'Allow', direction: 'Inbound' },
    },
    { more: { sourceAddressPrefix: 'virtualnetwork' }, want: { sourceAddressPrefix: 'virtualnetwork' } },
    {
      more: { ...without('destinationPortRange'), destinationPortRanges: ['80'] },
      want: { destinationPortRange: undefined, destinationPortRanges: ['80'] },
    },
    {
      more: { ...without('sourceAddressPrefix'), sourceApplicationSecurityGroups: [asg('web')] },
      want: { sourceAddressPrefix: '', sourceAddressPrefixes: [], sourceApplicationSecurityGroups: [asg('web')] },
    },
    {
      more: {},
      want: { description: undefined, sourceApplicationSecurityGroups: undefined, sourceAddressPrefixes: [] },
    },
  ];
  for (const { more, want } of spellings) {
    it(`${JSON.stringify(more)} is reported as ${JSON.stringify(want)}`, async () => {
      await using made = await bench();
      await made.send('PUT', `${NETWORK}/applicationSecurityGroups/web`, { body: { location: 'westeurope' } });
      await made.send('PUT', NSG, { body: groupBody(ruleBody('r', 100, more)) });
      const { body } = await made.send('GET', RULE);
      const reported = Object.fromEntries(Object.keys(want).map((key) => [key, body.properties[key]]));
      assert.deepEqual(reported, want);
    });
  }

  it('without a name, or twice under one, is refused inline', async () => {
    await using made = await bench();
    const put = async (...rules: readonly object[]) =>
      outcome(await made.send('PUT', NSG, { body: groupBody(...rules) }));
    assert.equal(await put({ ...ruleBody('x', 100), name: undefined }), '400 InvalidResourceName');
    assert.equal(await put(ruleBody('x', 100), ruleBody('X', 101)), '400 DuplicateResourceName');
  });
});
