import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { begun, bench, core, custom, endOf, PROJECT, refusalOf } from './network-bench.ts';

const tcp = [{ IPProtocol: 'tcp', ports: ['443'] }];

const rule = (more: object = { allowed: tcp }) => ({ name: 'web', network: 'global/networks/core', ...more });

/** Requested firewalls, and the cloud's answer: only the named fields are compared. */
const shown: readonly { readonly name: string; readonly asked: object; readonly want: object }[] = [
  {
    name: 'the defaults',
    asked: { allowed: tcp },
    want: {
      kind: 'compute#firewall',
      description: '',
      priority: 1000,
      direction: 'INGRESS',
      allowed: tcp,
      denied: undefined,
      sourceRanges: ['0.0.0.0/0'],
      destinationRanges: undefined,
      targetTags: undefined,
      logConfig: { enable: false },
      disabled: false,
      network: 'https://www.googleapis.com/compute/v1/projects/acme/global/networks/core',
    },
  },
  {
    name: 'source tags alone, without a range',
    asked: { allowed: tcp, sourceTags: ['lb'] },
    want: { sourceTags: ['lb'], sourceRanges: undefined },
  },
  {
    name: 'source accounts alone, without a range',
    asked: { allowed: tcp, sourceServiceAccounts: ['a@acme.iam.gserviceaccount.com'] },
    want: { sourceRanges: undefined },
  },
  {
    name: 'egress without a destination',
    asked: { denied: [{ IPProtocol: 'all' }], direction: 'EGRESS', priority: 65534 },
    want: { destinationRanges: ['0.0.0.0/0'], sourceRanges: undefined, denied: [{ IPProtocol: 'all' }] },
  },
  { name: 'priority 0, which is a priority', asked: { allowed: tcp, priority: 0 }, want: { priority: 0 } },
  {
    name: 'protocols in lower case, and two entries kept two',
    asked: {
      allowed: [
        { IPProtocol: 'TCP', ports: ['80'] },
        { IPProtocol: 'tcp', ports: ['443-445'] },
      ],
    },
    want: {
      allowed: [
        { IPProtocol: 'tcp', ports: ['80'] },
        { IPProtocol: 'tcp', ports: ['443-445'] },
      ],
    },
  },
  {
    name: 'IPv6 compressed',
    asked: { allowed: tcp, sourceRanges: ['2600:2900:3070:BE4:6000:0:0:0/128'] },
    want: { sourceRanges: ['2600:2900:3070:be4:6000::/128'] },
  },
  {
    name: 'logging with its metadata',
    asked: { allowed: tcp, logConfig: { enable: true } },
    want: { logConfig: { enable: true, metadata: 'INCLUDE_ALL_METADATA' } },
  },
  {
    name: 'empty lists as none',
    asked: { allowed: tcp, sourceRanges: [], targetTags: [] },
    want: { targetTags: undefined },
  },
];

describe('a firewall shows', () => {
  for (const { name, asked, want } of shown) {
    it(name, async () => {
      await using made = await bench();
      await core(made);
      assert.equal(endOf(await made.done('POST', 'global/firewalls', rule(asked))), 'DONE');
      const { body } = await made.raw('GET', 'global/firewalls/web');
      assert.deepEqual(Object.fromEntries(Object.keys(want).map((key) => [key, body[key]])), want);
    });
  }
});

const many = (count: number, of: (index: number) => string) => Array.from({ length: count }, (_, index) => of(index));

const refused: readonly {
  readonly name: string;
  readonly body: object;
  readonly want: string;
  readonly says: RegExp;
}[] = [
  { name: 'neither allowed nor denied', body: rule({}), want: '400 required', says: /resource\.allowed/ },
  { name: 'allowed and denied', body: rule({ allowed: tcp, denied: tcp }), want: '400 invalid', says: /both are/ },
  { name: 'priority -1', body: rule({ allowed: tcp, priority: -1 }), want: '400 invalid', says: /0 and 65535/ },
  { name: 'priority 65536', body: rule({ allowed: tcp, priority: 65536 }), want: '400 invalid', says: /0 and 65535/ },
  { name: 'no protocol', body: rule({ allowed: [{ ports: ['1'] }] }), want: '400 required', says: /IPProtocol/ },
  { name: 'a protocol unknown', body: rule({ allowed: [{ IPProtocol: 'tpc' }] }), want: '400 invalid', says: /tpc/ },
  { name: 'protocol 256', body: rule({ allowed: [{ IPProtocol: '256' }] }), want: '400 invalid', says: /0 to 255/ },
  {
    name: 'ports of ICMP',
    body: rule({ allowed: [{ IPProtocol: 'icmp', ports: ['8'] }] }),
    want: '400 invalid',
    says: /Ports are only for/,
  },
  ...['1-1-1', 'abc', '', '65536', '90-80', '80,81'].map((port) => ({
    name: `port "${port}"`,
    body: rule({ allowed: [{ IPProtocol: 'tcp', ports: [port] }] }),
    want: '400 invalid',
    says: /allowed\[0\]\.ports\[0\]/,
  })),
  ...['10.0.0.1/24', '10.0.0.0', '10.0.0.0./8', '10.0.0.0/33', 'web', '2600:::/32'].map((range) => ({
    name: `range "${range}"`,
    body: rule({ allowed: tcp, sourceRanges: ['10.0.0.0/8', range] }),
    want: '400 invalid',
    says: /sourceRanges\[1\]/,
  })),
  {
    name: 'IPv4 and IPv6 together',
    body: rule({ allowed: tcp, sourceRanges: ['10.0.0.0/8', '2600::/32'] }),
    want: '400 invalid',
    says: /not both/,
  },
  {
    name: 'a tag with capitals',
    body: rule({ allowed: tcp, targetTags: ['Web'] }),
    want: '400 invalid',
    says: /targetTags\[0\]/,
  },
  {
    name: 'more than 30 source tags',
    body: rule({ allowed: tcp, sourceTags: many(31, (i) => `t${i}`) }),
    want: '400 invalid',
    says: /at most 30/,
  },
  {
    name: 'more than 70 target tags',
    body: rule({ allowed: tcp, targetTags: many(71, (i) => `t${i}`) }),
    want: '400 invalid',
    says: /at most 70/,
  },
  {
    name: 'egress from tags',
    body: rule({ allowed: tcp, direction: 'EGRESS', sourceTags: ['a'] }),
    want: '400 invalid',
    says: /EGRESS/,
  },
  {
    name: 'tags and accounts together',
    body: rule({ allowed: tcp, sourceTags: ['a'], targetServiceAccounts: ['a@b.c'] }),
    want: '400 invalid',
    says: /cannot be used together/,
  },
  {
    name: 'metadata without logging',
    body: rule({ allowed: tcp, logConfig: { enable: false, metadata: 'INCLUDE_ALL_METADATA' } }),
    want: '400 invalid',
    says: /logConfig\.metadata/,
  },
  {
    name: 'a direction unknown',
    body: rule({ allowed: tcp, direction: 'UP' }),
    want: '400 invalid',
    says: /direction/,
  },
  {
    name: 'a description of 2049 characters',
    body: rule({ allowed: tcp, description: 'x'.repeat(2049) }),
    want: '400 invalid',
    says: /2048/,
  },
  {
    name: 'no network, where no default network is',
    body: { name: 'web', allowed: tcp },
    want: '400 invalid',
    says: /global\/networks\/default/,
  },
];

describe('a firewall is refused for', () => {
  for (const { name, body, want, says } of refused) {
    it(name, async () => {
      await using made = await bench();
      await core(made);
      const answer = await made.raw('POST', 'global/firewalls', body);
      assert.equal(refusalOf(answer), want);
      assert.match(answer.body.error.message, says);
    });
  }

  it('being one too many', async () => {
    await using made = await bench({ compute: { quotas: { firewalls: 1 } } });
    await core(made);
    await made.done('POST', 'global/firewalls', rule());
    const answer = await made.raw('POST', 'global/firewalls', { ...rule(), name: 'more' });
    assert.equal(refusalOf(answer), '403 quotaExceeded');
  });
});

describe('a firewall names its network', () => {
  for (const start of ['', 'projects/acme/', 'https://compute.googleapis.com/compute/v1/projects/acme/', 'here'])
    it(`beginning with "${start}"`, async () => {
      await using made = await bench();
      await core(made);
      const prefix = start === 'here' ? `${made.sandbox.url}/compute/v1/projects/acme/` : start;
      const body = { name: 'web', network: `${prefix}global/networks/core`, allowed: tcp };
      assert.equal(endOf(await made.done('POST', 'global/firewalls', body)), 'DONE');
    });
});

describe('a firewall changes', () => {
  it('by patch only where the patch says so', async () => {
    await using made = await bench();
    await core(made);
    const full = { allowed: tcp, targetTags: ['web'], sourceRanges: ['10.0.0.0/8'], priority: 7, description: 'mine' };
    await made.done('POST', 'global/firewalls', rule(full));
    await made.sdk.firewalls.patch({ project: PROJECT, firewall: 'web', firewallResource: { disabled: true } });
    made.sandbox.control.clock.advance(4000);
    const { body } = await made.raw('GET', 'global/firewalls/web');
    assert.deepEqual(
      { ...full, disabled: true },
      Object.fromEntries([...Object.keys(full), 'disabled'].map((k) => [k, body[k]])),
    );
  });

  it('by a colleague right before another request, from beginning to end', async () => {
    await using made = await bench();
    await core(made);
    await made.done('POST', 'global/firewalls', rule({ allowed: tcp, sourceRanges: ['10.0.0.0/8'] }));
    made.sandbox.control.faults.add({
      match: { action: 'compute.firewalls.patch', times: 1 },
      effect: {
        kind: 'edit',
        method: 'PATCH',
        path: `/compute/v1/projects/${PROJECT}/global/firewalls/web`,
        body: { sourceRanges: ['10.0.0.0/8', '192.0.2.0/24'] },
      },
    });
    assert.equal(endOf(await made.done('PATCH', 'global/firewalls/web', { priority: 7 })), 'DONE');
    const { body } = await made.raw('GET', 'global/firewalls/web');
    assert.deepEqual([body.priority, body.sourceRanges], [7, ['10.0.0.0/8', '192.0.2.0/24']]);
  });

  it('by patch from allow to deny when the one is cleared with the other', async () => {
    await using made = await bench();
    await core(made);
    await made.done('POST', 'global/firewalls', rule());
    const denied = [{ IPProtocol: 'udp' }];
    assert.equal(refusalOf(await made.raw('PATCH', 'global/firewalls/web', { denied })), '400 invalid');
    assert.equal(endOf(await made.done('PATCH', 'global/firewalls/web', { denied, allowed: null })), 'DONE');
    const { body } = await made.raw('GET', 'global/firewalls/web');
    assert.deepEqual([body.allowed, body.denied], [undefined, denied]);
  });

  it('by patch to everywhere when its last source is cleared', async () => {
    await using made = await bench();
    await core(made);
    await made.done('POST', 'global/firewalls', rule({ allowed: tcp, sourceTags: ['lb'] }));
    await made.done('PATCH', 'global/firewalls/web', { sourceTags: [] });
    assert.deepEqual((await made.raw('GET', 'global/firewalls/web')).body.sourceRanges, ['0.0.0.0/0']);
  });

  it('by update wholly: what the update leaves out falls back', async () => {
    await using made = await bench();
    await core(made);
    await made.done('POST', 'global/firewalls', rule({ allowed: tcp, targetTags: ['web'], priority: 7 }));
    const firewallResource = { ...rule(), sourceTags: ['lb'] };
    const operation = begun(await made.sdk.firewalls.update({ project: PROJECT, firewall: 'web', firewallResource }));
    assert.equal(operation.operationType, 'update');
    made.sandbox.control.clock.advance(4000);
    const { body } = await made.raw('GET', 'global/firewalls/web');
    assert.deepEqual([body.priority, body.targetTags, body.sourceTags], [1000, undefined, ['lb']]);
  });

  it('never in name, network or direction', async () => {
    await using made = await bench();
    await core(made);
    await made.done('POST', 'global/networks', custom('other'));
    await made.done('POST', 'global/firewalls', rule());
    for (const fixed of [{ name: 'other' }, { network: 'global/networks/other' }, { direction: 'EGRESS' }]) {
      assert.equal(refusalOf(await made.raw('PATCH', 'global/firewalls/web', fixed)), '400 invalid');
      assert.equal(refusalOf(await made.raw('PUT', 'global/firewalls/web', { ...rule(), ...fixed })), '400 invalid');
    }
  });
});
