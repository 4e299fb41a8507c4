import type { FirewallRuleDoc, TargetDoc } from '../document.ts';
import { ownGroups, servicesOf } from '../firewall-rule.ts';
import { error, type Problem, warning } from '../problem.ts';
import { accountOf, type SpecSet, targetsIn } from '../spec-set.ts';
import type { Path } from '../tree.ts';
import { families, machinesOf, type Provider } from './rules.ts';

/** Rules that a cloud's firewall cannot hold. Each row: the position, the problem, its reason with a source, and the fix. */
export function* expressible(set: SpecSet): Iterable<Problem> {
  for (const rule of set.rules) {
    const targets = targetsIn(set, rule.value).map(({ value }) => value);
    for (const row of ROWS) {
      const here = targets.filter(({ spec }) => spec.provider === row.cloud);
      const places = here.map((target) => placeIn(set, rule.value, target));
      const place = places.find((one) => row.found(rule.value.spec, one));
      if (place === undefined) continue;
      const { field, why } = explained(row, rule.value.spec, place);
      const expected = row.instead ?? `a rule without it, or targets other than ${row.cloud}`;
      const report = row.only === 'warning' ? warning : error;
      yield report('not-expressible', rule.at(['spec', ...field]), why, { expected });
    }
  }
}

function explained({ field, why, isMix }: Row, spec: Spec, place: RulePlace): Pick<Row, 'field' | 'why'> {
  const mix = isMix === true ? mixIn(spec, place) : undefined;
  return mix === undefined ? { field, why } : { field: mix.field, why: `${why}: ${mix.tag}, and ${mix.account}` };
}

/** A rule on one target. `isAccount`: the group is a service account there; `accountNamed`: the address of that. */
interface RulePlace {
  readonly isAdopted: boolean;
  readonly accountNamed: (group: string) => string | undefined;
  readonly isAccount: (group: string) => boolean;
}

function placeIn(set: SpecSet, { metadata, spec: { network } }: FirewallRuleDoc, target: TargetDoc): RulePlace {
  const accountNamed = (name: string) => network && accountOf(set, { network, name }, target);
  return {
    isAdopted: metadata.adopt?.[target.metadata.name] !== undefined,
    accountNamed,
    isAccount: (name) => accountNamed(name) !== undefined,
  };
}

type Spec = FirewallRuleDoc['spec'];

interface Row {
  readonly cloud: Provider;
  readonly field: Path;
  readonly found: (spec: Spec, place: RulePlace) => boolean;
  /** With its source. */
  readonly why: string;
  readonly instead?: string;
  /** Of network tags and service accounts: the message names one of each. */
  readonly isMix?: true;
  readonly only?: 'warning';
}

const SG = 'https://docs.aws.amazon.com/vpc/latest/userguide/security-group-rules.html';
const IP_RANGE = 'https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_IpRange.html';
const FIREWALL = 'https://cloud.google.com/firewall/docs/firewalls';
const FIREWALL_QUOTAS = 'https://cloud.google.com/firewall/docs/quotas';
const NSG = 'https://learn.microsoft.com/azure/virtual-network/network-security-groups-overview';
/** Tcp, Udp, Icmp, Esp, Ah, *; a description of at most 140 characters; a priority from 100 to 4096 */
const SECURITY_RULE = 'https://learn.microsoft.com/rest/api/virtualnetwork/security-rules/create-or-update';
/** The spec's words for them. */
const NSG_PROTOCOLS: readonly unknown[] = ['tcp', 'udp', 'icmp', 'all', 50, 51];

const outsideGroups = (spec: Spec): boolean =>
  spec.appliesTo !== undefined && machinesOf({ ...spec, appliesTo: { ...spec.appliesTo, groups: [] } }).length > 0;

const groupsNamed = (spec: Spec): readonly string[] => [...spec.peers.groups, ...(ownGroups(spec) ?? ['all'])];

const namesAccounts = (spec: Spec, { isAccount }: RulePlace): boolean =>
  spec.peers.serviceAccounts.length > 0 ||
  (spec.appliesTo?.serviceAccounts ?? []).length > 0 ||
  groupsNamed(spec).some(isAccount);

/** The first network tag and the first service account of a rule, for people. */
interface Mix {
  readonly tag: string;
  readonly account: string;
  readonly field: Path;
}

function mixIn(spec: Spec, place: RulePlace): Mix | undefined {
  const own = named(ownGroups(spec) ?? ['all'], spec.appliesTo?.serviceAccounts ?? [], place);
  const peers = named(spec.peers.groups, spec.peers.serviceAccounts, place);
  const account = peers.account ?? own.account;
  const ownTag = own.tag && ownGroups(spec) === undefined ? ALL_IS_A_TAG : own.tag;
  const tag = ownTag ?? peers.tag;
  if (account === undefined || tag === undefined) return undefined;
  const isInOne = own.tag !== undefined && own.account !== undefined && spec.appliesTo !== undefined;
  return { tag, account, field: [isInOne ? 'appliesTo' : 'peers'] };
}

const ALL_IS_A_TAG = 'without a group the rule applies to the group of all machines, which is a tag';

/** One side of a rule. */
function named(
  groups: readonly string[],
  accounts: readonly string[],
  { accountNamed }: RulePlace,
): { readonly tag: string | undefined; readonly account: string | undefined } {
  const tag = groups.find((group) => accountNamed(group) === undefined);
  const group = groups.find((one) => accountNamed(one) !== undefined);
  const address = group === undefined ? accounts[0] : accountNamed(group);
  const called = group === undefined ? `${address} is a service account` : `group ${group} is ${address}`;
  return { tag: tag && `group ${tag} is a tag`, account: address && called };
}

/** As sources, and as those that it applies to. */
const mostAccounts = ({ appliesTo, ...spec }: Spec, { isAccount }: RulePlace): number =>
  Math.max(
    ...[
      { groups: spec.peers.groups, accounts: spec.peers.serviceAccounts },
      { groups: ownGroups({ ...spec, appliesTo }) ?? ['all'], accounts: appliesTo?.serviceAccounts ?? [] },
    ].map(({ groups, accounts }) => new Set(groups.filter(isAccount)).size + new Set(accounts).size),
  );

const ROWS: readonly Row[] = [
  {
    cloud: 'aws',
    field: ['appliesTo'],
    found: outsideGroups,
    why: `AWS rules apply to the members of security groups (${SG})`,
    instead: 'appliesTo.groups, or targets other than aws',
  },
  {
    cloud: 'memory',
    field: ['appliesTo'],
    found: outsideGroups,
    why: 'rules of the cloud `memory` apply to the members of groups',
    instead: 'appliesTo.groups, or targets other than memory',
  },
  {
    cloud: 'aws',
    field: ['peers', 'serviceAccounts'],
    found: ({ peers }) => peers.serviceAccounts.length > 0,
    why: `AWS rules name no service accounts (${SG})`,
    instead: 'peers.groups, or targets other than aws',
  },
  {
    cloud: 'memory',
    field: ['peers', 'serviceAccounts'],
    found: ({ peers }) => peers.serviceAccounts.length > 0,
    why: 'rules of the cloud `memory` name no service accounts',
    instead: 'peers.groups, or targets other than memory',
  },
  ...(['gcp', 'azure', 'memory'] as const).map(
    (cloud): Row => ({
      cloud,
      field: ['peers', 'groupIds'],
      found: ({ peers }) => peers.groupIds.length > 0,
      why: `${cloud} knows no security groups of AWS (${SG})`,
    }),
  ),
  {
    cloud: 'azure',
    field: ['peers', 'serviceAccounts'],
    found: namesAccounts,
    why: `Azure rules name no service accounts (${NSG})`,
    instead: 'groups, or targets other than azure',
  },
  {
    cloud: 'gcp',
    field: ['appliesTo', 'serviceTags'],
    found: ({ appliesTo }) => (appliesTo?.serviceTags ?? []).length > 0,
    why: `GCP knows no service tags (${FIREWALL})`,
    instead: 'appliesTo.cidrs',
  },
  {
    cloud: 'gcp',
    field: ['peers'],
    found: (spec, place) => mixIn(spec, place) !== undefined,
    why: `GCP takes network tags or service accounts in one rule, not both (${FIREWALL})`,
    isMix: true,
    instead: 'two rules, or service accounts on both sides',
  },
  {
    cloud: 'gcp',
    field: ['peers', 'serviceAccounts'],
    found: ({ direction, peers }) => direction === 'egress' && peers.serviceAccounts.length > 0,
    why: `GCP knows no service accounts as destinations (${FIREWALL})`,
    instead: 'peers.cidrs',
  },
  {
    cloud: 'gcp',
    field: ['peers'],
    found: ({ peers }, { isAdopted }) =>
      isAdopted && families([...peers.cidrs, ...(peers.any ? ['0.0.0.0/0', '::/0'] : [])]) > 1,
    why: `one firewall of GCP has IPv4 or IPv6 blocks (${FIREWALL})`,
    instead: 'the blocks of one family, such as 0.0.0.0/0 for everyone',
  },
  {
    cloud: 'azure',
    field: ['protocols'],
    found: (spec, { isAdopted }) => isAdopted && servicesOf(spec).length > 1,
    why: `one Azure rule has one protocol (${SECURITY_RULE})`,
    instead: 'the protocol of the adopted rule',
  },
  {
    cloud: 'aws',
    field: ['action'],
    found: (spec) => spec.action === 'deny',
    why: `AWS security groups cannot deny (${SG})`,
    instead: 'allow rules only: AWS denies all other traffic',
  },
  {
    cloud: 'aws',
    field: ['peers', 'serviceTags'],
    found: (spec) => spec.peers.serviceTags.length > 0,
    why: `AWS knows no service tags (${SG})`,
    instead: 'prefixLists, or targets other than aws',
  },
  {
    cloud: 'aws',
    field: ['disabled'],
    found: (spec) => spec.disabled,
    why: `AWS rules cannot be disabled (${SG})`,
    instead: 'no rule until it is needed',
  },
  { cloud: 'aws', field: ['log'], found: (spec) => spec.log, why: `AWS rules cannot log (${SG})` },
  {
    cloud: 'aws',
    field: ['priority'],
    found: (spec) => spec.priority !== 1000,
    why: `AWS rules have no order: the priority is ignored there (${SG})`,
    instead: 'no priority; AWS combines all rules',
    only: 'warning',
  },
  {
    cloud: 'aws',
    field: ['description'],
    found: (spec) => !/^[a-zA-Z0-9. _\-:/()#,@[\]+=&;{}!$*]{0,255}$/.test(spec.description ?? ''),
    why: `AWS takes no such description (${IP_RANGE})`,
    instead: 'at most 255 ASCII letters, digits, blanks and ._-:/()#,@[]+=&;{}!$*',
  },
  {
    cloud: 'gcp',
    field: ['peers', 'groups'],
    found: (spec) => spec.direction === 'egress' && spec.peers.groups.length > 0,
    why: `GCP knows no groups as destinations (${FIREWALL})`,
    instead: 'peers.cidrs',
  },
  {
    cloud: 'gcp',
    field: ['peers', 'groups'],
    found: (spec, { isAccount }) =>
      spec.direction === 'ingress' && new Set(spec.peers.groups.filter((group) => !isAccount(group))).size > 30,
    why: `GCP takes at most 30 groups as sources of a rule (${FIREWALL_QUOTAS})`,
    instead: 'two rules',
  },
  {
    cloud: 'gcp',
    field: ['peers', 'serviceAccounts'],
    found: (spec, place) => mostAccounts(spec, place) > 10,
    why: `GCP takes at most 10 service accounts as sources of a rule, and 10 that it applies to (${FIREWALL_QUOTAS})`,
    instead: 'two rules',
  },
  {
    cloud: 'gcp',
    field: ['peers', 'prefixLists'],
    found: (spec) => spec.peers.prefixLists.length > 0,
    why: `GCP knows no prefix lists (${FIREWALL})`,
    instead: 'peers.cidrs',
  },
  {
    cloud: 'gcp',
    field: ['peers', 'serviceTags'],
    found: (spec) => spec.peers.serviceTags.length > 0,
    why: `GCP knows no service tags (${FIREWALL})`,
    instead: 'peers.cidrs',
  },
  {
    cloud: 'gcp',
    field: ['icmp'],
    found: (spec) => servicesOf(spec).some(({ icmp }) => icmp !== undefined && icmp.type !== -1),
    why: `GCP cannot tell ICMP types apart (${FIREWALL})`,
    instead: 'no icmp: every type',
  },
  {
    cloud: 'azure',
    field: ['peers', 'prefixLists'],
    found: (spec) => spec.peers.prefixLists.length > 0,
    why: `Azure knows no prefix lists (${NSG})`,
    instead: 'serviceTags or cidrs',
  },
  {
    cloud: 'azure',
    field: ['icmp'],
    found: (spec) => servicesOf(spec).some(({ icmp }) => icmp !== undefined && icmp.type !== -1),
    why: `Azure cannot tell ICMP types apart (${SECURITY_RULE})`,
    instead: 'no icmp: every type',
  },
  {
    cloud: 'azure',
    field: ['protocol'],
    found: (spec) => servicesOf(spec).some(({ protocol }) => !NSG_PROTOCOLS.includes(protocol)),
    why: `Azure knows no such protocol (${SECURITY_RULE})`,
    instead: 'tcp, udp, icmp, esp, ah or all; ICMPv6 is only in all',
  },
  {
    cloud: 'azure',
    field: ['ports'],
    found: (spec) =>
      servicesOf(spec).some(({ protocol, ports }) => typeof protocol === 'number' && ports !== undefined),
    why: `Azure knows no ports of this protocol (${SECURITY_RULE})`,
    instead: 'no ports',
  },
  { cloud: 'azure', field: ['log'], found: (spec) => spec.log, why: `Azure rules cannot log (${SECURITY_RULE})` },
  {
    cloud: 'azure',
    field: ['disabled'],
    found: (spec) => spec.disabled,
    why: `Azure rules cannot be disabled (${SECURITY_RULE})`,
    instead: 'no rule until it is needed',
  },
  {
    cloud: 'azure',
    field: ['priority'],
    found: (spec) => spec.priority < 100 || spec.priority > 4096,
    why: `Azure priorities lie between 100 and 4096 (${SECURITY_RULE})`,
    instead: '100 to 4096',
  },
  {
    cloud: 'azure',
    field: ['description'],
    found: (spec) => (spec.description ?? '').length > 140,
    why: `Azure takes descriptions of at most 140 characters (${SECURITY_RULE})`,
    instead: 'at most 140 characters',
  },
];
