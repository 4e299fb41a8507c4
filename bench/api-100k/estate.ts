import pg from 'pg';
import type { Claim, Row, Status } from '../../src/core/inventory/row.ts';
import type { Attributes, Cloud, Kind, Labels } from '../../src/core/resource.ts';
import type { RowFilter, RowWords } from '../../src/ports/inventory-rows.ts';
import { type DatabaseServer, openStore } from '../../src/store/open-store.ts';
import { realClock } from '../../test/cli/support/in-process.ts';

/** The cloud, account and region of one scope. */
interface Scope {
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
export const scopes: readonly Scope[] = (['aws', 'gcp', 'azure'] as const).flatMap((cloud) =>
  Array.from({ length: 5 }, (_, i) => `${cloud}-account-${i}`).flatMap((account) =>
    (regions[cloud] ?? []).map((region) => ({ cloud, account, region })),
  ),
);

const scopeKey = ({ cloud, account, region }: Scope): string => `${cloud}/${account}/${region}`;

const kinds: readonly Kind[] = ['instance', 'instance', 'firewall-rule', 'firewall-rule', 'subnet', 'group', 'network'];
const oddStatuses: readonly Status[] = ['Drifted', 'Missing', 'Pending', 'Settling', 'Blocked', 'Failed', 'Paused'];

/** One of a hundred stands otherwise than it should, two in five are nobody's. `round`: how it was told in which look. */
export function rowAt(scope: Scope, index: number, round: number): Row {
  const kind = kinds[index % kinds.length] ?? 'instance';
  const isOurs = index % 5 < 3;
  const id = `${kind.slice(0, 3)}-${scope.account}-${scope.region}-${index.toString(16).padStart(8, '0')}`;
  const name = `${['web', 'db', 'cache', 'queue', 'batch'][index % 5]}-${index}`;
  const address = `${scopeKey(scope)}/${kind}/${name}`;
  const changed = round > 0 && index % 3 === 0 ? round : 0;
  const status = statusOf(index, isOurs);
  const labels = { tier: `tier-${index % 7}`, env: index % 2 === 0 ? 'prod' : 'test', round: `r${changed}` };
  return {
    key: isOurs ? address : `${kind} ${id}`,
    place: { ...scope, scope: scopeKey(scope), kind, targets: [`${scope.account}-${scope.region}`] },
    called: { name, id, labels, ...(isOurs ? { address } : {}) },
    whose: { claim: claimOf(isOurs), documents: [], ...(isOurs ? { owner: `team-${index % 40}` } : {}) },
    state: { status, reason: reasonOf(status), generation: isOurs ? 40 + changed : 0 },
    sides: sidesOf(attributesOf(kind, scope, index, labels), isOurs),
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

function attributesOf(kind: Kind, scope: Scope, index: number, labels: Labels): Attributes[Kind] {
  const network = `${scopeKey(scope)}/network/core`;
  const groups = [`${scopeKey(scope)}/group/core.all`, `${scopeKey(scope)}/group/core.web`];
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
        placement: { subnet: `${scopeKey(scope)}/subnet/core.app-${index % 30}`, publicIp: false },
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

const day = 86_400_000;

/** When each scope was looked at: each look but the first found a third of the lines otherwise. */
const looksBefore = [60 * day, 45 * day, 10 * day];

const estate = 'bench';
const inScope = 2000;

/**
 * Fills the store in a folder with 100,000 lines, of which a third has three versions, as passes would. A minute or two.
 * Counts them at the end, as the server does by itself within a minute: by its counts it chooses how to look. `each`: lines of a scope.
 */
export async function fill(folder: string, each = inScope): Promise<void> {
  let owner: pg.ClientConfig = {};
  const onServer = async (server: DatabaseServer): Promise<void> => {
    owner = server.owner;
  };
  const store = await openStore({ folder, clock: realClock, create: true, onServer });
  try {
    const now = Date.now();
    for (const [round, before] of looksBefore.entries())
      for (const scope of scopes) {
        const rows = Array.from({ length: each }, (_, index) => rowAt(scope, index, round));
        await store.rows.keep({ estate, scope: scopeKey(scope) }, { at: now - before, rows, gaps: [] });
      }
    await count(owner);
  } finally {
    await store.close();
  }
}

async function count(owner: pg.ClientConfig): Promise<void> {
  const client = new pg.Client(owner);
  await client.connect();
  await client.query('ANALYZE setpoint.versions');
  await client.end();
}

type Filter = RowFilter & Pick<RowWords, 'text' | 'labels'>;

/** `rows`: how many the answer has, so that none is quick by being empty. */
export interface Question {
  readonly sort: 'page' | 'past' | 'text' | 'one';
  readonly filter: Filter;
  /** Of one resource. */
  readonly of?: string;
  readonly rows: number;
}

/** Broad and narrow, at the beginning of the order and behind it. Each has more than a page of lines. */
const filters: readonly Filter[] = [
  { clouds: ['gcp'], kinds: ['instance'] },
  { kinds: ['firewall-rule'], statuses: ['InSync'] },
  { accounts: ['azure-account-4'] },
  { owners: ['team-7'] },
  { clouds: ['azure'], statuses: ['Unmanaged'] },
  { regions: ['sa-east-1'], kinds: ['instance'] },
  { statuses: ['Drifted', 'Failed'] },
  { clouds: ['aws'], labels: { env: 'test' } },
];

/** Of an address, an id, a name and a label; common and rare. */
const texts: readonly (readonly [string, number])[] = [
  ['web', 100],
  ['db-19', 100],
  ['TIER-3', 100],
  ['batch-1999', 50],
  ['azure-account-3/eastus/network', 100],
  ['ins-gcp-account-2-asia-east1-c-000003', 74],
  ['not to be found', 0],
];

/** Of ten requests four are pages, two pages of a month back, two searches and two single resources. */
export function questionAt(index: number): Question {
  const round = Math.floor(index / 10);
  const filter = filters[index % filters.length] ?? {};
  switch (index % 10) {
    case 1:
    case 6:
      return {
        sort: 'past',
        filter: filters[(round * 2 + (index % 10 === 1 ? 0 : 1)) % filters.length] ?? {},
        rows: 100,
      };
    case 3:
    case 8: {
      const [text, rows] = texts[(round * 2 + (index % 10 === 3 ? 0 : 1)) % texts.length] ?? ['web', 100];
      return { sort: 'text', filter: { text }, rows };
    }
    case 4:
    case 9:
      return { sort: 'one', filter: {}, of: addressAt(index), rows: 1 };
    default:
      return { sort: 'page', filter, rows: 100 };
  }
}

/** Spread over all scopes; of ours, of which each has an address. */
function addressAt(index: number): string {
  const scope = scopes[(index * 7) % scopes.length];
  const row = scope && rowAt(scope, ((index * 131) % 400) * 5, 0);
  if (row?.called.address === undefined) throw new Error('no row to ask for');
  return row.called.address;
}
