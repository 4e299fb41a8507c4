import { countedAs, RESTRICTED, SIZES } from '../machine-sizes.ts';
import { type Method, method } from '../method.ts';

/** https://learn.microsoft.com/rest/api/compute/resource-skus/list: of the filters only the location is understood there, too. */
export const resourceSkuMethods: readonly Method[] = [
  method({
    verb: 'GET',
    path: '/providers/Microsoft.Compute/skus',
    action: 'resourceSkus.list',
    answer: ({ request }) => {
      const location = /^location eq '([^']+)'$/.exec(request.query['$filter'] ?? '')?.[1] ?? 'westeurope';
      const offer = (name: string, restrictions: readonly object[]): object => ({
        resourceType: 'virtualMachines',
        name,
        tier: 'Standard',
        locations: [location],
        locationInfo: [{ location, zones: ['1', '2', '3'], zoneDetails: [] }],
        family: countedAs(name).family,
        capabilities: [{ name: 'vCPUs', value: String(countedAs(name).cores) }],
        restrictions,
      });
      const kept = {
        type: 'Location',
        values: [location],
        restrictionInfo: { locations: [location] },
        reasonCode: 'NotAvailableForSubscription',
      };
      const disk = {
        resourceType: 'disks',
        name: 'Premium_LRS',
        tier: 'Premium',
        locations: [location],
        restrictions: [],
      };
      const value = [disk, ...SIZES.map((name) => offer(name, [])), ...RESTRICTED.map((name) => offer(name, [kept]))];
      return { status: 200, body: { value } };
    },
  }),
];
