import assert from 'node:assert/strict';
import { describe, it, mock, test } from 'node:test';
import { nameIn } from '../../src/core/resource.ts';
import type { Progress } from '../../src/engine/control.ts';
import { machineIn, network, network as networkOf, rule } from '../support/engine-world/documents.ts';
import { type Applied, type SmallWorld, smallWorld } from '../support/small-world.ts';

const convergeNetwork = (more: object = {}) => ({
  kind: 'Network',
  metadata: { name: 'core' },
  spec: { targets: ['here'], cidr: '10.0.0.0/16', subnets: [{ name: 'app', cidr: '10.0.1.0/24' }], ...more },
});
const convergeRule = (ports: readonly number[], name = 'https') => ({
  kind: 'FirewallRule',
  metadata: { name },
  spec: { network: 'core', group: 'web', protocol: 'tcp', ports, peers: { cidrs: ['0.0.0.0/0'] } },
});
const machines = (replicas: number, more: object = {}) => ({
  kind: 'Instance',
  metadata: { name: 'web' },
  spec: {
    targets: ['here'],
    network: 'core',
    subnet: 'app',
    groups: ['web'],
    image: 'img-1',
    size: 'small',
    replicas,
    deletionPolicy: 'delete',
    ...more,
  },
});

const settled = ({ rounds: reconciles }: Applied): readonly string[] =>
  reconciles.flatMap((reconcile) =>
    reconcile.settled.map(({ verb, kind, address }) => `${verb} ${nameIn(address, kind)}`),
  );
const findings = ({ rounds: reconciles }: Applied): readonly string[] =>
  reconciles.flatMap((reconcile) =>
    reconcile.findings.map((finding) => ('code' in finding ? `${finding.code}` : finding.type)),
  );
const count = (writes: readonly string[], action: string): number => writes.filter((one) => one === action).length;
const liveMachines = ({ cloud }: SmallWorld): number =>
  cloud.inspect.live().filter(({ type }) => type === 'instance').length;

describe('converge', () => {
  it('makes everything, equal machines in one launch and the rules of a group in one call; then nothing', async () => {
    const world = smallWorld();
    const documents = [convergeNetwork(), convergeRule([443, 80]), machines(3)];
    const first = await world.apply(documents);
    assert.equal(first.outcome, 'done');
    assert.deepEqual([count(first.writes, 'RunInstances'), count(first.writes, 'AuthorizeRules')], [1, 1]);
    const second = await world.apply(documents);
    assert.deepEqual([second.outcome, second.writes, second.rounds], ['done', [], []]);
  });

  it('changes of people are put back', async () => {
    const world = smallWorld();
    const documents = [convergeNetwork(), convergeRule([443])];
    await world.apply(documents);
    const group = world.cloud.inspect
      .live()
      .find(({ type, mark }) => type === 'group' && mark?.address?.endsWith('web'));
    const rogue = { protocol: 'tcp', from: 22, to: 22, peer: '0.0.0.0/0', description: '' };
    world.cloud.outside.do('AuthorizeRules', { group: group?.id ?? '', direction: 'ingress', rules: [rogue] });
    const healed = await world.apply(documents);
    assert.deepEqual(settled(healed), ['delete core.web_ingress_tcp_22_0.0.0.0/0']);
  });

  it('new rules stand and were seen before old ones go', async () => {
    const world = smallWorld();
    await world.apply([convergeNetwork(), convergeRule([443])]);
    const { writes } = await world.apply([convergeNetwork(), convergeRule([8443])]);
    assert.deepEqual(writes, ['AuthorizeRules', 'RevokeRules']);
  });

  it('rules that a listing does not show in time keep the old ones for the next reconcile', async () => {
    const world = smallWorld();
    await world.apply([convergeNetwork(), convergeRule([443])]);
    await world.clock.advance(600_000);
    world.cloud.faults.add({ on: 'ListRules', times: 12, fault: { do: 'lag', ms: 60_000 } });
    const applied = await world.apply([convergeNetwork(), convergeRule([8443])]);
    assert.equal(applied.outcome, 'done');
    assert.deepEqual(applied.writes, ['AuthorizeRules', 'RevokeRules']);
  });
});

describe('converge, what is there already', () => {
  it('is adopted where a document names it, marked and not remade', async () => {
    const world = smallWorld();
    const id = world.cloud.outside.do('CreateNetwork', { cidr: '10.0.0.0/16', tags: { Name: 'old' } }).id;
    const adopting = { ...convergeNetwork(), metadata: { name: 'core', adopt: { here: id } } };
    const first = await world.apply([adopting, convergeRule([443])]);
    assert.deepEqual([first.outcome, count(first.writes, 'CreateNetwork')], ['done', 0]);
    assert.ok(settled(first).includes('adopt core'));
    const knowledge = await world.store.inventory.knowledge('acme', first.scope.scope);
    assert.equal(knowledge.settled.get(id)?.address, 'memory/acme/north/network/core');
    assert.deepEqual((await world.apply([adopting, convergeRule([443])])).writes, []);
  });

  it('is renamed where a document says so: marked again, never remade, and new things go into it', async () => {
    const world = smallWorld();
    await world.apply([convergeNetwork()]);
    const renamed = { ...convergeNetwork(), metadata: { name: 'main', was: ['core'] } };
    const { outcome, writes, scope } = await world.apply([
      renamed,
      { ...convergeRule([443]), spec: { ...convergeRule([443]).spec, network: 'main' } },
    ]);
    assert.deepEqual([outcome, count(writes, 'CreateNetwork'), count(writes, 'CreateSubnet')], ['done', 0, 0]);
    const { applied } = await world.store.inventory.knowledge('acme', scope.scope);
    assert.ok(applied.has('memory/acme/north/network/main') && !applied.has('memory/acme/north/network/core'));
  });
});

describe('converge, machines', () => {
  it('machines of a document are replaced one at a time, each up before the next', async () => {
    const world = smallWorld();
    await world.apply([convergeNetwork(), machines(3)]);
    await world.clock.advance(600_000);
    const from = world.cloud.history.calls.length;
    const { outcome } = await world.apply([convergeNetwork(), machines(3, { image: 'img-2' })]);
    assert.equal(outcome, 'done');
    const turns = world.cloud.history.calls.slice(from).filter(({ action }) => /Run|Terminate/.test(action));
    assert.deepEqual(
      turns.map(({ action }) => action),
      Array.from({ length: 3 }, () => ['RunInstances', 'TerminateInstances']).flat(),
    );
    const launched = turns.filter(({ action }) => action === 'RunInstances').map(({ at }) => at);
    const ended = turns.filter(({ action }) => action === 'TerminateInstances').map(({ at }) => at);
    assert.ok(
      ended.every((at, i) => at > (launched[i] ?? 0)) && launched.slice(1).every((at, i) => at >= (ended[i] ?? 0)),
      'the old one waits until the new one is up, and the next one until the old one has gone',
    );
  });

  it('fewer replicas take the highest ordinals, in one call', async () => {
    const world = smallWorld();
    await world.apply([convergeNetwork(), machines(4)]);
    const scaled = await world.apply([convergeNetwork(), machines(2)]);
    assert.deepEqual(settled(scaled).toSorted(), ['delete web-2', 'delete web-3']);
    assert.equal(count(scaled.writes, 'TerminateInstances'), 1);
  });
});

describe('converge, when something is in the way', () => {
  it('refused actions are reported and given up, all others go on', async () => {
    const world = smallWorld();
    world.cloud.faults.add({ on: 'CreateSubnet', fault: { do: 'refuse', code: 'Denied' } });
    const applied = await world.apply([convergeNetwork(), convergeRule([443]), machines(1)]);
    assert.equal(applied.outcome, 'failed');
    assert.equal(count(applied.writes, 'CreateSubnet'), 1, 'a person must act first');
    assert.ok(
      settled(applied).some((line) => line.includes('_tcp_443_')),
      'the other branch went on',
    );
    assert.ok(findings(applied).includes('depends'), 'the machine was withheld');
  });

  it('the limits of the estate hold when the plan is carried out, too', async () => {
    const world = smallWorld();
    const estate = { limits: { deletes: 1, replaces: 5, share: '100%' } };
    await world.apply([convergeNetwork(), machines(3)], { estate });
    const applied = await world.apply([convergeNetwork(), machines(0)], { estate });
    assert.deepEqual([applied.outcome, liveMachines(world)], ['failed', 2]);
    assert.deepEqual(findings(applied), ['limit', 'limit']);
  });

  it('a limit that withholds healing names the author of the change, as the plan did', async () => {
    const world = smallWorld();
    const first = await world.apply([convergeNetwork(), machines(2)]);
    const ids = world.cloud.inspect.live().flatMap(({ type, id }) => (type === 'instance' ? [id] : []));
    await world.clock.advance(3_600_000);
    await world.apply([convergeNetwork(), machines(2)]);
    world.cloud.outside.do('TerminateInstances', { ids });
    await world.clock.advance(60_000);
    const { scope } = first.scope;
    const actor = { who: 'eve', action: 'TerminateInstances' };
    await world.store.touches.keep('acme', [{ scope, event: 'e', at: world.clock.now(), actor, objects: ids }]);
    const estate = { limits: { creates: 1 } };
    const applied = await world.apply([convergeNetwork(), machines(2)], { estate });
    const withheld = applied.rounds.flatMap((round) => round.findings);
    assert.deepEqual(
      withheld.map((found) => [found.type === 'withheld' && [found.code, found.cause], found.by?.who]),
      [[['limit', 'drift'], 'eve']],
    );
  });

  it('an answer that never came is looked for, not repeated: one network stands', async () => {
    const world = smallWorld();
    world.cloud.faults.add({ on: 'CreateNetwork', nth: 1, fault: { do: 'lost-after' } });
    const applied = await world.apply([convergeNetwork()]);
    assert.equal(applied.outcome, 'done');
    assert.equal(count(applied.writes, 'CreateNetwork'), 1);
  });

  it('a request that never arrived is sent again once the cloud would have shown it', async () => {
    const world = smallWorld();
    world.cloud.faults.add({ on: 'CreateNetwork', nth: 1, fault: { do: 'lost-before' } });
    const applied = await world.apply([convergeNetwork()]);
    assert.deepEqual([applied.outcome, count(applied.writes, 'CreateNetwork')], ['done', 2]);
    assert.equal(world.cloud.inspect.live().filter(({ type }) => type === 'network').length, 1);
  });

  it('a lost launch is repeated with its token: as many machines as asked for', async () => {
    const world = smallWorld();
    world.cloud.faults.add({ on: 'RunInstances', nth: 1, fault: { do: 'lost-after' } });
    const applied = await world.apply([convergeNetwork(), machines(3)]);
    assert.deepEqual([applied.outcome, liveMachines(world)], ['done', 3]);
  });

  it('a listing that failed once is looked at again before the end', async () => {
    const world = smallWorld();
    world.cloud.faults.add({ on: 'ListNetworks', nth: 1, fault: { do: 'unreachable' } });
    const applied = await world.apply([convergeNetwork()]);
    assert.deepEqual([applied.outcome, count(applied.writes, 'CreateNetwork')], ['done', 1]);
  });

  it('one that fails for ever does not keep us for ever', async () => {
    const world = smallWorld();
    world.cloud.faults.add({ on: 'ListNetworks', fault: { do: 'unreachable' } });
    const applied = await world.apply([convergeNetwork()]);
    assert.deepEqual([applied.outcome, applied.writes], ['done', []]);
    assert.ok(applied.last?.plan.findings.some(({ type }) => type === 'incomplete'));
  });

  it('patience has an end', async () => {
    const world = smallWorld();
    world.cloud.faults.add({ on: 'CreateNetwork', nth: 1, fault: { do: 'lost-before' } });
    const applied = await world.apply([convergeNetwork()], { job: { patienceMs: 10_000 } });
    assert.equal(applied.outcome, 'unfinished');
  });
});

describe('converge, stopped', () => {
  /** Stops in its own way once so many writes have been made. */
  async function stopping(
    how: 'signal' | 'look' | 'lease',
  ): Promise<{ readonly applied: Applied; readonly lateMs: number }> {
    const world = smallWorld();
    const stop = new AbortController();
    const lost = new AbortController();
    // why: `look` is asked once a second, and by then the subnets are on their way
    const trigger = how === 'look' ? 'CreateNetwork' : 'CreateSubnet';
    let stoppedAt: number | undefined;
    const isTime = (): boolean => {
      const due = world.cloud.history.calls.some(({ action }) => action === trigger);
      if (due) stoppedAt ??= world.clock.now();
      return due;
    };
    const tell = (progress: Progress): void => {
      if (progress.at !== 'settled' || !isTime()) return;
      if (how === 'signal') stop.abort(new Error('shutdown'));
      if (how === 'lease') lost.abort(new Error('taken'));
    };
    world.cloud.faults.add({ on: 'writes', fault: { do: 'delay', ms: 700 } });
    const applied = await world.apply([convergeNetwork(), convergeRule([443]), machines(2)], {
      steering: {
        signal: stop.signal,
        notify: tell,
        ...(how === 'look' ? { poll: async () => (isTime() ? 'stop' : 'go') } : {}),
      },
      lease: (lease) => ({ ...lease, signal: lost.signal }),
    });
    return { applied, lateMs: world.clock.now() - (stoppedAt ?? 0) };
  }

  for (const how of ['signal', 'look', 'lease'] as const) {
    it(`by ${how}: within a second, and no machine is launched any more`, async () => {
      const { applied, lateMs } = await stopping(how);
      assert.equal(applied.outcome, 'stopped');
      assert.equal(count(applied.writes, 'RunInstances'), 0);
      assert.ok(lateMs <= 1000 + (how === 'look' ? 1000 : 0), `${lateMs} ms`);
    });
  }

  it('with a lease that ran out nothing is written at all', async () => {
    const world = smallWorld();
    const applied = await world.apply([convergeNetwork()], { lease: (lease) => ({ ...lease, remainingMs: () => 0 }) });
    assert.deepEqual([applied.outcome, applied.writes], ['stopped', []]);
    const knowledge = await world.store.inventory.knowledge('acme', applied.scope.scope);
    assert.deepEqual(knowledge.pending, [], 'what was not sent is not looked for');
  });
});

describe('converge, a creation whose answer was lost', () => {
  /** A network that was made, unanswered and unseen, by a process that then ended. */
  async function lostNetwork() {
    const world = smallWorld();
    world.cloud.faults.add({ on: 'CreateNetwork', times: 1, fault: { do: 'lost-after' } });
    world.cloud.faults.add({ on: 'ListNetworks', times: 2, fault: { do: 'flicker', share: 1 } });
    const first = await world.apply([convergeNetwork()], { job: { patienceMs: 0 } });
    assert.equal(first.outcome, 'unfinished');
    await world.clock.advance(400_000);
    return world;
  }

  it('is found after the window, although the first listing does not show it', async () => {
    const world = await lostNetwork();
    world.cloud.faults.add({ on: 'ListNetworks', times: 1, fault: { do: 'flicker', share: 1 } });
    const { outcome, writes } = await world.apply([convergeNetwork()]);
    assert.deepEqual([outcome, count(writes, 'CreateNetwork')], ['done', 0]);
  });

  it('is waited for by its name, and not for ever', async () => {
    const world = smallWorld();
    world.cloud.faults.add({ on: 'CreateNetwork', times: 1, fault: { do: 'lost-before' } });
    const waits: string[] = [];
    const tell = (event: Progress): void => {
      if (event.at === 'waiting' && (event.atMostMs ?? Infinity) < 345_000) waits.push(event.detail);
    };
    await world.apply([convergeNetwork()], { steering: { notify: tell } });
    assert.match(waits[0] ?? '', /^network core(?: and [1-9]\d* more)?$/);
  });

  it('is made again once two looks have not shown it', async () => {
    const world = smallWorld();
    world.cloud.faults.add({ on: 'CreateNetwork', times: 1, fault: { do: 'lost-before' } });
    await world.apply([convergeNetwork()], { job: { patienceMs: 0 } });
    await world.clock.advance(400_000);
    const { outcome, writes } = await world.apply([convergeNetwork()]);
    assert.deepEqual([outcome, count(writes, 'CreateNetwork')], ['done', 1]);
  });
});

const earlyNetwork = networkOf({ internet: false });

describe('converge, what is too early', () => {
  const labelled = (tier: string) => ({ ...earlyNetwork, metadata: { name: 'core', labels: { tier } } });
  const busy = (world: SmallWorld, times: number): void =>
    world.cloud.faults.add({ on: 'TagObjects', times, fault: { do: 'refuse', code: 'ConcurrentChange' } });

  it('is waited for by patience, not by a count of reconciles', async () => {
    const world = smallWorld();
    await world.apply([labelled('a')]);
    busy(world, 30);
    const { outcome, rounds: reconciles } = await world.apply([labelled('b')]);
    assert.equal(outcome, 'done');
    assert.ok(reconciles.length > 6, `${reconciles.length}`);
  });

  for (const patienceMs of [0, 1])
    it(`and without patience twice: ${patienceMs} ms`, async () => {
      const world = smallWorld();
      await world.apply([labelled('a')]);
      busy(world, 1000);
      const { outcome, rounds: reconciles } = await world.apply([labelled('b')], { job: { patienceMs } });
      assert.deepEqual([outcome, reconciles.length], ['unfinished', 2]);
    });

  it('and has an end', async () => {
    const world = smallWorld();
    await world.apply([labelled('a')]);
    busy(world, 1000);
    const from = world.clock.now();
    const { outcome } = await world.apply([labelled('b')]);
    const tookMs = world.clock.now() - from;
    assert.equal(outcome, 'unfinished');
    assert.ok(tookMs >= 345_000 && tookMs < 400_000, `${tookMs}`);
  });
});

const olderNetwork = (tier?: string) => ({
  kind: 'Network',
  metadata: { name: 'core', ...(tier === undefined ? {} : { labels: { tier } }) },
  spec: { targets: ['here'], cidr: '10.0.0.0/16', deletionPolicy: 'delete' },
});

describe('a reconcile of an older generation', () => {
  it('leaves resources alone that a newer one has applied, and says so once', async () => {
    const world = smallWorld();
    await world.apply([olderNetwork('old')]);
    await world.apply([olderNetwork('new')]);
    const late = await world.apply([olderNetwork('old')], { generation: 1 });
    assert.deepEqual([late.outcome, late.writes, late.rounds.length], ['failed', [], 1]);
    const [finding] = late.rounds.flatMap(({ findings }) => findings);
    assert.ok(finding?.type === 'withheld' && finding.code === 'stale');
    assert.match(finding.why, /generation 2 is already applied .*plan again with the newest specs/);
  });

  it('does not make again what a newer one has removed', async () => {
    const world = smallWorld();
    await world.apply([olderNetwork()]);
    const gone = await world.apply([]);
    assert.ok(gone.writes.includes('DeleteNetwork'));
    assert.deepEqual((await world.apply([olderNetwork()], { generation: 1 })).writes, []);
    assert.ok((await world.apply([olderNetwork()])).writes.includes('CreateNetwork'));
  });
});

describe('resources that match a new spec already', () => {
  /** A person sets by hand the label that the next spec asks for; the window of our own write is over. */
  async function relabelled(how: { readonly afterMs: number }) {
    const world = smallWorld();
    await world.apply([olderNetwork('old')]);
    await world.clock.advance(how.afterMs);
    const live = world.cloud.inspect.live().filter(({ mark }) => mark !== undefined);
    const stamp = (tier: string) => {
      for (const { id } of live) world.cloud.outside.stamp(id, { tier });
    };
    stamp('new');
    const met = await world.apply([olderNetwork('new')]);
    assert.deepEqual(met.writes, []);
    const { applied } = await world.store.inventory.knowledge('acme', met.scope.scope);
    const address = met.scope.wanted.desired.find(({ kind }) => kind === 'network')?.address ?? '';
    return { world, stamp, applied: applied.get(address) };
  }

  it('is applied without a call, so that what differs later is drift', async () => {
    const { world, stamp, applied } = await relabelled({ afterMs: 400_000 });
    assert.deepEqual([applied?.generation, Reflect.get(applied?.attributes ?? {}, 'labels')], [2, { tier: 'new' }]);
    stamp('other');
    const { rounds: reconciles, last } = await world.apply([olderNetwork('new')], { job: { rounds: 0 } });
    assert.deepEqual(reconciles, []);
    assert.deepEqual(new Set(last?.plan.actions.map(({ cause }) => cause)), new Set(['drift']));
  });

  it('is not believed while a listing may lag behind our own write', async () => {
    const { applied } = await relabelled({ afterMs: 100_000 });
    assert.equal(applied?.generation, 1);
  });
});

const documents = [
  network({ internet: false }),
  machineIn({ image: 'img-1', size: 'small' })('web', { replicas: 2 }),
] as const;

it('the store is asked about intents once a look that shows something strange, and never otherwise', async () => {
  const world = smallWorld();
  const asked = mock.method(world.store.inventory, 'unrecorded');
  await world.apply(documents);
  await world.apply([documents[0], machineIn({ image: 'img-2', size: 'small' })('web', { replicas: 2 })]);
  assert.equal(asked.mock.callCount(), 0, 'launches and replacements explain themselves');
  const [one, two] = world.cloud.inspect.live().filter(({ type }) => type === 'instance');
  assert.ok(one && two);
  for (const { id } of [one, two]) world.cloud.outside.moreLike(id);
  const looks = mock.method(world.store.inventory, 'record');
  await world.apply([documents[0], machineIn({ image: 'img-2', size: 'small' })('web', { replicas: 2 })]);
  assert.equal(asked.mock.callCount(), looks.mock.callCount());
  const intents = new Set([one.mark?.intent, two.mark?.intent]);
  assert.deepEqual(asked.mock.calls[0]?.arguments, [[...intents].sort()], 'all strange marks in one question');
});

const machine = machineIn({ image: 'ami-1', size: 'small' });
const labels = { labels: { tier: 'web', team: 'net' } };

test('a label that a document says no more is taken away, from whatever bears labels', async () => {
  const world = smallWorld();
  const { metadata, spec } = network({}, labels);
  await world.apply([{ kind: 'Network', metadata, spec }, machine('web', {}, labels)]);
  await world.clock.advance(600_000);
  const kept = { labels: { team: 'net' } };
  const fewer = [network({}, kept), machine('web', {}, kept)];
  await world.apply(fewer);
  await world.clock.advance(600_000);
  const { last, writes } = await world.apply(fewer);
  assert.deepEqual(writes, []);
  const borne = (last?.observation.resources ?? []).flatMap(({ kind, attributes }) =>
    'labels' in attributes && 'team' in attributes.labels ? [[kind, attributes.labels['tier']]] : [],
  );
  assert.ok(borne.some(([kind]) => kind === 'network') && borne.some(([kind]) => kind === 'instance'));
  assert.deepEqual(
    borne.filter(([, tier]) => tier !== undefined),
    [],
  );
});

test('rules that overlap keep each its own words, and are written once', async () => {
  const world = smallWorld();
  const all = [
    network(),
    rule('wide', { ports: ['80-90'], description: 'wide' }),
    rule('one', { ports: [85], description: 'one' }),
    machine('web'),
  ];
  await world.apply(all);
  await world.clock.advance(600_000);
  const { last, writes } = await world.apply(all);
  assert.deepEqual(writes, []);
  const said = (last?.observation.resources ?? []).flatMap(({ attributes }) =>
    'match' in attributes && attributes.description !== ''
      ? [`${attributes.match.ports} ${attributes.description}`]
      : [],
  );
  assert.deepEqual(said.toSorted(), ['80-90 wide', '85 one']);
});
