import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Kind } from '../../../src/core/resource.ts';
import { ListingFailed } from '../../../src/ports/provider.ts';
import { recordedCall } from '../../support/fixtures.ts';
import { type Asked, refusal, type Scripted, scriptedCloud } from './scripted-cloud.ts';

const prefix = 'https://www.googleapis.com/compute/v1/projects';

const network = (name: string, project = 'acme') => ({
  id: `1${name.length}`,
  name,
  selfLink: `${prefix}/${project}/global/networks/${name}`,
});

const instance = {
  id: '7',
  name: 'web-0',
  zone: `${prefix}/acme/zones/europe-west1-b`,
  selfLink: `${prefix}/acme/zones/europe-west1-b/instances/web-0`,
  machineType: 'e2-small',
  status: 'RUNNING',
  disks: [{ boot: true, autoDelete: true, source: `${prefix}/acme/zones/europe-west1-b/disks/web-0` }],
  networkInterfaces: [{ subnetwork: `${prefix}/acme/regions/europe-west1/subnetworks/core-app` }],
};

/** The answer of a complete, empty project. */
const empty = ({ path }: Asked): Scripted => ({
  body: { kind: path.startsWith('aggregated/') ? 'compute#someAggregatedList' : 'compute#someList' },
});

async function listed(kind: Kind, answer: (asked: Asked) => Scripted | undefined): Promise<readonly string[]> {
  const cloud = await scriptedCloud((asked) => answer(asked) ?? empty(asked));
  try {
    const session = await cloud.open();
    const found: string[] = [];
    for await (const page of session.actuators[kind].list(recordedCall())) found.push(...page.map(({ id }) => id));
    return found;
  } finally {
    await cloud.close();
  }
}

const at =
  (path: string, body: object) =>
  (asked: Asked): Scripted | undefined =>
    asked.path === path ? { body } : undefined;

const instances = (items: object, over: object = {}) =>
  at('aggregated/instances', { kind: 'compute#instanceAggregatedList', items, ...over });

const unreachable = { code: 'UNREACHABLE', message: 'zones/europe-west1-b is not reachable' };

interface Row {
  readonly name: string;
  readonly kind: Kind;
  readonly answer: (asked: Asked) => Scripted | undefined;
  readonly code: string;
}

const rows: readonly Row[] = [
  {
    name: 'one zone that was not reached',
    kind: 'instance',
    answer: instances({ 'zones/europe-west1-b': { warning: unreachable } }),
    code: 'UNREACHABLE',
  },
  {
    name: 'one region that was not reached, of subnets',
    kind: 'subnet',
    answer: at('aggregated/subnetworks', {
      kind: 'compute#subnetworkAggregatedList',
      items: { 'regions/europe-west1': { warning: unreachable } },
    }),
    code: 'UNREACHABLE',
  },
  {
    name: 'a zone among the unreachables',
    kind: 'instance',
    answer: instances({}, { unreachables: ['zones/x'] }),
    code: 'UNREACHABLE',
  },
  {
    name: 'a warning of the whole',
    kind: 'instance',
    answer: instances({}, { warning: { code: 'PARTIAL_SUCCESS' } }),
    code: 'PARTIAL_SUCCESS',
  },
  {
    name: 'a refused page',
    kind: 'network',
    answer: ({ path }) => (path === 'global/networks' ? refusal(403, 'forbidden') : undefined),
    code: 'forbidden',
  },
  { name: 'an answer that is no listing', kind: 'network', answer: at('global/networks', {}), code: 'NoListing' },
  {
    name: 'an object without its number',
    kind: 'network',
    answer: at('global/networks', { kind: 'compute#networkList', items: [{ ...network('core'), id: undefined }] }),
    code: 'NoNumber',
  },
  {
    name: 'another project’s object',
    kind: 'network',
    answer: at('global/networks', { kind: 'compute#networkList', items: [network('core', 'other')] }),
    code: 'wrong-account',
  },
  {
    name: 'a page token that comes twice',
    kind: 'network',
    answer: at('global/networks', { kind: 'compute#networkList', items: [network('core')], nextPageToken: 'again' }),
    code: 'TokenLoop',
  },
  {
    name: 'a firewall in a network that was not listed',
    kind: 'firewall-rule',
    answer: at('global/firewalls', {
      kind: 'compute#firewallList',
      items: [{ id: '5', name: 'x', selfLink: `${prefix}/acme/global/firewalls/x`, network: network('core').selfLink }],
    }),
    code: 'ShortListing',
  },
  {
    name: 'a machine whose subnet was not listed',
    kind: 'instance',
    answer: instances({ 'zones/europe-west1-b': { instances: [instance] } }),
    code: 'ShortListing',
  },
];

describe('a listing in doubt is no listing', () => {
  for (const { name, kind, answer, code } of rows)
    test(name, () =>
      assert.rejects(listed(kind, answer), (error) => error instanceof ListingFailed && error.code === code),
    );

  test('a running machine whose disk was not listed', () => {
    const subnet = { id: '9', selfLink: `${prefix}/acme/regions/europe-west1/subnetworks/core-app` };
    const answer = (asked: Asked): Scripted | undefined =>
      instances({ 'zones/europe-west1-b': { instances: [instance] } })(asked) ??
      at('aggregated/subnetworks', {
        kind: 'compute#l.List',
        items: { 'regions/europe-west1': { subnetworks: [subnet] } },
      })(asked);
    return assert.rejects(listed('instance', answer), /disks\/web-0 of .* was not listed/);
  });
});

describe('what takes nothing from a listing', () => {
  test('places that hold nothing say so', async () => {
    const warning = { code: 'NO_RESULTS_ON_PAGE' };
    assert.deepEqual(await listed('instance', instances({ 'zones/europe-west1-b': { warning } })), []);
  });
  test('an object that two pages show is one', async () => {
    let pages = 0;
    const answer = (asked: Asked): Scripted | undefined => {
      if (asked.path !== 'global/networks') return undefined;
      pages += 1;
      const items = [network('core')];
      return { body: { kind: 'compute#networkList', items, ...(pages === 1 ? { nextPageToken: 'two' } : {}) } };
    };
    assert.deepEqual(await listed('network', answer), ['projects/acme/global/networks/core#14']);
    assert.equal(pages, 2);
  });
  test('an empty page with a token is not the last', async () => {
    let pages = 0;
    const answer = (asked: Asked): Scripted | undefined => {
      if (asked.path !== 'global/networks') return undefined;
      pages += 1;
      const rest = pages === 1 ? { nextPageToken: 'two' } : { items: [network('core')] };
      return { body: { kind: 'compute#networkList', ...rest } };
    };
    assert.equal((await listed('network', answer)).length, 1);
  });
  test('a shared network of another project stays a path', async () => {
    const answer = at('global/firewalls', {
      kind: 'compute#firewallList',
      items: [
        {
          id: '5',
          name: 'x',
          selfLink: `${prefix}/acme/global/firewalls/x`,
          network: network('core', 'host').selfLink,
        },
      ],
    });
    assert.equal((await listed('firewall-rule', answer)).length, 1);
  });
});
