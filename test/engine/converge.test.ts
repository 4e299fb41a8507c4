import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { nameIn } from '../../src/core/resource.ts';
import type { Progress } from '../../src/engine/ports.ts';
import { type Applied, type SmallWorld, smallWorld } from '../support/small-world.ts';

const network = (more: object = {}) => ({
  kind: 'Network',
  metadata: { name: 'core' },
  spec: { targets: ['here'], cidr: '10.0.0.0/16', subnets: [{ name: 'app', cidr: '10.0.1.0/24' }], ...more },
});
const rule = (ports: readonly number[], name = 'https') => ({
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

const settled = ({ passes }: Applied): readonly string[] =>
  passes.flatMap((pass) => pass.settled.map(({ verb, kind, address }) => `${verb} ${nameIn(address, kind)}`));
const findings = ({ passes }: Applied): readonly string[] =>
  passes.flatMap((pass) => pass.findings.map((finding) => ('code' in finding ? `${finding.code}` : finding.type)));
const count = (writes: readonly string[], action: string): number => writes.filter((one) => one === action).length;
const liveMachines = ({ cloud }: SmallWorld): number =>
  cloud.inspect.live().filter(({ type }) => type === 'instance').length;

describe('converge', () => {
  it('makes everything, equal machines in one launch and the rules of a group in one call; then nothing', async () => {
    const world = smallWorld();
    const documents = [network(), rule([443, 80]), machines(3)];
    const first = await world.apply(documents);
    assert.equal(first.outcome, 'done');
    assert.deepEqual([count(first.writes, 'RunInstances'), count(first.writes, 'AuthorizeRules')], [1, 1]);
    const second = await world.apply(documents);
    assert.deepEqual([second.outcome, second.writes, second.passes], ['done', [], []]);
  });

  it('what people changed is put back', async () => {
    const world = smallWorld();
    const documents = [network(), rule([443])];
    await world.apply(documents);
    const group = world.cloud.inspect
      .live()
      .find(({ type, mark }) => type === 'group' && mark?.address.endsWith('web'));
    const rogue = { protocol: 'tcp', from: 22, to: 22, peer: '0.0.0.0/0', description: '' };
    world.cloud.outside.do('AuthorizeRules', { group: group?.id ?? '', direction: 'ingress', rules: [rogue] });
    const healed = await world.apply(documents);
    assert.deepEqual(settled(healed), ['delete core.web_ingress_tcp_22_0.0.0.0/0']);
  });

  it('new rules stand and were seen before old ones go', async () => {
    const world = smallWorld();
    await world.apply([network(), rule([443])]);
    const { writes } = await world.apply([network(), rule([8443])]);
    assert.deepEqual(writes, ['AuthorizeRules', 'RevokeRules']);
  });

  it('rules that a listing does not show in time keep the old ones for the next pass', async () => {
    const world = smallWorld();
    await world.apply([network(), rule([443])]);
    await world.clock.advance(600_000);
    world.cloud.faults.add({ on: 'ListRules', times: 12, fault: { do: 'lag', ms: 60_000 } });
    const applied = await world.apply([network(), rule([8443])]);
    assert.equal(applied.outcome, 'done');
    assert.deepEqual(applied.writes, ['AuthorizeRules', 'RevokeRules']);
  });
});

describe('converge, what is there already', () => {
  it('is adopted where a document names it, marked and not remade', async () => {
    const world = smallWorld();
    const id = world.cloud.outside.do('CreateNetwork', { cidr: '10.0.0.0/16', tags: { Name: 'old' } }).id;
    const adopting = { ...network(), metadata: { name: 'core', adopt: { here: id } } };
    const first = await world.apply([adopting, rule([443])]);
    assert.deepEqual([first.outcome, count(first.writes, 'CreateNetwork')], ['done', 0]);
    assert.ok(settled(first).includes('adopt core'));
    const knowledge = await world.store.inventory.knowledge('acme', first.scope.scope);
    assert.equal(knowledge.settled.get(id)?.address, 'memory/acme/north/network/core');
    assert.deepEqual((await world.apply([adopting, rule([443])])).writes, []);
  });

  it('is renamed where a document says so: marked again, never remade, and new things go into it', async () => {
    const world = smallWorld();
    await world.apply([network()]);
    const renamed = { ...network(), metadata: { name: 'main', was: ['core'] } };
    const { outcome, writes, scope } = await world.apply([
      renamed,
      { ...rule([443]), spec: { ...rule([443]).spec, network: 'main' } },
    ]);
    assert.deepEqual([outcome, count(writes, 'CreateNetwork'), count(writes, 'CreateSubnet')], ['done', 0, 0]);
    const { applied } = await world.store.inventory.knowledge('acme', scope.scope);
    assert.ok(applied.has('memory/acme/north/network/main') && !applied.has('memory/acme/north/network/core'));
  });
});

describe('converge, machines', () => {
  it('machines of a document are replaced one at a time, each up before the next', async () => {
    const world = smallWorld();
    await world.apply([network(), machines(3)]);
    await world.clock.advance(600_000);
    const from = world.cloud.history.calls.length;
    const { outcome } = await world.apply([network(), machines(3, { image: 'img-2' })]);
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
    await world.apply([network(), machines(4)]);
    const scaled = await world.apply([network(), machines(2)]);
    assert.deepEqual(settled(scaled).toSorted(), ['delete web-2', 'delete web-3']);
    assert.equal(count(scaled.writes, 'TerminateInstances'), 1);
  });
});

describe('converge, when something is in the way', () => {
  it('what is refused is told and given up, all else goes on', async () => {
    const world = smallWorld();
    world.cloud.faults.add({ on: 'CreateSubnet', fault: { do: 'refuse', code: 'Denied' } });
    const applied = await world.apply([network(), rule([443]), machines(1)]);
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
    await world.apply([network(), machines(3)], { estate });
    const applied = await world.apply([network(), machines(0)], { estate });
    assert.deepEqual([applied.outcome, liveMachines(world)], ['failed', 2]);
    assert.deepEqual(findings(applied), ['limit', 'limit']);
  });

  it('an answer that never came is looked for, not repeated: one network stands', async () => {
    const world = smallWorld();
    world.cloud.faults.add({ on: 'CreateNetwork', nth: 1, fault: { do: 'lost-after' } });
    const applied = await world.apply([network()]);
    assert.equal(applied.outcome, 'done');
    assert.equal(count(applied.writes, 'CreateNetwork'), 1);
  });

  it('a request that never arrived is sent again once the cloud would have shown it', async () => {
    const world = smallWorld();
    world.cloud.faults.add({ on: 'CreateNetwork', nth: 1, fault: { do: 'lost-before' } });
    const applied = await world.apply([network()]);
    assert.deepEqual([applied.outcome, count(applied.writes, 'CreateNetwork')], ['done', 2]);
    assert.equal(world.cloud.inspect.live().filter(({ type }) => type === 'network').length, 1);
  });

  it('a lost launch is repeated with its token: as many machines as asked for', async () => {
    const world = smallWorld();
    world.cloud.faults.add({ on: 'RunInstances', nth: 1, fault: { do: 'lost-after' } });
    const applied = await world.apply([network(), machines(3)]);
    assert.deepEqual([applied.outcome, liveMachines(world)], ['done', 3]);
  });

  it('a listing that failed once is looked at again before the end', async () => {
    const world = smallWorld();
    world.cloud.faults.add({ on: 'ListNetworks', nth: 1, fault: { do: 'unreachable' } });
    const applied = await world.apply([network()]);
    assert.deepEqual([applied.outcome, count(applied.writes, 'CreateNetwork')], ['done', 1]);
  });

  it('one that fails for ever does not keep us for ever', async () => {
    const world = smallWorld();
    world.cloud.faults.add({ on: 'ListNetworks', fault: { do: 'unreachable' } });
    const applied = await world.apply([network()]);
    assert.deepEqual([applied.outcome, applied.writes], ['done', []]);
    assert.ok(applied.last?.plan.findings.some(({ type }) => type === 'incomplete'));
  });

  it('patience has an end', async () => {
    const world = smallWorld();
    world.cloud.faults.add({ on: 'CreateNetwork', nth: 1, fault: { do: 'lost-before' } });
    const applied = await world.apply([network()], { job: { patienceMs: 10_000 } });
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
    const applied = await world.apply([network(), rule([443]), machines(2)], {
      steering: {
        signal: stop.signal,
        notify: tell,
        ...(how === 'look' ? { look: async () => (isTime() ? 'stop' : 'go') } : {}),
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
    const applied = await world.apply([network()], { lease: (lease) => ({ ...lease, remainingMs: () => 0 }) });
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
    const first = await world.apply([network()], { job: { patienceMs: 0 } });
    assert.equal(first.outcome, 'unfinished');
    await world.clock.advance(400_000);
    return world;
  }

  it('is found after the window, although the first listing does not show it', async () => {
    const world = await lostNetwork();
    world.cloud.faults.add({ on: 'ListNetworks', times: 1, fault: { do: 'flicker', share: 1 } });
    const { outcome, writes } = await world.apply([network()]);
    assert.deepEqual([outcome, count(writes, 'CreateNetwork')], ['done', 0]);
  });

  it('is waited for by its name, and not for ever', async () => {
    const world = smallWorld();
    world.cloud.faults.add({ on: 'CreateNetwork', times: 1, fault: { do: 'lost-before' } });
    const waits: string[] = [];
    const tell = (event: Progress): void => {
      if (event.at === 'waiting' && (event.atMostMs ?? Infinity) < 345_000) waits.push(event.detail);
    };
    await world.apply([network()], { steering: { notify: tell } });
    assert.match(waits[0] ?? '', /^network core(?: and [1-9]\d* more)?$/);
  });

  it('is made again once two looks have not shown it', async () => {
    const world = smallWorld();
    world.cloud.faults.add({ on: 'CreateNetwork', times: 1, fault: { do: 'lost-before' } });
    await world.apply([network()], { job: { patienceMs: 0 } });
    await world.clock.advance(400_000);
    const { outcome, writes } = await world.apply([network()]);
    assert.deepEqual([outcome, count(writes, 'CreateNetwork')], ['done', 1]);
  });
});
