import { ComputeManagementClient } from '@azure/arm-compute';
import { NetworkManagementClient } from '@azure/arm-network';

const subscription = '11112222-3333-4444-8555-666677778888';
const group = 'acme-prod';

/** Somebody with access to Azure: Microsoft's own SDK, and nothing of ours. */
export interface AzureColleague {
  /** Adds a rule that opens a port to the world. */
  open(securityGroup: string, port: number): Promise<void>;
  /** Gives a machine another value of a tag. */
  tag(machine: string, key: string, value: string): Promise<void>;
}

export function azureColleague(endpoint: string): AzureColleague {
  const credential = {
    getToken: async () => ({ token: 'colleague', expiresOnTimestamp: Number.MAX_SAFE_INTEGER }),
  };
  const options = { endpoint, allowInsecureConnection: true };
  const network = new NetworkManagementClient(credential, subscription, options);
  const compute = new ComputeManagementClient(credential, subscription, options);
  for (const { pipeline } of [network, compute]) {
    // The SDK sends no token over plain http, and the sandbox speaks nothing else.
    pipeline.removePolicy({ name: 'bearerTokenAuthenticationPolicy' });
    pipeline.addPolicy({
      name: 'colleague',
      sendRequest: (request, next) => {
        request.headers.set('Authorization', 'Bearer colleague');
        return next(request);
      },
    });
  }
  return {
    open: async (securityGroup, port) => {
      const made = network.securityRules.createOrUpdate(group, securityGroup, `open-${port}`, {
        priority: 3000 + (port % 1000),
        direction: 'Inbound',
        access: 'Allow',
        protocol: 'Tcp',
        sourceAddressPrefix: '*',
        sourcePortRange: '*',
        destinationAddressPrefix: '*',
        destinationPortRange: `${port}`,
      });
      // why: the SDK reads what it has made, and who heals at once may have taken it back by then
      await made.catch((error: unknown) => {
        if (!(error instanceof Error && 'statusCode' in error && error.statusCode === 404)) throw error;
      });
    },
    tag: async (machine, key, value) => {
      const { tags = {} } = await compute.virtualMachines.get(group, machine);
      await compute.virtualMachines.update(group, machine, { tags: { ...tags, [key]: value } });
    },
  };
}
