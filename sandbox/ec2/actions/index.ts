import type { Action } from '../action.ts';
import { addressActions } from './address.ts';
import { cidrBlockActions } from './cidr-block.ts';
import { instanceActions } from './instance.ts';
import { instanceAttributeActions } from './instance-attribute.ts';
import { instanceCreditActions } from './instance-credits.ts';
import { instanceProfileActions } from './instance-profile.ts';
import { describeInstanceStatus } from './instance-status.ts';
import { internetGatewayActions } from './internet-gateway.ts';
import { modifySecurityGroupRules } from './modify-security-group-rules.ts';
import { natGatewayActions } from './nat-gateway.ts';
import { networkAclActions } from './network-acl.ts';
import { networkInterfaceActions } from './network-interface.ts';
import { routeActions } from './route.ts';
import { routeTableActions } from './route-table.ts';
import { securityGroupActions } from './security-group.ts';
import { securityGroupRuleActions } from './security-group-rule.ts';
import { subnetActions } from './subnet.ts';
import { surroundingActions } from './surroundings.ts';
import { tagActions } from './tag.ts';
import { volumeActions } from './volume.ts';
import { vpcActions } from './vpc.ts';
import { vpcPeeringActions } from './vpc-peering.ts';

/** Every action that the sandbox answers, by its name on the wire. */
export const ACTIONS: ReadonlyMap<string, Action> = new Map(
  [
    ...vpcActions,
    ...cidrBlockActions,
    ...vpcPeeringActions,
    ...subnetActions,
    ...internetGatewayActions,
    ...routeTableActions,
    ...routeActions,
    ...natGatewayActions,
    ...networkAclActions,
    ...securityGroupActions,
    ...securityGroupRuleActions,
    modifySecurityGroupRules,
    ...instanceActions,
    ...instanceAttributeActions,
    describeInstanceStatus,
    ...instanceCreditActions,
    ...instanceProfileActions,
    ...volumeActions,
    ...networkInterfaceActions,
    ...addressActions,
    ...tagActions,
    ...surroundingActions,
  ].map((action) => [action.name, action]),
);
