import type { Claim, Row, Status } from '../../src/core/inventory/row.ts';
import type { Attributes, Cloud, Kind, Labels } from '../../src/core/resource.ts';

/** Where the rows of one scope lie. */
export interface Ground {
  readonly cloud: Cloud;
  readonly account: string;
  readonly region: string;
}

const regions: Readonly<Partial<Record<Cloud, readonly string[]>>> = {
  aws: ['eu-west-1', 'us-east-1', 'ap-south-1', 'sa-east-1', 'eu-north-1'],
  gcp: ['europe-west1-b', 'us-central1-a', 'asia-east1-c'],
  azure: ['westeurope', 'eastus'],
};

/** 50 scopes: 5 accounts on AWS in 5 regions each, 5 projects in 3 zones each, 5 subscriptions in 2 locations each. */
export const grounds: readonly Ground[] = (['aws', 'gcp', 'azure'] as const).flatMap((cloud) =>
  Array.from({ length: 5 }, (_, i) => `${cloud}-account-${i}`).flatMap((account) =>
    (regions[cloud] ?? []).map((region) => ({ cloud, account, region })),
  ),
);

export const scopeOf = ({ cloud, account, region }: Ground): string => `${cloud}/${account}/${region}`;

const kinds: readonly Kind[] = ['instance', 'instance', 'firewall-rule', 'firewall-rule', 'subnet', 'group', 'network'];
const oddStatuses: readonly Status[] = ['Drifted', 'Missing', 'Pending', 'Settling', 'Blocked', 'Failed', 'Paused'];

/** One of a hundred stands otherwise than it should, two in five are nobody's. `round`: how it was told in which look. */
export function rowAt(ground: Ground, index: number, round: number): Row {
  const kind = kinds[index % kinds.length] ?? 'instance';
  const isOurs = index % 5 < 3;
  const id = `${kind.slice(0, 3)}-${ground.account}-${ground.region}-${index.toString(16).padStart(8, '0')}`;
  const name = `${['web', 'db', 'cache', 'queue', 'batch'][index % 5]}-${index}`;
  const address = `${scopeOf(ground)}/${kind}/${name}`;
  const changed = round > 0 && index % 3 === 0 ? round : 0;
  const status = statusOf(index, isOurs);
  const labels = { tier: `tier-${index % 7}`, env: index % 2 === 0 ? 'prod' : 'test', round: `r${changed}` };
  return {
    key: isOurs ? address : `${kind} ${id}`,
    place: { ...ground, scope: scopeOf(ground), kind, targets: [`${ground.account}-${ground.region}`] },
    called: { name, id, labels, ...(isOurs ? { address } : {}) },
    whose: { claim: claimOf(isOurs), documents: [], ...(isOurs ? { owner: `team-${index % 40}` } : {}) },
    state: { status, reason: reasonOf(status), generation: isOurs ? 40 + changed : 0 },
    sides: sidesOf(attributesOf(kind, ground, index, labels), isOurs),
  };
}

const claimOf = (isOurs: boolean): Claim => (isOurs ? 'ours' : 'unmanaged');

function statusOf(index: number, isOurs: boolean): Status {
  if (!isOurs) return 'Unmanaged';
  return index % 100 === 0 ? (oddStatuses[(index / 100) % oddStatuses.length] ?? 'Drifted') : 'InSync';
}

const reasonOf = (status: Status): string =>
  status === 'InSync'
    ? 'as wanted'
    : `${status}: one field differs; the next pass brings it back, unless somebody holds it`;

function attributesOf(kind: Kind, ground: Ground, index: number, labels: Labels): Attributes[Kind] {
  const network = `${scopeOf(ground)}/network/core`;
  const groups = [`${scopeOf(ground)}/group/core.all`, `${scopeOf(ground)}/group/core.web`];
  switch (kind) {
    case 'network':
      return { cidr: '10.0.0.0/16', internet: true, labels };
    case 'subnet':
      return { network, cidr: `10.0.${index % 250}.0/24`, internet: true, labels };
    case 'group':
      return { network, labels };
    case 'firewall-rule': {
      const match = {
        direction: 'ingress',
        action: 'allow',
        protocol: 'tcp',
        ports: String(1 + (index % 65_000)),
      } as const;
      return {
        network,
        group: groups[0] ?? '',
        match: { ...match, peers: ['10.0.0.0/8'] },
        description: 'as asked for',
      };
    }
    case 'instance':
      return {
        placement: { subnet: `${scopeOf(ground)}/subnet/core.app-${index % 30}`, publicIp: false },
        groups,
        machine: { image: 'ami-0abcdef1234567890', size: 't3.small', power: 'running' },
        disk: { size: 20, type: 'gp3', encrypted: true },
        boot: { access: '95a6e046a7fcb0b00dfdc099df621f4a87337b08cdda96b9b5e5bedeb4174013' },
        labels,
      };
  }
}

const sidesOf = (attributes: Attributes[Kind], isOurs: boolean): Row['sides'] => ({
  ...(isOurs ? { desired: { attributes, mode: 'enforce', protect: false, deletionPolicy: 'retain' } } : {}),
  observed: { attributes, state: 'ready', parts: [] },
  diff: [],
});
