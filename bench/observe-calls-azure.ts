import { azure } from '../providers/azure/index.ts';
import { PAGE_SIZES } from '../sandbox/arm/paging.ts';
import { networkOf, type Subscription } from '../sandbox/arm/subscription.ts';
import { armEstate, type SubscriptionShape } from './estate/arm.ts';
import { type Figure, type Spoil, spoilNothing } from './figure.ts';
import { lookCalls, pagesOf } from './world/observe-calls.ts';

/** 10,000 machines, interfaces, addresses, disks, subnets and rules, and 500 groups, in 50 networks. */
export const subscriptionObserved: SubscriptionShape = {
  networks: 50,
  subnets: 200,
  rules: 200,
  groups: 10,
  machines: 200,
};

const subscription = '0b1f6471-1bf0-4dda-aec3-cb9272f09590';
const location = 'westeurope';

const why =
  'ARM’s own listings of the whole subscription, not Resource Graph: that answers 1000 rows a page, but from an index that ' +
  'may be hours behind, and absence from it proves nothing (https://learn.microsoft.com/azure/governance/resource-graph/overview)';

/**
 * Calls to look at a whole subscription, against the pages of what tells it: subnets come with their networks, rules with
 * their security groups, how machines run in a second listing of them (`statusOnly`), and one call says whose it is. Each network with a
 * machine takes a call for its security admin rules.
 * Pages are the cloud's choice; the sandbox's table says which are known: sandbox/arm/paging.ts.
 */
export const observeCallsAzure = (
  shape: SubscriptionShape = subscriptionObserved,
  spoil: Spoil = spoilNothing,
): Promise<readonly Figure[]> => {
  process.stderr.write(`observe-calls-azure: ${why}\n`);
  return lookCalls(
    {
      name: 'observe-calls-azure',
      cloudScope: { provider: azure, account: subscription, region: location },
      options: { arm: { subscriptions: [subscription] } },
      load: ({ sandbox }) => sandbox.control.arm.load(armEstate({ subscription, location }, shape)),
      count: ({ sandbox }) => countOf(sandbox.control.arm.subscription(subscription)),
      floor: ({ sandbox }) => {
        const held = sandbox.control.arm.subscription(subscription);
        return 1 + pagesOf(listings(held)) + networksInUse(held);
      },
    },
    spoil,
  );
};

function countOf({ networks, securityGroups, applicationGroups, machines }: Subscription) {
  const subnets = [...networks.values()].reduce((sum, network) => sum + network.subnets.length, 0);
  const rules = [...securityGroups.values()].reduce((sum, group) => sum + group.rules.length, 0);
  const groups = sizeOf(applicationGroups);
  return {
    network: sizeOf(networks),
    subnet: subnets,
    group: groups,
    'firewall-rule': rules,
    instance: sizeOf(machines),
  };
}

/** Those that are used, of the subscription as it stands. */
function listings(held: Subscription) {
  const { networks, securityGroups, applicationGroups, interfaces, addresses, machines, disks } = held;
  const all = { networks, securityGroups, applicationGroups, interfaces, addresses, machines, disks };
  const paged = Object.entries(all).map(([kind, table]) => ({
    page: PAGE_SIZES[kind as keyof typeof all], // why: the keys of `all`
    items: sizeOf(table),
  }));
  return [...paged, { page: PAGE_SIZES.machines, items: sizeOf(machines) }];
}

const sizeOf = (table: { values(): Iterable<unknown> }): number => [...table.values()].length;

const networksInUse = ({ interfaces }: Subscription): number => new Set([...interfaces.values()].map(networkOf)).size;
