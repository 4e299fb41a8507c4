import type { Method } from '../method.ts';
import { diskMethods } from './disk.ts';
import { diskTypeMethods } from './disk-type.ts';
import { firewallMethods } from './firewall.ts';
import { firewallPolicyMethods } from './firewall-policy.ts';
import { imageMethods } from './image.ts';
import { instanceMethods } from './instance.ts';
import { instanceAccessMethods } from './instance-access.ts';
import { instanceChangeMethods } from './instance-change.ts';
import { machineTypeMethods } from './machine-type.ts';
import { networkMethods } from './network.ts';
import { operationMethods } from './operation.ts';
import { projectMethods } from './project.ts';
import { routeMethods } from './route.ts';
import { routerMethods } from './router.ts';
import { subnetworkMethods } from './subnetwork.ts';
import { zoneMethods } from './zone.ts';

/** Every method that the sandbox answers, by its id. */
export const METHODS: ReadonlyMap<string, Method> = new Map(
  [
    ...projectMethods,
    ...operationMethods,
    ...networkMethods,
    ...subnetworkMethods,
    ...routeMethods,
    ...routerMethods,
    ...firewallMethods,
    ...firewallPolicyMethods,
    ...instanceMethods,
    ...instanceChangeMethods,
    ...instanceAccessMethods,
    ...diskMethods,
    ...diskTypeMethods,
    ...imageMethods,
    ...machineTypeMethods,
    ...zoneMethods,
  ].map((method) => [method.id, method]),
);
