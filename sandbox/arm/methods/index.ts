import type { Method } from '../method.ts';
import { applicationSecurityGroupMethods } from './application-security-group.ts';
import { diskMethods } from './disk.ts';
import { imageMethods } from './image.ts';
import { natGatewayMethods } from './nat-gateway.ts';
import { networkInterfaceMethods } from './network-interface.ts';
import { networkSecurityGroupMethods } from './network-security-group.ts';
import { operationMethods } from './operation.ts';
import { publicAddressMethods } from './public-ip-address.ts';
import { resourceGroupMethods } from './resource-group.ts';
import { resourceSkuMethods } from './resource-sku.ts';
import { routeMethods } from './route.ts';
import { routeTableMethods } from './route-table.ts';
import { securityAdminRuleMethods } from './security-admin-rule.ts';
import { securityRuleMethods } from './security-rule.ts';
import { subnetMethods } from './subnet.ts';
import { subscriptionMethods } from './subscription.ts';
import { usageMethods } from './usage.ts';
import { virtualMachineMethods } from './virtual-machine.ts';
import { virtualMachinePowerMethods } from './virtual-machine-power.ts';
import { virtualNetworkMethods } from './virtual-network.ts';
import { virtualNetworkPeeringMethods } from './virtual-network-peering.ts';

/** Every operation of ARM's REST interface that the sandbox answers. */
export const METHODS: readonly Method[] = [
  ...subscriptionMethods,
  ...resourceGroupMethods,
  ...virtualNetworkMethods,
  ...subnetMethods,
  ...virtualNetworkPeeringMethods,
  ...routeTableMethods,
  ...routeMethods,
  ...natGatewayMethods,
  ...networkSecurityGroupMethods,
  ...securityRuleMethods,
  ...securityAdminRuleMethods,
  ...applicationSecurityGroupMethods,
  ...networkInterfaceMethods,
  ...publicAddressMethods,
  ...virtualMachineMethods,
  ...virtualMachinePowerMethods,
  ...diskMethods,
  ...imageMethods,
  ...resourceSkuMethods,
  ...usageMethods,
  ...operationMethods,
];
