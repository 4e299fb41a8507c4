/** How the record of one action differs from the rule: all names in camelCase, lists by `SETS`. */
export interface RecordRow {
  /** Under `<Action>Request` and `<Action>Response`; what was asked keeps the names of the wire. */
  readonly wrapped?: true;
  /** Never told, but that it was there. */
  readonly removed?: readonly string[];
  /** Told as the one item of a set. */
  readonly together?: { readonly set: string; readonly names: readonly string[] };
}

const WRAPPED: RecordRow = { wrapped: true };

/**
 * By action; those that are not here follow the rule. AWS publishes no schema of these, so they are as records look that AWS
 * and others have shown: https://docs.aws.amazon.com/awscloudtrail/latest/userguide/cloudtrail-log-file-examples.html. That
 * user data is removed: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/using-cloudtrail.html.
 */
export const RECORDS: Readonly<Record<string, RecordRow>> = {
  RunInstances: {
    removed: ['UserData'],
    together: { set: 'instancesSet', names: ['ImageId', 'MinCount', 'MaxCount', 'KeyName'] },
  },
  ModifyInstanceAttribute: { removed: ['UserData', 'Value'] },
  ModifyVolume: WRAPPED,
  ModifySecurityGroupRules: WRAPPED,
  AssociateIamInstanceProfile: WRAPPED,
  ReplaceIamInstanceProfileAssociation: WRAPPED,
  DisassociateIamInstanceProfile: WRAPPED,
  // An assumption: no record of these was found; actions of their year and later are wrapped.
  UpdateSecurityGroupRuleDescriptionsIngress: WRAPPED,
  UpdateSecurityGroupRuleDescriptionsEgress: WRAPPED,
};

export interface SetRow {
  /** The name of the set. */
  readonly name: string;
  /** The name of the one field of each item, where the list is of plain values. */
  readonly item?: string;
  /** A plain array, without `items`. */
  readonly plain?: true;
  /** Sets that each item has, also when they are empty. */
  readonly always?: readonly string[];
}

/** Lists of requests by their wire names, below another field as `Field.List`. A list that is not here keeps its own name. */
export const SETS: Readonly<Record<string, SetRow>> = {
  InstanceId: { name: 'instancesSet', item: 'instanceId' },
  ResourceId: { name: 'resourcesSet', item: 'resourceId' },
  Tag: { name: 'tagSet' },
  TagSpecification: { name: 'tagSpecificationSet' },
  'TagSpecification.Tag': { name: 'tags', plain: true },
  GroupId: { name: 'groupSet', item: 'groupId' },
  SecurityGroupId: { name: 'groupSet', item: 'groupId' },
  SecurityGroupRuleId: { name: 'securityGroupRuleIds', item: 'securityGroupRuleId' },
  IpPermissions: { name: 'ipPermissions', always: ['groups', 'ipRanges', 'ipv6Ranges', 'prefixListIds'] },
  NetworkInterface: { name: 'networkInterfaceSet' },
};
