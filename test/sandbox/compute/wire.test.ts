import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { describe, it } from 'node:test';
import { METHODS } from '../../../sandbox/compute/methods/index.ts';
import { bench, core, custom, type NetworkBench, refusalOf } from './network-bench.ts';

interface Asked {
  readonly method?: string;
  readonly path?: string;
  readonly token?: string | undefined;
  readonly body?: string;
}

async function ask({ sandbox }: NetworkBench, asked: Asked) {
  const { method = 'GET', path = 'projects/acme/global/networks', token = 'Bearer t', body } = asked;
  const response = await fetch(`${sandbox.url}/compute/v1/${path}`, {
    method,
    headers: { 'content-type': 'application/json', ...(token === '' ? {} : { authorization: token }) },
    ...(body === undefined ? {} : { body }),
  });
  return { status: response.status, body: JSON.parse(await response.text()) };
}

const fronts: readonly { readonly name: string; readonly asked: Asked; readonly want: string }[] = [
  { name: 'no token', asked: { token: '' }, want: '401 required' },
  { name: 'an empty token', asked: { token: 'Bearer ' }, want: '401 required' },
  { name: 'another scheme', asked: { token: 'Basic abc' }, want: '401 required' },
  { name: 'any token', asked: { token: 'Bearer ya29.x' }, want: 'accepted' },
  { name: 'an unknown project', asked: { path: 'projects/nobody/global/networks' }, want: '404 notFound' },
  { name: 'no such method', asked: { path: 'projects/acme/global/teapots' }, want: '404 notFound' },
  { name: 'an empty name', asked: { path: 'projects/acme/global/networks/' }, want: '404 notFound' },
  { name: 'a verb that the path has not', asked: { method: 'PUT' }, want: '404 notFound' },
  {
    name: 'a query parameter unknown',
    asked: { path: 'projects/acme/global/networks?size=1' },
    want: '400 badRequest',
  },
  { name: 'a query parameter of all', asked: { path: 'projects/acme/global/networks?alt=json' }, want: 'accepted' },
  { name: 'another form than JSON', asked: { path: 'projects/acme/global/networks?alt=xml' }, want: '400 badRequest' },
  { name: 'broken JSON', asked: { method: 'POST', body: '{"name":' }, want: '400 parseError' },
  { name: 'no body where one is needed', asked: { method: 'POST', body: '""' }, want: '400 badRequest' },
];

describe('the front door', () => {
  for (const { name, asked, want } of fronts) {
    it(`${name}: ${want}`, async () => {
      await using made = await bench();
      assert.equal(refusalOf(await ask(made, asked)), want);
    });
  }

  it('errors have one form', async () => {
    await using made = await bench();
    const message = "The resource 'projects/acme/global/networks/none' was not found";
    assert.deepEqual((await made.raw('GET', 'global/networks/none')).body, {
      error: { code: 404, message, errors: [{ message, domain: 'global', reason: 'notFound' }] },
    });
  });

  it('a permission that a fault takes away is 403 forbidden', async () => {
    await using made = await bench();
    made.sandbox.control.faults.add({ match: {}, effect: { kind: 'access-denied' } });
    const answer = await made.raw('GET', 'global/networks');
    assert.equal(refusalOf(answer), '403 forbidden');
    assert.equal(answer.body.error.message, "Required 'compute.networks.list' permission for 'projects/acme'");
    assert.equal(answer.body.error.errors[0].domain, 'global');
  });

  it('the log says who did what, in words of the API', async () => {
    await using made = await bench();
    await core(made);
    const [insert] = made.sandbox.control.log.entries({ action: 'compute.subnetworks.insert' });
    assert.deepEqual(
      [insert?.service, insert?.account, insert?.region, insert?.mutating, insert?.applied, insert?.status],
      ['compute', 'acme', 'europe-west1', true, true, 200],
    );
    assert.deepEqual(JSON.parse(insert?.params['body'] ?? ''), {
      name: 'app',
      network: 'global/networks/core',
      ipCidrRange: '10.0.1.0/24',
    });
  });
});

describe('projects', () => {
  it('are several, say their number, and know nothing of each other', async () => {
    await using made = await bench({ compute: { projects: [{ id: 'acme', number: '42424242' }, { id: 'beta' }] } });
    await core(made);
    const { body } = await ask(made, { path: 'projects/acme' });
    assert.deepEqual([body.kind, body.id, body.name], ['compute#project', '42424242', 'acme']);
    assert.equal((await ask(made, { path: 'projects/beta/global/networks' })).body.items, undefined);
    const text = JSON.stringify({
      name: 'x',
      network: 'projects/acme/global/networks/core',
      allowed: [{ IPProtocol: 'all' }],
    });
    const foreign = await ask(made, { method: 'POST', path: 'projects/beta/global/firewalls', body: text });
    assert.equal(refusalOf(foreign), '400 invalid');
  });

  it('answer for another where a fault says so', async () => {
    await using made = await bench({ compute: { projects: [{ id: 'acme' }, { id: 'beta' }] } });
    await made.done('POST', 'global/networks', custom('core'));
    made.sandbox.control.faults.add({ match: {}, effect: { kind: 'as-account', account: 'beta' } });
    assert.equal((await ask(made, { path: 'projects/acme' })).body.name, 'beta');
    assert.equal((await made.raw('GET', 'global/networks')).body.items, undefined);
  });
});

const camel = (path: string): string => path.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());

interface Rpc {
  readonly parsedOptions?: readonly Readonly<Record<string, Readonly<Record<string, string>>>>[];
}

/** Every binding of the SDK's own protocol definition: `GET projects/{project}/global/networks/{network}` by service and method. */
function published(): ReadonlyMap<string, string> {
  const file = createRequire(import.meta.url).resolve('@google-cloud/compute/build/protos/protos.json');
  const services = JSON.parse(readFileSync(file, 'utf8')).nested.google.nested.cloud.nested.compute.nested.v1.nested;
  const bindings = new Map<string, string>();
  for (const [service, { methods = {} }] of Object.entries<{ methods?: Readonly<Record<string, Rpc>> }>(services))
    for (const [method, { parsedOptions = [] }] of Object.entries(methods))
      for (const { ['(google.api.http)']: http = {} } of parsedOptions)
        for (const verb of ['get', 'post', 'put', 'patch', 'delete'])
          if (http[verb])
            bindings.set(`${service}.${method}`.toLowerCase(), `${verb.toUpperCase()} ${camel(http[verb])}`);
  return bindings;
}

describe('every method of the sandbox', () => {
  it('is one that Google has, by that id, verb and path', () => {
    const bindings = published();
    const strays = [...METHODS.values()].filter(({ id, verb, path }) => {
      const there = bindings.get(id.replace(/^compute\./, '').toLowerCase());
      return there !== `${verb} /compute/v1/projects/{project}${path && '/'}${path}`;
    });
    assert.deepEqual(
      strays.map(({ id }) => id),
      [],
    );
    assert.ok(METHODS.size > 20);
  });
});
