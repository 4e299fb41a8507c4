import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { withoutSecrets } from '../../../providers/gcp/client.ts';
import { idOf, placeOf } from '../../../providers/gcp/cloud-id.ts';
import { bootMetadata } from '../../../providers/gcp/instance/launch.ts';
import { pathOf, regionOfZone } from '../../../providers/gcp/links.ts';
import { originOf, type Traces } from '../../../providers/gcp/origin.ts';
import { requestId } from '../../../providers/gcp/request-id.ts';
import type { Failure } from '../../../src/core/failure.ts';

describe('ids', () => {
  const path = 'projects/acme/zones/europe-west1-b/instances/web-0';
  test('are a path and a number', () =>
    assert.equal(idOf({ id: '77', selfLink: `https://www.googleapis.com/compute/v1/${path}` }), `${path}#77`));
  for (const link of [path, `/${path}`, `https://compute.googleapis.com/compute/v1/${path}`])
    test(`${link} is one path`, () => assert.equal(pathOf(link), path));
  for (const id of [undefined, null, '', '0', 'abc'])
    test(`without a number (${JSON.stringify(id)}) there is none`, () =>
      assert.equal(idOf({ ...(id === undefined ? {} : { id }), selfLink: path }), undefined));
  test('without a path neither', () => assert.equal(idOf({ id: '77' }), undefined));
  test('tell their place', () =>
    assert.deepEqual(placeOf(`${path}#77`), { path, number: '77', name: 'web-0', location: 'europe-west1-b' }));
  test('of what is global there is no place', () =>
    assert.equal(placeOf('projects/acme/global/networks/core#1').location, undefined));
  test('a zone is in a region', () => assert.equal(regionOfZone('us-east4-c'), 'us-east4'));
});

describe('request ids', () => {
  test('are UUIDs', () =>
    assert.match(requestId('t', 'network'), /^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/));
  test('are the same for the same', () => assert.equal(requestId('t', 'a', 'b'), requestId('t', 'a', 'b')));
  test('differ by token, kind and address', () => {
    const all = [
      requestId('t', 'a', 'b'),
      requestId('u', 'a', 'b'),
      requestId('t', 'x', 'b'),
      requestId('t', 'a', 'x'),
    ];
    assert.equal(new Set(all).size, all.length);
  });
});

describe('what a machine is given to run', () => {
  test('cloud-config by cloud-init’s key', () =>
    assert.deepEqual(Object.keys(bootMetadata({ userData: '#cloud-config\n' })), ['user-data']));
  test('anything else at every start', () =>
    assert.deepEqual(bootMetadata({ userData: '#!/bin/sh\n' }), { 'startup-script': '#!/bin/sh\n' }));
  test('keys with their user, a line each', () =>
    assert.deepEqual(bootMetadata({ access: { user: 'ops', sshKeys: ['ssh-ed25519 A', 'ssh-rsa B'] } }), {
      'ssh-keys': 'ops:ssh-ed25519 A\nops:ssh-rsa B',
    }));
  test('nothing, where nothing is given', () => assert.deepEqual(bootMetadata({}), {}));
});

describe('failures of requests that carry secrets', () => {
  const failure = (message: string): Failure => ({ kind: 'terminal', code: 'invalid', message });
  const secret = '#!/bin/sh\nexport TOKEN=tok-9f\n';
  test('say nothing of metadata', () => {
    const said = withoutSecrets(failure("Invalid value for field 'resource.metadata': 'export TOK"), [secret]);
    assert.doesNotMatch(said.message, /TOK/);
  });
  test('repeat no line of them', () => {
    const said = withoutSecrets(failure('near "export TOKEN=tok-9f": syntax'), [secret]);
    assert.doesNotMatch(said.message, /tok-9f/);
    assert.match(said.message, /syntax/);
  });
  test('of requests without are as they were', () =>
    assert.deepEqual(withoutSecrets(failure('metadata'), []), failure('metadata')));
});

describe('where an object comes from', () => {
  const rows: readonly (readonly [string, Traces, string | undefined])[] = [
    ['nothing on it', { name: 'web-0', labels: { tier: 'web' } }, undefined],
    ['a node of GKE', { name: 'x', labels: { 'goog-gke-node': '' } }, 'a node of GKE'],
    [
      'a cluster’s',
      { name: 'x', labels: { 'goog-k8s-cluster-name': 'prod', 'goog-gke-node': '' } },
      'belongs to GKE cluster prod',
    ],
    ['Terraform’s', { name: 'x', labels: { 'goog-terraform-provisioned': 'true' } }, 'made by Terraform'],
    [
      'a load balancer’s rule',
      { name: 'k8s-fw-a1', description: '{"kubernetes.io/service-name":"web/api", "ip":"1.2.3.4"}' },
      'made by Kubernetes for web/api',
    ],
    ['a rule of GKE', { name: 'gke-prod-1a2b3c4d-master' }, 'made by GKE for cluster prod'],
    ['a name that only begins so', { name: 'gke-prod' }, undefined],
  ];
  for (const [name, traces, want] of rows)
    test(`${name}: ${want ?? 'nobody knows'}`, () => assert.equal(originOf(traces)?.detail, want));
});
