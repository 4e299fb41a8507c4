import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { defaultRouteOf } from '../../../providers/gcp/default-route/routes.ts';
import { dialect } from '../../../providers/gcp/dialect.ts';
import { bootDiskOf, observeInstance } from '../../../providers/gcp/instance/observe.ts';
import { describe as described } from '../../../providers/gcp/marks/description.ts';
import type { Disk, Instance, Network, Route } from '../../../providers/gcp/messages.ts';
import { observeNetwork } from '../../../providers/gcp/network.ts';
import { resolveIn } from '../../../providers/gcp/parents.ts';
import { observeSubnet } from '../../../providers/gcp/subnet.ts';
import { diff } from '../../../src/core/diff.ts';
import type { InstanceAttributes } from '../../../src/core/resource.ts';
import { desiredOf, markFor } from '../../support/fixtures.ts';

/** Reported networks, subnets and machines, compared with a spec: the cases G35 to G47. */
const project = 'acme';
const prefix = `https://www.googleapis.com/compute/v1/projects/${project}`;
const path = `projects/${project}/global/networks/core`;
const mark = markFor('gcp/acme/global/network/core', 'intent-1');

const network = (over: Network = {}): Network => ({
  id: '3912',
  name: 'core',
  selfLink: `${prefix}/global/networks/core`,
  autoCreateSubnetworks: false,
  ...over,
});

const route = (over: Route = {}): Route => ({
  id: '5',
  name: 'default-route-896c4dea71047e56',
  description: 'Default route to the Internet.',
  selfLink: `${prefix}/global/routes/default-route-896c4dea71047e56`,
  network: `${prefix}/global/networks/core`,
  destRange: '0.0.0.0/0',
  nextHopGateway: `${prefix}/global/gateways/default-internet-gateway`,
  ...over,
});

describe('networks', () => {
  const seen = (over: Network) => observeNetwork(network(over), [route()]).attributes;
  test('G35: the way of choosing best paths is nobody’s wish: same', () =>
    assert.deepEqual(
      diff(
        { internet: true },
        seen({ routingConfig: { routingMode: 'REGIONAL', bgpBestPathSelectionMode: 'LEGACY' } }),
      ),
      [],
    ));
  test('G37: the subnetworks of a network in auto mode, and its order of policies: same', () =>
    assert.deepEqual(
      diff(
        { internet: true },
        seen({
          autoCreateSubnetworks: true,
          subnetworks: Array.from({ length: 42 }, (_, i) => `${prefix}/regions/r${i}/subnetworks/core`),
          networkFirewallPolicyEnforcementOrder: 'AFTER_CLASSIC_FIREWALL',
        }),
      ),
      [],
    ));
  test('the network that a project is born with says that it is', () => {
    const born = observeNetwork(network({ name: 'default', autoCreateSubnetworks: true }), []);
    assert.equal(born.signs.origin?.why, 'provider-default');
  });
});

describe('the way to the internet', () => {
  const ours = route({ name: 'core-internet', description: described('', mark, 'default-route') });
  const rows: readonly (readonly [string, readonly Route[], boolean | 'partial', number])[] = [
    ['the route that it was born with', [route()], true, 1],
    ['one of the newer names', [route({ name: 'default-route-r-5f0d8aad5f4a4f6a' })], true, 1],
    ['ours', [ours], true, 1],
    ['a colleague’s, which is no part of it', [route({ name: 'out', description: 'mine' })], true, 0],
    ['one of that name, by a colleague', [route({ description: 'mine' })], true, 0],
    ['one of that description, by a colleague', [route({ name: 'out' })], true, 0],
    ['none', [], false, 0],
    ['one for some machines only', [route({ tags: ['core-web'] })], false, 0],
    ['one to a smaller part of it', [route({ destRange: '128.0.0.0/1' })], false, 0],
    ['one to a machine', [route({ nextHopGateway: null, nextHopIp: '10.0.0.2' })], false, 0],
    ['another network’s', [route({ network: `${prefix}/global/networks/other` })], false, 0],
    ['one that is being made', [route({ routeStatus: 'PENDING' })], 'partial', 1],
    ['one that is being made, and one that stands', [route({ routeStatus: 'PENDING' }), ours], true, 2],
  ];
  for (const [name, routes, internet, parts] of rows)
    test(`${name}: ${internet}, ${parts} parts`, () => {
      const way = defaultRouteOf(path, mark, routes);
      assert.deepEqual([way.internet, way.parts.length], [internet, parts]);
    });
  test('a route of another estate’s mark is not ours', () => {
    const theirs = route({
      name: 'core-internet',
      description: described('', { ...mark, estate: 'other' }, 'default-route'),
    });
    assert.deepEqual(defaultRouteOf(path, mark, [theirs]).parts, []);
  });
});

test('G38: what a subnetwork is born with: same', () => {
  const resolve = resolveIn([network()], { project });
  const subnetwork = {
    id: '9',
    name: 'core-app',
    selfLink: `${prefix}/regions/europe-west1/subnetworks/core-app`,
    region: `${prefix}/regions/europe-west1`,
    network: `${prefix}/global/networks/core`,
    ipCidrRange: '10.20.1.0/24',
    gatewayAddress: '10.20.1.1',
    purpose: 'PRIVATE',
    stackType: 'IPV4_ONLY',
    privateIpGoogleAccess: false,
    state: 'READY',
  };
  const { attributes, signs } = observeSubnet(subnetwork, resolve, { project });
  assert.deepEqual(diff({ network: `${path}#3912`, cidr: '10.20.1.0/24' }, attributes), []);
  assert.equal(signs.slot, 'gcp/acme/europe-west1/subnet/core-app');
});

const subnet = `projects/${project}/regions/europe-west1/subnetworks/core-app#9`;
const zone = `${prefix}/zones/europe-west1-b`;

const machine: Instance = {
  id: '77',
  name: 'web-0',
  selfLink: `${zone}/instances/web-0`,
  zone,
  machineType: `${zone}/machineTypes/e2-micro`,
  status: 'RUNNING',
  disks: [
    { index: 1, boot: false, autoDelete: false, source: `${zone}/disks/data`, deviceName: 'data' },
    {
      index: 0,
      boot: true,
      autoDelete: true,
      source: `${zone}/disks/web-0`,
      deviceName: 'persistent-disk-0',
      licenses: ['x'],
    },
  ],
  networkInterfaces: [
    { name: 'nic0', subnetwork: `${prefix}/regions/europe-west1/subnetworks/core-app`, networkIP: '10.20.1.2' },
  ],
  tags: { items: ['core-web', 'core-all'], fingerprint: 'abc' },
  labels: { tier: 'web' },
  metadata: { fingerprint: 'def', items: [] },
};

const disk: Disk = {
  id: '88',
  name: 'web-0',
  selfLink: `${zone}/disks/web-0`,
  sizeGb: '20',
  type: `${zone}/diskTypes/pd-balanced`,
  sourceImage: 'https://www.googleapis.com/compute/v1/projects/debian-cloud/global/images/debian-12-v20261101',
};

const asked: InstanceAttributes = {
  placement: { subnet, publicIp: false },
  groups: ['tag:core-all', 'tag:core-web'],
  machine: { image: 'projects/debian-cloud/global/images/debian-12-v20261101', size: 'e2-micro', power: 'running' },
  labels: { tier: 'web' },
};

function observe(over: Instance = {}) {
  const resolve = resolveIn([{ id: '9', selfLink: `${prefix}/regions/europe-west1/subnetworks/core-app` }], {
    project,
  });
  const instance = { ...machine, ...over };
  return observeInstance(instance, { project, resolve, disks: new Map([[bootDiskOf(instance) ?? '', disk]]) });
}

/** As the planner compares: the wish in the cloud's words where they say the same. */
function changes(wanted: Partial<InstanceAttributes>, over: Instance = {}): readonly string[] {
  const observed = observe(over);
  const name = 'gcp/acme/europe-west1-b/instance/web-0';
  const desired = desiredOf('instance', { address: name, name: 'web-0', attributes: { ...asked, ...wanted } });
  const spelled = dialect.matchSpelling?.(desired, observed) ?? desired;
  return diff(spelled.attributes, observed.attributes).map(({ field }) => field);
}

const sized = (size: string): Partial<InstanceAttributes> => ({ machine: { ...asked.machine, size } });
const imaged = (image: string): Partial<InstanceAttributes> => ({ machine: { ...asked.machine, image } });
const nic = (machine.networkInterfaces ?? [])[0];
const publicIp: Partial<InstanceAttributes> = { placement: { subnet, publicIp: true } };
const withAddress = (access: object): Instance => ({ networkInterfaces: [{ ...nic, accessConfigs: [access] }] });
const nat = { type: 'ONE_TO_ONE_NAT', name: 'External NAT', networkTier: 'PREMIUM' };
const named = (identity: string): Partial<InstanceAttributes> => ({ machine: { ...asked.machine, identity } });
const account: Instance = { serviceAccounts: [{ email: 'web@acme.iam.gserviceaccount.com', scopes: ['x'] }] };
const madeFrom = (value: string): Instance => ({ metadata: { items: [{ key: 'setpoint-image', value }] } });
const family = 'projects/debian-cloud/global/images/family/debian-12';

const machineCases: readonly (readonly [string, Partial<InstanceAttributes>, Instance, readonly string[]])[] = [
  ['G40: a size by name', {}, {}, []],
  ['G40: a size by a partial URL', sized('zones/europe-west1-b/machineTypes/e2-micro'), {}, []],
  ['G40: a size by a whole URL', sized(`${zone}/machineTypes/e2-micro`), {}, []],
  ['G40: another size', sized('e2-small'), {}, ['machine.size']],
  ['G41: the image is told by the disk', {}, {}, []],
  ['G41: an image by its URL', imaged(disk.sourceImage ?? ''), {}, []],
  ['G41: an image by another host', imaged(`https://compute.googleapis.com/compute/v1/${asked.machine.image}`), {}, []],
  ['G41: a family, as it was asked for', imaged(family), madeFrom(family), []],
  ['G41: a family by its URL', imaged(`https://www.googleapis.com/compute/v1/${family}`), madeFrom(family), []],
  ['G41: another family', imaged(family), madeFrom(`${family}-arm64`), ['machine.image']],
  ['G41: an image of the project’s own', imaged('global/images/web'), madeFrom('projects/acme/global/images/web'), []],
  ['G41: another image', imaged('projects/debian-cloud/global/images/debian-11'), {}, ['machine.image']],
  ['G41: the disk’s size', { disk: { size: 20 } }, {}, []],
  ['G41: a disk type by its URL', { disk: { type: `${zone}/diskTypes/pd-balanced` } }, {}, []],
  ['G41: another disk type', { disk: { type: 'pd-ssd' } }, {}, ['disk.type']],
  ['G41: disks are always encrypted', { disk: { encrypted: true } }, {}, []],
  ['G43: an address with all that the cloud adds', publicIp, withAddress({ ...nat, natIP: '34.1.2.3' }), []],
  ['G43: no address', publicIp, {}, ['placement.publicIp']],
  ['G43: an address that nobody asked for', {}, withAddress(nat), ['placement.publicIp']],
  ['G44: a stopped machine with its access and no address', publicIp, withAddress(nat), []],
  ['G46: no tags', { groups: [] }, { tags: { fingerprint: 'abc' } }, []],
  ['G46: tags in another order', {}, { tags: { items: ['core-all', 'core-web'] } }, []],
  ['G46: a tag too many', {}, { tags: { items: ['core-all', 'core-web', 'ssh'] } }, ['groups']],
  ['G47: TERMINATED is stopped', {}, { status: 'TERMINATED' }, ['machine.power']],
  ['G47: SUSPENDED is stopped', {}, { status: 'SUSPENDED' }, ['machine.power']],
  ['G47: a machine that is being repaired runs', {}, { status: 'REPAIRING' }, []],
  ['labels that nobody stated', {}, { labels: { tier: 'web', 'goog-ops-agent-policy': 'v2' } }, []],
  ['a label of another value', {}, { labels: { tier: 'db' } }, ['labels.tier']],
  ['an identity by its bare name', named('web'), account, []],
  ['an identity by its address', named('web@acme.iam.gserviceaccount.com'), account, []],
  ['another identity', named('db'), account, ['machine.identity']],
  ['an identity that nobody stated', {}, account, []],
  ['a deletion protection set by hand', {}, { deletionProtection: true }, []],
];
const states = [
  ['PROVISIONING', 'pending', 'running'],
  ['STAGING', 'pending', 'running'],
  ['RUNNING', 'ready', 'running'],
  ['STOPPING', 'pending', 'stopped'],
  ['PENDING_STOP', 'pending', 'stopped'],
  ['TERMINATED', 'ready', 'stopped'],
  ['STOPPED', 'ready', 'stopped'],
  ['SUSPENDING', 'pending', 'stopped'],
  ['SUSPENDED', 'ready', 'stopped'],
  ['DEPROVISIONING', 'deleting', 'stopped'],
  ['A_STATE_OF_TOMORROW', 'pending', 'running'],
] as const;

describe('machines', () => {
  for (const [name, wanted, over, want] of machineCases) {
    test(`${name}: ${want.length === 0 ? 'same' : 'drift'}`, () => assert.deepEqual(changes(wanted, over), want));
  }

  for (const [status, state, power] of states)
    test(`G47: ${status} is ${state}, ${power}, and never gone`, () => {
      // why: the API may know more states than the SDK
      const seen = observe({ status: status as 'RUNNING' });
      assert.deepEqual([seen.condition.state, seen.attributes.machine.power], [state, power]);
    });

  test('its boot disk is its part, whatever the order of disks; a disk that stays is not', () =>
    assert.deepEqual(observe().condition.parts, [
      { part: 'disk', id: 'projects/acme/zones/europe-west1-b/disks/web-0#88' },
    ]));
  test('what a managed group made says so', () => {
    const value = 'projects/1/zones/europe-west1-b/instanceGroupManagers/pool';
    const made = observe({ metadata: { items: [{ key: 'created-by', value }] } });
    assert.deepEqual(made.signs.origin, {
      why: 'service-child',
      detail: 'made by managed instance group pool',
      maker: 'managed instance groups',
    });
  });
});
