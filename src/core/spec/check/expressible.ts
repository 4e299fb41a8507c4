import type { FirewallRuleDoc, TargetDoc } from '../document.ts';
import { targetsOfRule } from '../placement.ts';
import type { Path } from '../position.ts';
import { error, type Problem, warning } from '../problem.ts';
import type { SpecSet } from '../spec-set.ts';

/** What a cloud's firewall cannot say. Each row: where, what, why with its source, what to do instead. */
export function* expressible(set: SpecSet): Iterable<Problem> {
  for (const rule of set.rules) {
    const clouds = new Set(targetsOfRule(set, rule.value).map((target) => target.value.spec.provider));
    for (const row of ROWS) {
      if (!clouds.has(row.cloud) || !row.found(rule.value.spec)) continue;
      const expected = row.instead ?? `a rule without it, or targets other than ${row.cloud}`;
      const report = row.only === 'warning' ? warning : error;
      yield report('not-expressible', rule.at(['spec', ...row.field]), row.why, { expected });
    }
  }
}

type Spec = FirewallRuleDoc['spec'];

interface Row {
  readonly cloud: TargetDoc['spec']['provider'];
  readonly field: Path;
  readonly found: (spec: Spec) => boolean;
  /** With its source. */
  readonly why: string;
  readonly instead?: string;
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

const ROWS: readonly Row[] = [
  {
    cloud: 'aws',
    field: ['action'],
    found: (spec) => spec.action === 'deny',
    why: `AWS security groups cannot deny (${SG})`,
    instead: 'allow rules only: what none of them names is denied',
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
    instead: 'no such rule until it is wanted',
  },
  { cloud: 'aws', field: ['log'], found: (spec) => spec.log, why: `AWS rules cannot log (${SG})` },
  {
    cloud: 'aws',
    field: ['priority'],
    found: (spec) => spec.priority !== 1000,
    why: `AWS rules have no order: the priority is ignored there (${SG})`,
    instead: 'no priority; AWS adds all rules up',
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
    found: (spec) => spec.direction === 'ingress' && new Set(spec.peers.groups).size > 30,
    why: `GCP takes at most 30 groups as sources of a rule (${FIREWALL_QUOTAS})`,
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
    found: (spec) => spec.icmp !== undefined && spec.icmp.type !== -1,
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
    found: (spec) => spec.icmp !== undefined && spec.icmp.type !== -1,
    why: `Azure cannot tell ICMP types apart (${SECURITY_RULE})`,
    instead: 'no icmp: every type',
  },
  {
    cloud: 'azure',
    field: ['protocol'],
    found: (spec) => !NSG_PROTOCOLS.includes(spec.protocol),
    why: `Azure knows no such protocol (${SECURITY_RULE})`,
    instead: 'tcp, udp, icmp, esp, ah or all; ICMPv6 is only in all',
  },
  {
    cloud: 'azure',
    field: ['ports'],
    found: (spec) => typeof spec.protocol === 'number' && spec.ports !== undefined,
    why: `Azure knows no ports of this protocol (${SECURITY_RULE})`,
    instead: 'no ports',
  },
  { cloud: 'azure', field: ['log'], found: (spec) => spec.log, why: `Azure rules cannot log (${SECURITY_RULE})` },
  {
    cloud: 'azure',
    field: ['disabled'],
    found: (spec) => spec.disabled,
    why: `Azure rules cannot be disabled (${SECURITY_RULE})`,
    instead: 'no such rule until it is wanted',
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
