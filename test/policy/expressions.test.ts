import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { ResourceView, RuleView } from '../../src/core/policy/view.ts';
import type { Kind } from '../../src/core/resource.ts';
import { compileExpression, faultIn, formOf, prepare } from '../../src/policy/expressions.ts';

const rule: RuleView = {
  kind: 'firewall-rule',
  address: 'aws/111122223333/eu-west-1/firewall-rule/core.ssh',
  name: 'core.ssh',
  cloud: 'aws',
  target: 'aws-prod',
  account: '111122223333',
  region: 'eu-west-1',
  labels: { team: 'net' },
  network: 'core',
  direction: 'ingress',
  action: 'allow',
  protocol: 'tcp',
  ports: [{ from: 20, to: 22 }],
  peers: ['0.0.0.0/0'],
  appliesTo: ['group:core.web'],
  disabled: false,
  log: false,
  description: 'for (ops)',
  fromAnyone: true,
  networkDefault: false,
};

const machine: ResourceView = {
  ...({ kind: 'instance', cloud: 'aws' } as const),
  ...{ address: 'aws/1/r/instance/web-0', name: 'web-0', target: 'aws', account: '1' },
  ...{ region: 'r', labels: {}, disk: { size: 20 }, settings: { metadataTokens: 'required', dataDisks: ['a', 'b'] } },
};

const outcome = (text: string, view: ResourceView, kinds: readonly Kind[] = [view.kind]) =>
  compileExpression(text, kinds)(prepare({ resource: view }));

const answers: readonly (readonly [string, ReturnType<typeof outcome>])[] = [
  ["resource.direction == 'ingress' && resource.fromAnyone && resource.opens(22)", true],
  ['resource.opens(23)', false],
  ["target.name == 'aws-prod' && target.account == resource.account && target.cloud == 'aws'", true],
  ["target.region == 'eu-west-1'", true],
  ["resource.opens(22, 'tcp')", true],
  ["resource.opens(22, 'udp')", false],
  ['resource.ports.exists(range, range.from <= 21 && range.to >= 21)', true],
  ['resource.ports[0].from == 20', true],
  ["resource.labels.team == 'net'", true],
  ["has(resource.labels.constructor) || 'toString' in resource.labels", false],
  ['has(resource.owner)', false],
  ["resource.owner == 'x'", { failed: 'no such key: owner' }],
  ['resource.priority < 100', { failed: 'no such key: priority' }],
  ["resource.name.matches('^core[.]s+h$')", true],
  ["resource.name.matches('ss')", true],
  ["resource.name.matches('^ss')", false],
  ["(resource.name + 'x').matches('hx$')", true],
  ["resource.name // matches('z')\n  . matches('ssh')", true],
  ["resource.peers.exists(peer, peer.matches('^0'))", true],
  ["resource.name.lowerAscii().matches('ssh') ? resource.name.matches('x') : true", false],
  ["resource.description == 'a.matches(' || resource.name.matches('core')", true],
  ["resource.name.matches(resource.description.matches('^for') ? 'ssh' : 'x')", true],
  ['resource.name.matches(resource.description)', false],
];

describe('an expression about a rule', () => {
  for (const [text, want] of answers) it(text, () => assert.deepEqual(outcome(text, rule), want));

  it('fails on a pattern that only the resource makes wrong', () => {
    const given = { ...rule, description: '(' };
    assert.deepEqual(outcome('resource.name.matches(resource.description)', given), {
      failed: 'error parsing regexp: missing closing ): `(`',
    });
  });

  it('answers a hostile pattern in linear time', () => {
    const from = performance.now();
    const given = { ...rule, description: `${'a'.repeat(20_000)}!` };
    assert.equal(outcome("resource.description.matches('^(a+)+$')", given), false);
    assert.ok(performance.now() - from < 2000);
  });
});

describe('an expression about an instance', () => {
  for (const [text, want] of [
    ['resource.disk.size >= 20', true],
    ['has(resource.disk.encrypted)', false],
    ["resource.settings.metadataTokens != 'required'", false],
    ["resource.settings.dataDisks.exists(disk, disk == 'b')", true],
  ] as const)
    it(text, () => assert.deepEqual(outcome(text, machine), want));

  it('fails where it needs what only another kind has', () => {
    const both = ['instance', 'firewall-rule'] as const;
    assert.deepEqual(outcome('resource.opens(22)', machine, both), { failed: 'no such key: opens' });
    assert.equal(outcome("resource.kind == 'firewall-rule' && resource.opens(22)", machine, both), false);
  });
});

const faults: readonly (readonly [string, string, number])[] = [
  ['resource.direction = 1', 'unexpected character: =', 19],
  ['resource.dirction == 1', 'no such key: dirction', 9],
  ["resource.name.matches('a') && resorce.name == 'x'", 'unknown variable: resorce', 30],
  ['resource.opens(22) && nothing(1)', "found no matching overload for 'nothing(int)'", 22],
  ["resource.opens('22')", "found no matching overload for 'Resource.opens(string)'", 0],
  ['resource.name', 'it is of type string, not true or false', 0],
  ["resource.name.matches('(')", 'error parsing regexp: missing closing ): `(`', 22],
  ['resource.name.matches("a(?=b)")', 'error parsing regexp: invalid or unsupported Perl syntax: `(?=`', 22],
];

describe('a text that is no expression', () => {
  for (const [text, message, offset] of faults)
    it(text, () => {
      const found = faultIn(text, ['firewall-rule']);
      assert.deepEqual(found && { message: found.message, offset: found.offset }, { message, offset });
    });

  it('names what other kinds have', () =>
    assert.equal(
      faultIn('resource.opens(22)', ['instance'])?.message,
      "found no matching overload for 'Resource.opens(int)'",
    ));
});

const opened = {
  ...{ from: ['0.0.0.0/0'], to: ['core.web'], fromAnyone: true, toAnyone: false, protocol: 'tcp' },
  ...{ ports: [{ from: 20, to: 25 }], machines: 14, exposed: 3, certain: true },
};
const change = {
  action: { verb: 'update', cause: 'rollout', fields: ['match.peers'], effect: 'in-place', reason: '' },
  plan: { creates: 1, updates: 2, replaces: 0, deletes: 11, adopts: 0 },
  effect: { opens: [opened], cuts: [] },
} as const;
const ofChange: readonly (readonly [string, boolean])[] = [
  ["action.verb == 'update' && 'match.peers' in action.fields", true],
  ['plan.deletes > 10 && plan.creates == 1', true],
  ['effect.opens.exists(one, one.fromAnyone && one.includes(22))', true],
  ["effect.opens.exists(one, one.includes(22, 'udp'))", false],
  ['effect.opens.exists(one, one.only(22))', false],
  ["effect.opens.exists(one, one.includes(26) || 'core.db' in one.to)", false],
  ['effect.opens[0].machines == 14 && effect.opens[0].exposed == 3 && effect.cuts.size() == 0', true],
];
for (const [text, want] of ofChange)
  it(`of a change: ${text} is ${want}`, () => {
    assert.equal(formOf(text, ['firewall-rule']).subject, 'change');
    assert.equal(compileExpression(text, ['firewall-rule'])(prepare({ resource: rule, change })), want);
  });

it('a rule about a resource is not about a change', () =>
  assert.equal(
    formOf("resource.action == 'plan.x' && resource.name == 'effect'", ['firewall-rule']).subject,
    'resource',
  ));

it('cel.bind, which doubles values, is refused', () =>
  assert.match(faultIn('cel.bind(a, [1], a + a == [1, 1])', ['network'])?.message ?? '', /cel\.bind is not allowed/));

const stranger = { age: 200, owner: '999988887777', verified: false, deprecated: true };
const ofImages: readonly (readonly [text: string, want: boolean])[] = [
  ['image.age > 180', true],
  ['has(image.age) && image.age > 200', false],
  ['image.deprecated && !image.verified', true],
  ["image.owner == '999988887777' && image.owner != resource.account", true],
];
for (const [text, want] of ofImages)
  it(`of an image: ${text} is ${want}`, () => {
    assert.equal(formOf(text, ['instance']).subject, 'image');
    assert.equal(compileExpression(text, ['instance'])(prepare({ resource: machine, image: stranger })), want);
  });

it('only a policy of machines may name an image', () =>
  assert.match(faultIn('image.deprecated', ['network'])?.message ?? '', /unknown variable: image/));

it('a rule about a change and an image is about the change', () => {
  const text = "action.verb == 'create' && image.deprecated";
  assert.equal(formOf(text, ['instance']).subject, 'change');
  assert.equal(formOf(text, ['instance']).isAboutImage, true);
});

it('a rule about a change cannot nest macros', () =>
  assert.match(
    faultIn('effect.opens.exists(a, a.ports.exists(b, b.from == 22))', ['firewall-rule'])?.message ?? '',
    /cannot have a macro within another; ask for a port with includes/,
  ));

const lengths: readonly (readonly [string, boolean])[] = [
  ['resource.fromAnyone && resource.opens(22)', true],
  ["resource.peers.exists(a, a == 'x') || resource.peers.all(b, b != 'y')", true],
  ['resource.peers.exists(a, resource.peers.exists(b, a == b))', false],
  ["resource.peers.filter(a, a != '').exists(b, b == 'x')", false],
  ["(resource.peers.exists(a, a == 'x') ? [1] : [2]).exists(c, [1].map(d, d) == [c])", false],
];
for (const [text, short] of lengths)
  it(`${text} is ${short ? 'short' : 'not short'}`, () => assert.equal(formOf(text, ['firewall-rule']).isShort, short));
