import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Bench, bench, groupBody, NETWORK, networkBody, outcome, ruleBody, subnetBody } from './bench.ts';
import { app, CORE, db, names, put } from './networks.ts';

const NSG = `${NETWORK}/networkSecurityGroups/nsg`;
const STALE = 'W/"00000000-0000-4000-a000-000000000000"';

async function etagOf(made: Bench, path: string): Promise<string> {
  const { body, headers } = await made.send('GET', path);
  assert.equal(headers.get('etag'), body.etag);
  return body.etag;
}

interface Row {
  readonly name: string;
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
  readonly header: 'if-match' | 'if-none-match';
  /** `now` is the etag that the resource has. */
  readonly value: string;
  readonly want: string;
}

const network = networkBody({}, [app]);
const absent = `${CORE}2`;

const rows: readonly Row[] = [
  {
    name: 'a PUT of what it read',
    method: 'PUT',
    path: CORE,
    body: network,
    header: 'if-match',
    value: 'now',
    want: '200',
  },
  {
    name: 'a PUT of what was',
    method: 'PUT',
    path: CORE,
    body: network,
    header: 'if-match',
    value: STALE,
    want: '412 PreconditionFailed',
  },
  { name: 'a PUT of any', method: 'PUT', path: CORE, body: network, header: 'if-match', value: '*', want: '200' },
  {
    name: 'a PUT of any where none is',
    method: 'PUT',
    path: absent,
    body: network,
    header: 'if-match',
    value: '*',
    want: '412 PreconditionFailed',
  },
  {
    name: 'a PUT of none where none is',
    method: 'PUT',
    path: absent,
    body: network,
    header: 'if-none-match',
    value: '*',
    want: '201',
  },
  {
    name: 'a PUT of none where one is',
    method: 'PUT',
    path: CORE,
    body: network,
    header: 'if-none-match',
    value: '*',
    want: '412 PreconditionFailed',
  },
  {
    name: 'a PATCH of what was',
    method: 'PATCH',
    path: CORE,
    body: { tags: {} },
    header: 'if-match',
    value: STALE,
    want: '412 PreconditionFailed',
  },
  {
    name: 'a DELETE of what was',
    method: 'DELETE',
    path: CORE,
    header: 'if-match',
    value: STALE,
    want: '412 PreconditionFailed',
  },
  { name: 'a DELETE of what it read', method: 'DELETE', path: CORE, header: 'if-match', value: 'now', want: '202' },
  {
    name: 'a child’s PUT of what it read',
    method: 'PUT',
    path: `${CORE}/subnets/app`,
    body: app,
    header: 'if-match',
    value: 'now',
    want: '200',
  },
  {
    name: 'a child’s PUT of what was',
    method: 'PUT',
    path: `${CORE}/subnets/app`,
    body: app,
    header: 'if-match',
    value: STALE,
    want: '412 PreconditionFailed',
  },
  {
    name: 'a child’s PUT of none where one is',
    method: 'PUT',
    path: `${CORE}/subnets/app`,
    body: app,
    header: 'if-none-match',
    value: '*',
    want: '412 PreconditionFailed',
  },
  {
    name: 'a child’s PUT of none where none is',
    method: 'PUT',
    path: `${CORE}/subnets/db`,
    body: db,
    header: 'if-none-match',
    value: '*',
    want: '201',
  },
  {
    name: 'a child’s DELETE of what was',
    method: 'DELETE',
    path: `${CORE}/subnets/app`,
    header: 'if-match',
    value: STALE,
    want: '412 PreconditionFailed',
  },
];

describe('preconditions', () => {
  for (const { name, method, path, body, header, value, want } of rows) {
    it(`${name}: ${want}`, async () => {
      await using made = await bench();
      await put(made, [app]);
      const before = await etagOf(made, CORE);
      const headers = { [header]: value === 'now' ? before : value };
      assert.equal(outcome(await made.send(method, path, { body, headers })), want);
      if (want.startsWith('412')) assert.equal(await etagOf(made, CORE), before);
    });
  }
});

describe('etags', () => {
  it('move with every write of the resource or of a child of it, and with the end of its operation', async () => {
    await using made = await bench({ arm: { durations: { networkWrite: 1000 } } });
    const seen = new Set<string>();
    const moved = async (): Promise<void> => {
      const etag = await etagOf(made, CORE);
      assert.ok(!seen.has(etag), 'the etag stands still');
      seen.add(etag);
    };
    await put(made, [app]);
    await moved();
    made.sandbox.control.clock.advance(1000);
    await moved();
    assert.equal(outcome(await made.send('PUT', `${CORE}/subnets/db`, { body: db })), '201');
    await moved();
    made.sandbox.control.clock.advance(1000);
    await moved();
    await made.send('PATCH', CORE, { body: { tags: { a: 'b' } } });
    await moved();
    assert.equal(seen.has(await etagOf(made, CORE)), true);
  });
});

describe('a colleague’s edit between GET and PUT', () => {
  const rogue = { kind: 'edit', method: 'PUT', path: `${CORE}/subnets/rogue?api-version=2026-01-01` } as const;

  it('is lost by a PUT without If-Match', async () => {
    await using made = await bench();
    await put(made, [app]);
    const body = subnetBody('rogue', '10.0.9.0/24');
    made.sandbox.control.faults.add({
      match: { action: 'virtualNetworks.createOrUpdate' },
      effect: { ...rogue, body },
    });
    assert.equal(await put(made, [app, db]), '200');
    assert.deepEqual(await names(made), ['App', 'db']);
  });

  it('fails a PUT with If-Match, and stands', async () => {
    await using made = await bench({ arm: { durations: { networkWrite: 5000 } } });
    await put(made, [app]);
    made.sandbox.control.clock.advance(5000);
    const headers = { 'if-match': await etagOf(made, CORE) };
    const body = subnetBody('rogue', '10.0.9.0/24');
    made.sandbox.control.faults.add({
      match: { action: 'virtualNetworks.createOrUpdate', times: 1 },
      effect: { ...rogue, body },
    });
    const refused = await made.send('PUT', CORE, { body: networkBody({}, [app, db]), headers });
    assert.equal(outcome(refused), '412 PreconditionFailed');
    assert.deepEqual(await names(made), ['App', 'rogue']);
    assert.equal((await made.send('GET', CORE)).body.properties.provisioningState, 'Succeeded');
    assert.deepEqual(made.sandbox.control.log.counts()['subnets.createOrUpdate'], undefined);
  });

  it('may be of a rule, and may delete', async () => {
    await using made = await bench();
    await made.send('PUT', NSG, { body: groupBody(ruleBody('a', 100)) });
    const headers = { 'if-match': await etagOf(made, NSG) };
    const path = `${NSG}/securityRules/a?api-version=2026-01-01`;
    made.sandbox.control.faults.add({
      match: { action: 'networkSecurityGroups.createOrUpdate' },
      effect: { kind: 'edit', method: 'DELETE', path },
    });
    const refused = await made.send('PUT', NSG, { body: groupBody(ruleBody('a', 100), ruleBody('b', 101)), headers });
    assert.equal(outcome(refused), '412 PreconditionFailed');
    assert.deepEqual((await made.send('GET', NSG)).body.properties.securityRules, []);
  });

  it('that the cloud refuses is the test’s mistake', async () => {
    await using made = await bench();
    const effect = { ...rogue, body: subnetBody('rogue', '10.0.9.0/24') };
    made.sandbox.control.faults.add({ match: { action: 'virtualNetworks.createOrUpdate' }, effect });
    const response = await fetch(`${made.sandbox.url}${CORE}?api-version=2026-01-01`, {
      method: 'PUT',
      headers: { authorization: 'Bearer dummy' },
      body: JSON.stringify(network),
    });
    assert.equal(response.status, 500);
    assert.match(await response.text(), /the edit PUT .*rogue.* was refused: .*ParentResourceNotFound/);
  });
});
