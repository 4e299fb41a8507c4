import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import pg from 'pg';
import { type MemoryCloud, makeCloud } from '../../providers/memory/cloud.ts';
import { memoryProvider } from '../../providers/memory/index.ts';
import { cliDependencies } from '../../src/bootstrap/cli-dependencies.ts';
import { apiOn } from '../../src/bootstrap/http-server.ts';
import { runCli } from '../../src/cli/program.ts';
import { generationsOf } from '../../src/fleet/generations.ts';
import { reconcileHandler } from '../../src/fleet/scope-reconcile.ts';
import type { WorkerContext } from '../../src/fleet/worker-context.ts';
import { eventText } from '../../src/http/api/events/recent-events.ts';
import type { Store } from '../../src/ports/store.ts';
import { readCheckpoints } from '../../src/store/checkpoints.ts';
import { openStore } from '../../src/store/open-store.ts';
import { trusting } from '../../src/store/signing.ts';
import { verifyExport } from '../../src/store/verify-export.ts';
import { fakeTerminal } from '../cli/support/fake-terminal.ts';
import { type ApiWorld, apiWorld } from '../http/api/support/api-world.ts';
import { fleetWorld, silent, where } from '../support/fleet-world.ts';
import { virtualClock } from '../support/virtual-clock.ts';
import { urlOf } from './old-database.ts';
import { ownStore } from './own-store.ts';
import { removeFolder, temporaryFolder } from './temporary-folder.ts';
import {
  cloudCalls,
  databaseOfVersion01,
  fixtureText,
  linesOf,
  signedFolder,
  stoppedAt,
  storeOfVersion01,
} from './version-0.1.ts';

/** Of an answer of the API, the fields that these tests name. */
interface Item {
  readonly name: string;
  readonly status: string;
  readonly labels: { readonly tier: string };
  readonly lastModifiedBy?: { readonly actor: string };
  readonly next?: { readonly verb: string };
  readonly verb: string;
  readonly address: string;
  readonly reconcileId: string;
  readonly startedAt: string;
  readonly endedAt: string;
  readonly outcome: string;
  readonly message?: string;
  readonly reason?: string;
  readonly body: {
    readonly address: string;
    readonly intent: string;
    readonly outcome: object;
    readonly calls: object;
  };
}

interface Answer {
  readonly items: readonly Item[];
  readonly actions: readonly Item[];
  readonly approvals: readonly { readonly actions: readonly string[]; readonly digest: string }[];
  readonly unapproved: number;
  readonly timeline: { readonly entries: readonly object[] };
}

const ends: (() => Promise<unknown>)[] = [];
// why: before the server of `ownStore` ends
after(async () => {
  for (const end of ends.reverse()) await end();
});

/** An hour after version 0.1 stopped. */
const clock = virtualClock(stoppedAt + 3_600_000);
const { folder } = await ownStore(clock);
const networkOf = (name: string): string => `${where.scope}/network/${name}`;

let databaseUrl: string;
let store: Store;
let cloud: MemoryCloud;
let api: ApiWorld;

before(async () => {
  const old = await databaseOfVersion01(folder);
  ends.push(() => old.end());
  const upgraded = join(folder, 'upgraded');
  await signedFolder(upgraded);
  databaseUrl = urlOf(old);
  store = await openStore({ folder: upgraded, databaseUrl, clock, databaseClock: clock, create: true });
  ends.push(store.close);
  cloud = makeCloud({ clock });
  for (const { call, input } of await cloudCalls()) cloud.outside.do(call, input);
  const { outside, telemetry } = worker();
  const { routes } = apiOn({ store, outside, clock, log: telemetry.log }, { reaches: [], access: undefined });
  api = apiWorld({ routes, clock });
  ends.push(api.close);
});

const outcomes: string[] = [];

/** A worker of this version. */
function worker(): WorkerContext {
  const context = fleetWorld().context;
  return {
    ...{ ...context, store, clock },
    outside: { ...context.outside, cloud: async () => memoryProvider(cloud), holder: 'worker-2@host-2' },
    telemetry: silent((outcome) => void outcomes.push(outcome)),
  };
}

async function answerTo(what: string): Promise<Answer> {
  const { status, text } = await api.ask('viewer', what);
  assert.equal(status, 200, text);
  return JSON.parse(text);
}

/** The command line on this store, which stays open. */
async function cli(...args: readonly string[]): Promise<string> {
  const terminal = fakeTerminal();
  const dependencies = { ...cliDependencies(clock), openStore: async () => ({ ...store, close: async () => {} }) };
  const code = await runCli(args, { terminal, dependencies, clock, signal: new AbortController().signal }, '0.2.0');
  assert.equal(code, 0, terminal.stderr());
  return terminal.stdout();
}

test('has the same identity, and its ledger is whole and signed', async () => {
  assert.equal(store.estates.store, storeOfVersion01);
  const verdict = await store.audit.verify('acme');
  assert.ok(verdict.ok, verdict.ok ? '' : verdict.reason);
  assert.deepEqual(
    verdict.chains.map(({ chain, entries, signed }) => [chain, entries, signed]),
    [
      [where.scope, 13, 13],
      ['people', 2, 2],
    ],
  );
});

test('API: inventory, with the statuses, actors and reasons of version 0.1', async () => {
  const { items } = await answerTo('GET /v1/inventory?estate=acme&kind=network');
  assert.deepEqual(
    items.map(({ name, status, lastModifiedBy, next }) => [name, status, lastModifiedBy?.actor, next?.verb]),
    [
      ['core', 'Drifted', 'bob@example.com', 'update'],
      ['lab', 'Paused', 'bob@example.com', 'update'],
      ['late', 'Pending', undefined, 'create'],
      ['shop', 'Drifted', 'bob@example.com', 'update'],
    ],
  );
});

test('API: the pause, in the new words', async () => {
  assert.deepEqual((await answerTo('GET /v1/pauses?estate=acme')).items, [
    {
      ...{
        id: 1,
        mode: 'healing',
        subject: { type: 'owner', name: 'lab-team' },
        reason: 'an incident',
        holdNarrowing: true,
      },
      ...{ actor: 'operator of acme', at: '2026-01-01T00:23:21.159Z', until: '2099-01-01T00:00:00.000Z' },
    },
  ]);
});

test('API: the approval, and the action that waits for one, in the new words', async () => {
  const { actions, approvals, unapproved } = await answerTo('GET /v1/approvals?estate=acme');
  assert.deepEqual(
    [actions.map(({ verb, address }) => [verb, address]), unapproved],
    [[['update', networkOf('shop')]], 1],
  );
  assert.equal(approvals.length, 1);
  const { actions: digests, digest: _, ...approval } = approvals[0] ?? assert.fail();
  assert.equal(digests.length, 1);
  assert.deepEqual(approval, {
    ...{ estate: 'acme', scope: where.scope, seq: 15, generation: 3 },
    ...{ destructiveCount: 0, createCount: 0, closureCount: 0, executed: 0 },
    ...{ actor: 'approver of acme', authorsUnknown: true, onStore: true },
    ...{ reason: 'seen in 812', until: '2099-01-01T00:00:00.000Z' },
  });
});

test('API: the reconciles, with their calls and rate limits, in the new words', async () => {
  const { items } = await answerTo('GET /v1/reconciles?estate=acme');
  assert.deepEqual(
    items.map(({ startedAt, endedAt, outcome, message, reason }) => [startedAt, endedAt, outcome, message ?? reason]),
    [
      ['2026-01-01T00:23:21.226Z', '2026-01-01T00:23:21.281Z', 'failed', 'killed'],
      ['2026-01-01T00:23:21.184Z', '2026-01-01T00:23:21.217Z', 'done', 'withheld: mode 2, paused 1'],
      ['2026-01-01T00:11:41.013Z', '2026-01-01T00:11:41.051Z', 'done', undefined],
      ['2026-01-01T00:00:00.808Z', '2026-01-01T00:00:01.000Z', 'done', undefined],
    ],
  );
  const { timeline } = await answerTo(`GET /v1/reconciles/${items[0]?.reconcileId}`);
  assert.deepEqual(timeline.entries.at(-1), {
    ...{ type: 'call', at: '2026-01-01T00:23:21.268Z', action: 'CreateNetwork', mutating: true },
    ...{ rateLimits: [`${where.scope}/CreateNetwork`], durationMs: 0, requestId: 'req-70' },
  });
});

test('API: the events of version 0.1, under the new types', async () => {
  const [database] = (await store.events.newest()).split('-');
  const first = `${database}-${'0'.repeat(32)}`;
  const { events, gone } = await store.events.after(first, 1000);
  assert.equal(gone, false);
  const types = events.map((one) => /^event: (\w+)$/m.exec(eventText(one).text)?.[1]);
  assert.deepEqual([...new Set(types)].sort(), ['audit', 'generation', 'reconcile', 'resource']);

  const abouts = events.map((one) => JSON.parse(/^data: (.*)$/m.exec(eventText(one).text)?.[1] ?? '').about);
  const decisions = abouts.flatMap(({ decision }) => decision ?? []);
  assert.deepEqual(decisions.slice(0, 2).sort(), ['approval', 'pause']);
  assert.deepEqual(
    abouts.flatMap(({ nextReconcileAt }) => nextReconcileAt ?? []),
    ['2026-01-01T00:23:21.281Z'],
  );
  const former = ['word', 'nextPassAt', 'person', 'what', 'of'];
  assert.ok(abouts.every((about) => former.every((field) => !(field in about))));
  const pause = abouts.find(({ decision }) => decision === 'pause');
  assert.ok('mode' in pause && 'actor' in pause && 'type' in pause.subject);
});

test('SQL: the views, in the new words', async () => {
  const client = new pg.Client({ connectionString: databaseUrl });
  await client.connect();
  ends.push(() => client.end());
  await client.query('SET ROLE setpoint_reader; SET search_path = setpoint_read');
  const drift = await client.query('SELECT name, last_modified_by, withheld FROM drift ORDER BY name');
  assert.deepEqual(
    drift.rows.map(({ name, last_modified_by, withheld }) => [name, last_modified_by, /^\w+ \w+/.exec(withheld)?.[0]]),
    [
      ['core', 'bob@example.com', 'its mode'],
      ['lab', 'bob@example.com', 'healing paused'],
      ['shop', 'bob@example.com', 'its mode'],
    ],
  );
  const open = 'SELECT address, reconcile, worker FROM ledger WHERE seq = 14';
  assert.deepEqual((await client.query(open)).rows, [
    {
      ...{ address: networkOf('late'), worker: 'worker-1@host-1' },
      reconcile: '60e5849c-3ad5-4228-a488-53f6891bfc18',
    },
  ]);
  const ended = "SELECT status FROM inventory_history WHERE name = 'core' AND kind = 'network' ORDER BY started_at";
  assert.deepEqual((await client.query(ended)).rows, [
    ...[{ status: 'Pending' }, { status: 'InSync' }],
    ...[{ status: 'InSync' }, { status: 'Drifted' }],
  ]);
});

test('command line: status and ledger', async () => {
  const kept = await store.fleet.specSnapshots.read('acme', '3'.repeat(40));
  const specs = await temporaryFolder();
  ends.push(() => removeFolder(specs));
  await writeFile(join(specs, 'all.yaml'), kept?.specs[0]?.text ?? '');
  const status = await cli('status', specs);
  assert.match(
    status,
    /^Status: acme · generation 3 \(commit 3333333\) · 3 changes withheld · 1 pause · 1 approval\n/m,
  );
  assert.match(status, /healing for owner lab-team until 2099-01-01 00:00 UTC, by operator of acme: an incident\n/);
  assert.match(status, /approver of acme[^\n]*: seen in 812/);
  const ledger = await cli('ledger');
  assert.match(ledger, /^Ledger: 15 entries\n/);
  assert.match(ledger, /13 +\S+ \S+ +note +pause by operator of acme: an incident\n/);
  assert.match(ledger, /14 +\S+ \S+ +intent +create +memory\/acme\/north\/network\/late +3 +setpoint\n/);
});

test('a worker looks for the open intent, settles it, and uses the approval once', async () => {
  assert.deepEqual(await store.estates.openIntents(), [{ cloud: 'memory', count: 1 }]);
  const calls = cloud.history.calls.length;
  const context = worker();
  await reconcileHandler(context, generationsOf(context))(where, new AbortController().signal);
  assert.deepEqual(outcomes, ['done']);
  assert.deepEqual(await store.estates.openIntents(), []);

  const writes = cloud.history.calls.slice(calls).filter(({ mutating }) => mutating);
  assert.deepEqual(
    writes.map(({ action }) => action).toSorted(),
    ['CreateGroup', 'TagObjects'],
    'the network late is not created twice',
  );
  const { items } = await answerTo('GET /v1/ledger?estate=acme&type=settlement&limit=100');
  const { body } = items.find(({ body }) => body.address === networkOf('late')) ?? assert.fail();
  assert.deepEqual([body.intent, body.outcome, body.calls], ['b8de63bf-0cb7-4e16-abea-0a6c818e0041', { ok: true }, []]);

  const now = await answerTo('GET /v1/inventory?estate=acme&kind=network');
  assert.deepEqual(
    now.items.map(({ name, status, labels }) => [name, status, labels.tier]),
    [
      ['core', 'InSync', 'gold'],
      ['lab', 'Paused', 'lab-changed'],
      ['late', 'InSync', 'gold'],
      ['shop', 'Drifted', 'shop-changed'],
    ],
  );
  const tags = cloud.outside.do('ListNetworks', {}).items.map((network) => network.tags['tier']);
  assert.deepEqual(tags, ['gold', 'lab-changed', 'shop-changed', 'gold']);
  const { approvals } = await answerTo('GET /v1/approvals?estate=acme');
  assert.deepEqual(approvals, []);
});

test('its ledger goes on from the entries of version 0.1', async () => {
  const lines: string[] = [];
  for await (const line of store.audit.export('acme')) lines.push(line);
  const before = linesOf(await fixtureText('ledger.jsonl'));
  assert.deepEqual(lines.slice(0, before.length), before);
  assert.ok(lines.length > before.length);
  assert.equal((await store.audit.verify('acme')).ok, true);
});

const proof = async () => ({
  checkpoints: readCheckpoints(await fixtureText('checkpoints.jsonl')),
  keys: trusting([await fixtureText('checkpoint.pub')]),
  now: clock.now(),
});

test('an export of version 0.1 verifies with its checkpoints and key', async () => {
  const verdict = await verifyExport(linesOf(await fixtureText('ledger.jsonl')), await proof());
  assert.deepEqual(verdict.ok && [verdict.entries, verdict.checkpoints, verdict.chains], [
    ...[15, 4],
    [
      { chain: where.scope, entries: 13, signed: 13 },
      { chain: 'people', entries: 2, signed: 2 },
    ],
  ]);
});

test('an export of version 0.1 is refused where its last entry is missing, or one of its words is another', async () => {
  const text = await fixtureText('ledger.jsonl');
  const cut = await verifyExport(linesOf(text).slice(0, -1), await proof());
  assert.ok(!cut.ok);
  const changed = await verifyExport(linesOf(text.replace('an incident', 'no incident')), await proof());
  assert.ok(!changed.ok);
});
