// A person's own script: asks for the subscription, then for all listings at once, and prints the number of objects.
import { ComputeManagementClient } from '@azure/arm-compute';
import { NetworkManagementClient } from '@azure/arm-network';
import { ResourceManagementClient } from '@azure/arm-resources';

const [, , endpoint = ''] = process.argv;
const subscription = '11112222-3333-4444-8555-666677778888';
const credential = { getToken: async () => ({ token: 'sandbox', expiresOnTimestamp: Date.now() + 3_600_000 }) };
const options = { endpoint, allowInsecureConnection: true };
const network = new NetworkManagementClient(credential, subscription, options);
const compute = new ComputeManagementClient(credential, subscription, options);
const resources = new ResourceManagementClient(credential, subscription, options);

// The SDK sends no token over plain http, which is all that a sandbox speaks.
for (const { pipeline } of [network, compute, resources]) {
  pipeline.removePolicy({ name: 'bearerTokenAuthenticationPolicy' });
  pipeline.addPolicy({
    name: 'plainToken',
    sendRequest: (request, next) => {
      request.headers.set('authorization', 'Bearer sandbox');
      return next(request);
    },
  });
}

const { id } = await resources.providers.get('Microsoft.Network');

/** @param {AsyncIterable<unknown>} items */
async function count(items) {
  let found = 0;
  for await (const _ of items) found += 1;
  return found;
}

/** Networks with a machine. @type {Set<string>} */
const networks = new Set();

/** @param {AsyncIterable<import('@azure/arm-network').NetworkInterface>} interfaces */
async function* inUse(interfaces) {
  for await (const one of interfaces) {
    if (one.virtualMachine)
      networks.add(one.ipConfigurations?.[0]?.subnet?.id?.toLowerCase().replace(/\/subnets\/.*/, '') ?? '');
    yield one;
  }
}

const counts = await Promise.all([
  count(network.virtualNetworks.listAll()),
  count(network.networkSecurityGroups.listAll()),
  count(network.applicationSecurityGroups.listAll()),
  count(inUse(network.networkInterfaces.listAll())),
  count(network.publicIPAddresses.listAll()),
  count(compute.virtualMachines.listAll()),
  count(compute.virtualMachines.listAll({ statusOnly: 'true' })),
  count(compute.disks.list()),
]);
const rules = await Promise.all(
  [...networks].map(async (path) => {
    const [, , , , group = '', , , , name = ''] = path.split('/');
    const { value } = await network.listNetworkManagerEffectiveSecurityAdminRules(group, name, {});
    return value?.length ?? 0;
  }),
);
process.stdout.write(`${[id, ...counts, ...rules].join(' ')}\n`);
