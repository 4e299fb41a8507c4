import type { Cloud, Kind } from '../../resource.ts';

/** Attributes of a state that are read. All others are skipped unread: a state holds passwords, keys and scripts. */
export const textAttributes = [
  'id',
  'self_link',
  'arn',
  'region',
  'location',
  'security_group_id',
  'security_group_rule_id',
  'type',
  'protocol',
  'ip_protocol',
  'from_port',
  'to_port',
  'cidr_ipv4',
  'cidr_ipv6',
  'prefix_list_id',
  'referenced_security_group_id',
  'source_security_group_id',
  'self',
] as const satisfies readonly string[];
export type TextAttribute = (typeof textAttributes)[number];

export const listAttributes = [
  'cidr_blocks',
  'ipv6_cidr_blocks',
  'prefix_list_ids',
] as const satisfies readonly string[];
export type ListAttribute = (typeof listAttributes)[number];

/** A type of Terraform that stands for objects of a kind. */
export interface ResourceType {
  readonly cloud: Cloud;
  readonly kind: Kind;
  /** The attributes with the object's id on the cloud; the first that is there counts. */
  readonly ids: readonly TextAttribute[];
  /** `content`: AWS lists its rules without ids, so they are found by content. `container`: it stands for all rules in it. */
  readonly rules?: 'content' | 'container';
}

const aws = (kind: Kind): ResourceType => ({ cloud: 'aws', kind, ids: ['id'] });
const awsRule: ResourceType = {
  cloud: 'aws',
  kind: 'firewall-rule',
  ids: ['security_group_rule_id', 'id'],
  rules: 'content',
};
/** Ids of old states are bare names: https://registry.terraform.io/providers/hashicorp/google/latest/docs/guides/version_3_upgrade */
const google = (kind: Kind): ResourceType => ({ cloud: 'gcp', kind, ids: ['self_link', 'id'] });
const azure = (kind: Kind): ResourceType => ({ cloud: 'azure', kind, ids: ['id'] });

/**
 * The types with a kind. Every other type stays with Terraform.
 *
 * - https://registry.terraform.io/providers/hashicorp/aws/latest/docs
 * - https://registry.terraform.io/providers/hashicorp/google/latest/docs
 * - https://registry.terraform.io/providers/hashicorp/azurerm/latest/docs
 */
export const resourceTypes: Readonly<Record<string, ResourceType>> = {
  aws_vpc: aws('network'),
  aws_default_vpc: aws('network'),
  aws_subnet: aws('subnet'),
  aws_default_subnet: aws('subnet'),
  aws_security_group: aws('group'),
  aws_default_security_group: aws('group'),
  aws_security_group_rule: awsRule,
  aws_vpc_security_group_ingress_rule: awsRule,
  aws_vpc_security_group_egress_rule: awsRule,
  aws_instance: aws('instance'),

  google_compute_network: google('network'),
  google_compute_subnetwork: google('subnet'),
  google_compute_firewall: google('firewall-rule'),
  google_compute_instance: google('instance'),
  google_compute_instance_from_template: google('instance'),

  azurerm_virtual_network: azure('network'),
  azurerm_subnet: azure('subnet'),
  azurerm_application_security_group: azure('group'),
  azurerm_network_security_group: { cloud: 'azure', kind: 'firewall-rule', ids: ['id'], rules: 'container' },
  azurerm_network_security_rule: azure('firewall-rule'),
  azurerm_linux_virtual_machine: azure('instance'),
  azurerm_windows_virtual_machine: azure('instance'),
  azurerm_virtual_machine: azure('instance'),
};

/** The type, if it stands for objects of a kind. */
export const resourceTypeOf = (type: string): ResourceType | undefined =>
  Object.hasOwn(resourceTypes, type) ? resourceTypes[type] : undefined;

const awsIds: Readonly<Record<Kind, string>> = {
  network: 'vpc',
  subnet: 'subnet',
  group: 'sg',
  'firewall-rule': 'sgr',
  instance: 'i',
};

/** Has it the form of a cloud's id? Anything else is neither looked up nor printed. */
export function isCloudId(text: string, { cloud, kind }: Pick<ResourceType, 'cloud' | 'kind'>): boolean {
  if (text.length > 1024 || /[\s\p{Cc}\p{Cf}]/u.test(text)) return false;
  if (cloud === 'aws') return new RegExp(`^${awsIds[kind]}-[0-9a-z]{1,64}$`).test(text);
  if (cloud === 'gcp')
    return /^(?:https:\/\/[\w./-]+\/)?projects\/[^/]+\/(?:global|regions|zones)\/[\w./-]+$/.test(text);
  return /^\/subscriptions\/[^/]+\/resourcegroups\/[^/]+\/providers\/microsoft\.[^?#]+$/i.test(text);
}
