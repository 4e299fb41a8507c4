import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { START } from '../bench.ts';
import {
  begun,
  below,
  bench,
  core,
  custom,
  endOf,
  type NetworkBench,
  PROJECT,
  REGION,
  refusalOf,
} from './network-bench.ts';

const DURATIONS = { network: 4000, pending: 300 };

const WHOLE = { compute: { durations: DURATIONS } };

const delay = (ms: number) => new Promise<string>((resolve) => setTimeout(resolve, ms, 'waiting'));

describe('an operation', () => {
  it('is pending, runs, and is done, each time with what is then known', async () => {
    await using made = await bench(WHOLE);
    const { clock } = made.sandbox.control;
    const { body } = await made.raw('POST', 'global/networks', custom('core'));
    const look = async () => (await made.raw('GET', below(body.selfLink))).body;
    const at = (ms: number) => new Date(START + ms).getTime();
    assert.deepEqual([body.status, body.progress, body.startTime], ['PENDING', 0, undefined]);
    assert.equal(Date.parse(body.insertTime), at(0));
    clock.advance(300);
    const running = await look();
    assert.deepEqual([running.status, running.progress, Date.parse(running.startTime)], ['RUNNING', 0, at(300)]);
    clock.advance(3700);
    const done = await look();
    assert.deepEqual([done.status, done.progress, Date.parse(done.endTime)], ['DONE', 100, at(4000)]);
    assert.deepEqual(
      [done.operationType, done.targetId, below(done.targetLink)],
      ['insert', body.targetId, 'global/networks/core'],
    );
    assert.equal(done.error, undefined);
  });

  it('holds what it is about: nothing else may be done to it or with it', async () => {
    await using made = await bench();
    await made.raw('POST', 'global/networks', custom('core'));
    const app = { name: 'app', network: 'global/networks/core', ipCidrRange: '10.0.1.0/24' };
    assert.equal(refusalOf(await made.raw('POST', 'global/networks', custom('core'))), '409 alreadyExists');
    const early = await made.raw('POST', `regions/${REGION}/subnetworks`, app);
    assert.equal(refusalOf(early), '400 resourceNotReady');
    assert.equal(early.body.error.message, "The resource 'projects/acme/global/networks/core' is not ready");
    made.sandbox.control.clock.advance(10_000);
    await made.raw('DELETE', 'global/networks/core');
    assert.equal(refusalOf(await made.raw('DELETE', 'global/networks/core')), '400 resourceNotReady');
    assert.equal(refusalOf(await made.raw('POST', `regions/${REGION}/subnetworks`, app)), '400 resourceNotReady');
  });

  it('fails when a fault says so, and has changed nothing', async () => {
    await using made = await bench();
    const effect = { kind: 'operation-error', code: 'RESOURCE_OPERATION_RATE_EXCEEDED', status: 503 } as const;
    made.sandbox.control.faults.add({ match: { action: 'compute.networks.insert', times: 1 }, effect });
    const failed = await made.done('POST', 'global/networks', custom('core'));
    assert.deepEqual(
      [endOf(failed), failed.body.httpErrorStatusCode, failed.body.httpErrorMessage],
      ['DONE RESOURCE_OPERATION_RATE_EXCEEDED', 503, 'SERVICE UNAVAILABLE'],
    );
    assert.equal(refusalOf(await made.raw('GET', 'global/networks/core')), '404 notFound');
    assert.equal(endOf(await made.done('POST', 'global/networks', custom('core'))), 'DONE');
  });

  it('is known by its scope only', async () => {
    await using made = await bench();
    await core(made);
    const [operation] = (await made.raw('GET', `regions/${REGION}/operations`)).body.items;
    assert.equal(below(operation.region), `regions/${REGION}`);
    assert.equal(refusalOf(await made.raw('GET', `global/operations/${operation.name}`)), '404 notFound');
    assert.equal(refusalOf(await made.raw('GET', 'global/operations/none')), '404 notFound');
  });
});

/** Ends once somebody waits by the sandbox's clock. */
function waitBegins({ sandbox }: NetworkBench): Promise<void> {
  const { clock } = sandbox.control;
  const { sleep } = clock;
  return new Promise((resolve) => {
    clock.sleep = (ms) => {
      resolve();
      return sleep(ms);
    };
  });
}

describe('waiting for an operation', () => {
  it('answers when it is done', async () => {
    await using made = await bench(WHOLE);
    const { operations, networks } = made.sdk;
    const { name } = begun(await networks.insert({ project: PROJECT, networkResource: custom('core') }));
    const begins = waitBegins(made);
    const waiting = operations.wait({ project: PROJECT, operation: name ?? '' });
    await begins;
    assert.equal(await Promise.race([waiting, delay(50)]), 'waiting');
    made.sandbox.control.clock.advance(4000);
    const [done] = await waiting;
    assert.equal(done.status, 'DONE');
    const [again] = await operations.wait({ project: PROJECT, operation: name ?? '' });
    assert.equal(again.status, 'DONE');
  });

  it('answers after two minutes all the same', async () => {
    await using made = await bench({ compute: { durations: { network: 300_000 } } });
    const { name } = (await made.raw('POST', 'global/networks', custom('core'))).body;
    const begins = waitBegins(made);
    const waiting = made.raw('POST', `global/operations/${name}/wait`, '');
    await begins;
    made.sandbox.control.clock.advance(119_999);
    assert.equal(await Promise.race([waiting, delay(50)]), 'waiting');
    made.sandbox.control.clock.advance(1);
    assert.equal((await waiting).body.status, 'RUNNING');
  });

  it('draws on a budget of its own, and is no write in the log', async () => {
    await using made = await bench({ budgets: true });
    const { name } = (await made.done('POST', 'global/networks', custom('core'))).body;
    await made.raw('POST', `global/operations/${name}/wait`, '');
    const levels = made.sandbox.control.budgets.levels();
    assert.equal(levels['acme/global/heavy_weight_read_requests'], 1499);
    const [entry] = made.sandbox.control.log.entries({ action: 'compute.globalOperations.wait' });
    assert.deepEqual([entry?.mutating, entry?.applied], [false, false]);
  });
});

describe('operations are listed', () => {
  it('newest first where asked, by filter, and over all scopes at once', async () => {
    await using made = await bench();
    await core(made);
    await made.done('POST', 'global/networks', custom('later'));
    const query = `orderBy=${encodeURIComponent('creationTimestamp desc')}&maxResults=1`;
    const newest = (await made.raw('GET', `global/operations?${query}`)).body;
    assert.equal(below(newest.items[0].targetLink), 'global/networks/later');
    const next = (await made.raw('GET', `global/operations?${query}&pageToken=${newest.nextPageToken}`)).body;
    assert.deepEqual([next.items.length, next.nextPageToken], [1, undefined]);
    const filter = encodeURIComponent('targetLink:core status=DONE');
    assert.equal((await made.raw('GET', `global/operations?filter=${filter}`)).body.items.length, 1);
    const { items } = (await made.raw('GET', 'aggregated/operations')).body;
    assert.equal(items[`regions/${REGION}`].operations.length, 1);
    assert.equal(items.global.operations.length, 2);
    assert.equal(items['zones/us-central1-f'].warning.code, 'NO_RESULTS_ON_PAGE');
  });
});
