import { refused } from '../errors.ts';
import { type Method, method } from '../method.ts';
import { PROVIDERS } from '../providers.ts';

/** A tenant that owns every subscription of the sandbox. */
export const TENANT = '99990000-1111-4222-8333-444455556666';

/** https://learn.microsoft.com/rest/api/resources/subscriptions/get and https://learn.microsoft.com/rest/api/resources/providers/get */
export const subscriptionMethods: readonly Method[] = [
  method({
    verb: 'GET',
    path: '',
    action: 'subscriptions.get',
    answer: ({ subscription: { id } }) => ({
      status: 200,
      body: {
        id: `/subscriptions/${id}`,
        subscriptionId: id,
        tenantId: TENANT,
        displayName: 'Sandbox',
        state: 'Enabled',
        subscriptionPolicies: {
          locationPlacementId: 'Public_2014-09-01',
          quotaId: 'PayAsYouGo_2014-09-01',
          spendingLimit: 'Off',
        },
        authorizationSource: 'RoleBased',
        managedByTenants: [],
      },
    }),
  }),
  method({
    verb: 'GET',
    path: '/providers/{namespace}',
    action: 'providers.get',
    answer: ({ subscription, parameters }) => {
      const provider = PROVIDERS.find(
        ({ namespace }) => namespace.toLowerCase() === parameters.namespace.toLowerCase(),
      );
      if (!provider)
        throw refused('InvalidResourceNamespace', `The resource namespace '${parameters.namespace}' is invalid.`);
      const { namespace, types, apiVersions, locations } = provider;
      return {
        status: 200,
        body: {
          id: `/subscriptions/${subscription.id}/providers/${namespace}`,
          namespace,
          registrationPolicy: 'RegistrationRequired',
          registrationState: 'Registered',
          resourceTypes: types.map((resourceType) => ({ resourceType, apiVersions, locations })),
        },
      };
    },
  }),
];
