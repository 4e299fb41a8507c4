import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { machineIn, network, rule } from '../support/engine-world/documents.ts';
import { type FleetWorld, fleetWorld, there } from '../support/fleet-world.ts';

const policy = (spec: object = {}): object => ({
  kind: 'Policy',
  metadata: { name: 'open' },
  spec: {
    ...{ kinds: ['firewall-rule'], mode: 'enforce' },
    rules: [
      { name: 'ssh', deny: "resource.direction == 'ingress' && resource.opens(22)", message: 'Use the bastion.' },
    ],
    ...spec,
  },
});

const exemptions = [{ resources: ['*'], owner: 'team-net', reason: 'a bastion', until: '9999-01-01' }];
const ground = network({ internet: true });
const ssh = rule('ssh', { ports: [22] });
const https = rule('https', { ports: [443] });

const changes = (deny: string, more: object = {}): object =>
  policy({ rules: [{ name: 'change', deny, message: 'Ask team-net.' }], ...more });

/** The ingress ports that stand. */
const openPorts = ({ cloud }: FleetWorld): readonly string[] =>
  cloud.outside
    .do('ListRules', {})
    .items.flatMap(({ match: { direction, from } }) => (direction === 'ingress' && from >= 0 ? [String(from)] : []))
    .toSorted();

describe('a policy in enforce mode, in a fleet', () => {
  it('withholds what it denies, and all else goes on', async () => {
    const world = fleetWorld();
    await world.accept([ground, ssh, https, policy()]);
    await world.reconcile();
    assert.deepEqual(openPorts(world), ['443']);
    assert.match(world.said().at(-1) ?? '', /withheld: policy 1/);
  });

  for (const [name, specs] of [
    ['a policy that goes', []],
    ['a policy that is back in audit', [policy({ mode: 'audit' })]],
    ['an exemption that comes', [policy({ exemptions })]],
    ['a rule of a policy that is looser', [policy({ rules: [{ name: 'ssh', deny: 'false', message: 'x' }] })]],
    ['a policy that is of other targets', [policy({ targets: ['there'] })]],
  ] as const)
    it(`${name}, counts from the next generation on`, async () => {
      const world = fleetWorld();
      await world.accept([there, ground, https, policy()]);
      await world.reconcile();
      await world.accept([there, ground, https, ssh, ...specs]);
      await world.reconcile();
      assert.deepEqual(openPorts(world), ['443'], 'in the generation that loosens it');
      await world.accept([there, ground, https, ssh, ...specs, rule('later', { ports: [8080] })]);
      await world.reconcile();
      assert.deepEqual(openPorts(world), ['22', '443', '8080'], 'in the next one');
    });

  it('an exemption that is there from the start lets it pass', async () => {
    const world = fleetWorld();
    await world.accept([ground, ssh, policy({ exemptions })]);
    await world.reconcile();
    assert.deepEqual(openPorts(world), ['22']);
  });

  it('a removed policy still holds, also under a new name of its target', async () => {
    const again = (name: string): object => ({
      kind: 'Target',
      metadata: { name },
      spec: { provider: 'memory', account: 'acme', region: 'north' },
    });
    const world = fleetWorld();
    await world.accept([again('again'), ground, https, policy({ targets: ['here'] })]);
    await world.reconcile();
    await world.accept([again('again'), network({ internet: true, targets: ['again'] }), https, ssh]);
    await world.reconcile();
    assert.deepEqual(openPorts(world), ['443']);
  });

  it('all parts of a changed document wait together', async () => {
    const world = fleetWorld();
    const narrow = rule('any', { ports: [443], peers: { cidrs: ['10.9.0.0/16'] } });
    await world.accept([ground, narrow, policy()]);
    await world.reconcile();
    await world.accept([ground, rule('any', { ports: [22], peers: { cidrs: ['10.9.0.0/16'] } }), policy()]);
    await world.reconcile();
    assert.deepEqual(openPorts(world), ['443']);
  });
});

describe('a policy and the healing of drift to a former generation', () => {
  const machine = (tier: string) => machineIn({ image: 'img-1', size: 'small' })('web', {}, { labels: { tier } });
  const denies = (tier: string): object => ({
    kind: 'Policy',
    metadata: { name: 'tiers' },
    spec: {
      ...{ kinds: ['instance'], mode: 'enforce' },
      rules: [{ name: 'tier', deny: `resource.labels.tier == '${tier}'`, message: 'Choose another tier.' }],
    },
  });
  const tierIn = ({ cloud }: FleetWorld): unknown =>
    cloud.outside.do('ListInstances', {}).items.map(({ tags }) => tags['tier'])[0];
  const edit = (world: FleetWorld): void => {
    const ids = world.cloud.outside.do('ListInstances', {}).items.map(({ id }) => id);
    world.cloud.outside.do('TagObjects', { ids, tags: { tier: 'by hand' } });
  };

  it('goes on where only the newest generation is denied', async () => {
    const world = fleetWorld();
    await world.accept([ground, machine('a'), denies('c')]);
    await world.reconcile();
    await world.accept([ground, machine('c'), denies('c')]);
    await world.reconcile();
    edit(world);
    await world.clock.advance(600_000);
    await world.reconcile();
    assert.equal(tierIn(world), 'a');
  });

  it('does not restore what the newest policy denies', async () => {
    const world = fleetWorld();
    const { store, clock } = world;
    await world.accept([ground, machine('a')]);
    await world.reconcile();
    await world.accept([ground, machine('b'), denies('a')]);
    const pause = { what: 'rollout', of: { by: 'estate' }, reason: 'x', person: 'ada' } as const;
    await store.fleet.pauses.begin('acme', { ...pause, until: clock.now() + 3_600_000 });
    await world.reconcile();
    edit(world);
    await world.clock.advance(600_000);
    await world.reconcile();
    assert.equal(tierIn(world), 'by hand');
  });
});

describe('rules about changes in enforce mode, in a fleet', () => {
  const open = rule('https', { ports: [443], peers: { cidrs: ['0.0.0.0/0'] } });

  it('withholds deletions where a rule about actions denies them, and all else goes on', async () => {
    const world = fleetWorld();
    const deletes = changes("action.verb == 'delete' && resource.name == 'core.https'");
    await world.accept([ground, https, ssh, deletes]);
    await world.reconcile();
    assert.deepEqual(openPorts(world), ['22', '443']);
    await world.accept([ground, deletes]);
    await world.reconcile();
    assert.deepEqual(openPorts(world), ['443']);
    assert.match(world.said().at(-1) ?? '', /withheld: policy 1/);
  });

  it('withholds all deletions of a plan that has too many', async () => {
    const world = fleetWorld();
    const few = changes("action.verb == 'delete' && plan.deletes > 1");
    await world.accept([ground, https, ssh, few]);
    await world.reconcile();
    await world.accept([ground, few]);
    await world.reconcile();
    assert.deepEqual(openPorts(world), ['22', '443']);
    await world.accept([ground, ssh, few]);
    await world.reconcile();
    assert.deepEqual(openPorts(world), ['22']);
  });

  it('withholds a rule by the traffic that it opens to machines', async () => {
    const world = fleetWorld();
    const web = machineIn({ image: 'img-1', size: 'small' })('web', { publicIp: true });
    const effect = changes('effect.opens.exists(one, one.fromAnyone && one.includes(443))');
    await world.accept([ground, web, effect]);
    await world.reconcile();
    await world.accept([
      ground,
      web,
      open,
      rule('inner', { ports: [8443], peers: { cidrs: ['10.9.0.0/16'] } }),
      effect,
    ]);
    await world.reconcile();
    assert.deepEqual(openPorts(world), ['8443']);
  });

  it('a rule about changes that goes counts from the next generation on', async () => {
    const world = fleetWorld();
    await world.accept([ground, https, changes("action.verb == 'delete'")]);
    await world.reconcile();
    await world.accept([ground]);
    await world.reconcile();
    assert.deepEqual(openPorts(world), ['443']);
    await world.accept([ground, ssh]);
    await world.reconcile();
    assert.deepEqual(openPorts(world), ['22']);
  });

  it('a port that a colleague opened is closed, against any rule about actions', async () => {
    const world = fleetWorld();
    await world.accept([ground, https, changes("action.verb == 'delete'")]);
    await world.reconcile();
    const [group] = world.cloud.outside
      .do('ListRules', {})
      .items.flatMap((one) => (one.match.from === 443 ? [one.group] : []));
    assert.ok(group);
    world.cloud.outside.do('AuthorizeRules', {
      group,
      direction: 'ingress',
      rules: [{ description: 'by hand', protocol: 'tcp', from: 23, to: 23, peer: '0.0.0.0/0' }],
    });
    assert.deepEqual(openPorts(world), ['23', '443']);
    await world.clock.advance(600_000);
    await world.reconcile();
    assert.deepEqual(openPorts(world), ['443']);
  });
});

describe('a rule about the effect, in a fleet', () => {
  it('an effect that nobody knows is denied: a listing failed', async () => {
    const world = fleetWorld();
    const web = machineIn({ image: 'img-1', size: 'small' })('web', { publicIp: true });
    const effect = changes('effect.opens.exists(one, one.fromAnyone && !one.includes(443))');
    await world.accept([ground, web, effect]);
    await world.reconcile();
    world.cloud.faults.add({ on: 'ListInstances', fault: { do: 'refuse', code: 'Denied' } });
    await world.accept([ground, web, rule('ssh', { ports: [22] }), effect]);
    await world.reconcile();
    assert.deepEqual(openPorts(world), []);
  });
});
