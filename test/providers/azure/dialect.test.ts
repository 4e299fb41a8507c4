import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { dialect } from '../../../providers/azure/dialect.ts';
import type { Atom, RuleDraft } from '../../../src/core/compile/dialect.ts';

const place = { account: 'AAAA0000-1111-2222-3333-444455556666', region: 'West Europe', resourceGroup: 'RG-Prod' };
const at = 'azure/aaaa0000-1111-2222-3333-444455556666/westeurope/rg-prod';
const network = `${at}/network/core`;
const web = `${at}/group/core.web`;

interface Over {
  readonly name?: string;
  readonly group?: string;
  readonly base?: Partial<RuleDraft['base']>;
  readonly ports?: readonly string[];
  readonly peers?: readonly string[];
  readonly priority?: number;
}

const draft = (over: Over = {}): RuleDraft => ({
  name: over.name ?? 'web-https',
  network,
  group: over.group ?? web,
  base: { direction: 'ingress', action: 'allow', protocol: 'tcp', ...over.base },
  traffic: { ports: over.ports ?? ['443'], peers: over.peers ?? ['0.0.0.0/0'] },
  extra: { description: 'd', priority: over.priority ?? 1000, disabled: false, log: false },
});

const matches = (rule: RuleDraft): readonly string[] =>
  dialect.rules
    .atoms(rule)
    .map(({ attributes: { match } }) => `${match.protocol} ${match.ports} ${match.peers.join(' ')}`);
const names = (rule: RuleDraft): readonly string[] => dialect.rules.atoms(rule).map(({ name }) => name);

describe('how Azure says a rule', () => {
  const rows: readonly { readonly name: string; readonly rule: RuleDraft; readonly want: readonly string[] }[] = [
    { name: 'one port, one block: one rule', rule: draft(), want: ['tcp 443 0.0.0.0/0'] },
    {
      name: 'all ranges and all IPv4 blocks in one rule, merged and sorted',
      rule: draft({ ports: ['8000-8100', '443', '8101'], peers: ['10.9.0.0/16', '10.1.0.0/16'] }),
      want: ['tcp 443,8000-8101 10.1.0.0/16 10.9.0.0/16'],
    },
    {
      name: 'families apart',
      rule: draft({ peers: ['10.0.0.0/8', '2001:db8::/32', '11.0.0.0/8'] }),
      want: ['tcp 443 10.0.0.0/8 11.0.0.0/8', 'tcp 443 2001:db8::/32'],
    },
    {
      name: 'a rule for each group, and for each service tag',
      rule: draft({
        peers: [`group:${at}/group/core.lb`, `group:${web}`, 'service-tag:Storage', 'service-tag:Sql', '10.0.0.0/8'],
      }),
      want: [
        `tcp 443 group:${at}/group/core.lb`,
        `tcp 443 group:${web}`,
        'tcp 443 service-tag:Storage',
        'tcp 443 service-tag:Sql',
        'tcp 443 10.0.0.0/8',
      ],
    },
    {
      name: 'one service tag in two spellings: one rule',
      rule: draft({ peers: ['service-tag:VirtualNetwork', 'service-tag:virtualnetwork'] }),
      want: ['tcp 443 service-tag:VirtualNetwork'],
    },
    { name: 'anyone is one word for both families', rule: draft({ peers: ['any'] }), want: ['tcp 443 any'] },
    { name: 'the whole range is all ports', rule: draft({ ports: ['0-65535'] }), want: ['tcp all 0.0.0.0/0'] },
    { name: 'ranges that make the whole', rule: draft({ ports: ['0-99', '100-65535'] }), want: ['tcp all 0.0.0.0/0'] },
    {
      name: 'every protocol',
      rule: draft({ base: { protocol: 'all' }, ports: ['all'] }),
      want: ['all all 0.0.0.0/0'],
    },
    {
      name: 'numbers that have names get them',
      rule: draft({ base: { protocol: '17' } }),
      want: ['udp 443 0.0.0.0/0'],
    },
    { name: 'ESP', rule: draft({ base: { protocol: '50' }, ports: ['all'] }), want: ['50 all 0.0.0.0/0'] },
    { name: 'icmp', rule: draft({ base: { protocol: 'icmp' }, ports: ['all'] }), want: ['icmp all 0.0.0.0/0'] },
  ];
  for (const { name, rule, want } of rows) test(name, () => assert.deepEqual(matches(rule), want));

  const refused: readonly { readonly name: string; readonly rule: RuleDraft }[] = [
    { name: 'icmpv6', rule: draft({ base: { protocol: 'icmpv6' }, ports: ['all'] }) },
    { name: 'sctp', rule: draft({ base: { protocol: '132' }, ports: ['all'] }) },
    { name: 'one type of icmp', rule: draft({ base: { protocol: 'icmp' }, ports: ['8/0'] }) },
    { name: 'a prefix list', rule: draft({ peers: ['prefix-list:pl-1'] }) },
  ];
  for (const { name, rule } of refused)
    test(`${name} is refused, not forgotten`, () => assert.throws(() => dialect.rules.atoms(rule), RangeError));

  test('what else a rule says is on every atom', () => {
    const atoms = dialect.rules.atoms(draft({ peers: ['10.0.0.0/8', '::/0'], priority: 300 }));
    for (const { attributes } of atoms) {
      assert.deepEqual([attributes.network, attributes.description], [network, 'd']);
      assert.deepEqual([attributes.order, attributes.match.targets], [{ priority: 300 }, [web]]);
      assert.equal(attributes.group, undefined, 'the network holds it');
    }
  });
});

describe('what a rule is called', () => {
  test('by its document and eight digits', () => assert.match(names(draft())[0] ?? '', /^web-https-[0-9a-f]{8}$/));
  test('in lower case, as Azure takes names in any', () =>
    assert.match(names(draft({ name: 'Web-HTTPS' }))[0] ?? '', /^web-https-[0-9a-f]{8}$/));

  const other: readonly { readonly name: string; readonly rule: RuleDraft; readonly same: boolean }[] = [
    { name: 'other ports', rule: draft({ ports: ['80'] }), same: true },
    { name: 'other blocks', rule: draft({ peers: ['10.0.0.0/8'] }), same: true },
    { name: 'another protocol', rule: draft({ base: { protocol: 'udp' } }), same: true },
    { name: 'another priority', rule: draft({ priority: 200 }), same: true },
    { name: 'another direction', rule: draft({ base: { direction: 'egress' } }), same: false },
    { name: 'another action', rule: draft({ base: { action: 'deny' } }), same: false },
    { name: 'another group', rule: draft({ group: `${at}/group/core.lb` }), same: false },
    { name: 'a group as its peer', rule: draft({ peers: [`group:${web}`] }), same: false },
    { name: 'the other family', rule: draft({ peers: ['::/0'] }), same: false },
    { name: 'anyone', rule: draft({ peers: ['any'] }), same: false },
    { name: 'another document', rule: draft({ name: 'web' }), same: false },
    { name: 'a document in another case', rule: draft({ name: 'WEB-https' }), same: false },
    { name: 'a renamed network', rule: draft({ group: `${at}/group/main.web` }), same: true },
  ];
  const own = names(draft())[0];
  for (const { name, rule, same } of other)
    test(`${name}: ${same ? 'the same rule, changed in place' : 'another rule'}`, () =>
      assert.equal(names(rule)[0] === own, same));

  test('a family more leaves the rule of the first as it is', () =>
    assert.equal(names(draft({ peers: ['0.0.0.0/0', '::/0'] }))[0], own));
  test('atoms of one rule differ', () => {
    const all = names(draft({ peers: ['10.0.0.0/8', '::/0', 'service-tag:Sql', `group:${web}`] }));
    assert.equal(new Set(all).size, 4);
  });
});

describe('how Azure says a default', () => {
  const said = (ingress: 'allow' | 'deny', egress: 'allow' | 'deny'): readonly (Atom & { presence: string })[] =>
    dialect.rules.defaults({ network, groups: [web], default: { ingress, egress } }).map((atom) => ({ ...atom }));
  const text = (atoms: readonly Atom[]): readonly string[] =>
    atoms.map(
      ({ attributes: { match, order } }) => `${match.direction} ${match.action} ${match.peers} ${order?.priority}`,
    );

  const rows = [
    ['deny', 'allow', ['ingress deny service-tag:VirtualNetwork 4096']],
    ['allow', 'allow', ['ingress allow any 4096']],
    ['deny', 'deny', ['ingress deny service-tag:VirtualNetwork 4096', 'egress deny any 4096']],
  ] as const;
  for (const [ingress, egress, want] of rows)
    test(`ingress ${ingress}, egress ${egress}`, () => assert.deepEqual(text(said(ingress, egress)), want));

  test('they are stated, and apply to everyone', () => {
    for (const { presence, attributes } of said('deny', 'deny'))
      assert.deepEqual([presence, attributes.match.targets], ['stated', []]);
  });
  test('allow becomes deny under one name: one number cannot be held twice', () =>
    assert.equal(said('allow', 'allow')[0]?.name, said('deny', 'allow')[0]?.name));
  test('the two directions have two names', () => {
    const [ingress, egress] = said('deny', 'deny').map(({ name }) => name);
    assert.match(ingress ?? '', /^default-ingress-[0-9a-f]{8}$/);
    assert.match(egress ?? '', /^default-egress-[0-9a-f]{8}$/);
  });
});

describe('where things are on Azure', () => {
  test('the scope is subscription and location, without case or blanks', () =>
    assert.equal(dialect.scope(place), at.slice(0, at.lastIndexOf('/'))));
  test('the prefix adds the resource group', () => assert.equal(dialect.names.prefix('network', place), at));
  const rows = [
    ['network', 'core', 'core'],
    ['subnet', 'core.app', 'app'],
    ['group', 'core.web', 'core-web'],
    ['instance', 'web-0', 'web-0'],
    ['firewall-rule', 'core.web-https-1a2b3c4d', 'web-https-1a2b3c4d'],
  ] as const;
  for (const [kind, name, want] of rows)
    test(`${kind} ${name} is called ${want}`, () => assert.equal(dialect.names.objectName(kind, name), want));
  test('numbers begin at 100 and leave 4096 to the defaults', () =>
    assert.deepEqual(dialect.rules.numbering, { first: 100, last: 4095, gap: 10 }));
});
