import { z } from 'zod';
import type { Bounds } from '../../core/access/grant.ts';
import { criticalities } from '../../core/criticality.ts';
import type { Origin } from '../../core/inventory/ownership.ts';
import { statuses } from '../../core/inventory/row.ts';
import { kindNames } from '../../core/kinds/kinds.ts';
import { clouds, type ScopeKey } from '../../core/resource.ts';
import type { Clock } from '../../ports/clock-and-log.ts';
import type { KeptRow, RowQuery, RowSort, Rows } from '../../ports/inventory-rows.ts';
import type { ResourceNoteAnswers } from '../../ports/queries.ts';
import type { Reconciles } from '../../ports/reconciles.ts';
import {
  afterField,
  asOfField,
  asOfFilter,
  defaultLimit,
  estateField,
  optionalLimitField,
  resolveEstate,
} from './fields.ts';
import type { RequestContext } from './route.ts';
import { rowClaims } from './schemas/inventory.ts';

export interface InventoryDependencies {
  readonly rows: Pick<Rows, 'page' | 'countBy' | 'find' | 'history' | 'looks'>;
  readonly nextAttempts: NextAttempts;
  estates(): Promise<readonly string[]>;
  /** The place in the active specs that decided each desired field. */
  origins(row: KeptRow): Promise<readonly Origin[]>;
  readonly notes: ResourceNoteAnswers['of'];
}

/** One that is named must be seen; else all that are seen are meant. */
export const visibleEstate = async (
  asked: string | undefined,
  { caller }: Pick<RequestContext, 'caller'>,
  { estates }: Pick<InventoryDependencies, 'estates'>,
): Promise<string | undefined> =>
  asked === undefined ? undefined : resolveEstate({ asked, in: 'query', permission: 'read' }, caller, estates);

/** When each scope of an estate has its next reconcile, at the latest; of one that runs, since when it does. */
type NextAttempts = (estate: string) => Promise<ReadonlyMap<ScopeKey, number>>;

const cachedMs = 1_000;

/** Known for a second: many ask at once. */
export function nextAttemptsBy(reconciles: Pick<Reconciles, 'scopes'>, clock: Pick<Clock, 'now'>): NextAttempts {
  const known = new Map<string, { readonly at: number; readonly asked: ReturnType<NextAttempts> }>();
  return (estate) => {
    const before = known.get(estate);
    if (before !== undefined && clock.now() - before.at < cachedMs) return before.asked;
    const asked = readNextAttempts(estate, reconciles);
    known.set(estate, { at: clock.now(), asked });
    asked.catch(() => known.delete(estate));
    return asked;
  };
}

async function readNextAttempts(
  estate: string,
  reconciles: Pick<Reconciles, 'scopes'>,
): Promise<ReadonlyMap<ScopeKey, number>> {
  const scopes = await reconciles.scopes(estate);
  return new Map(
    scopes.flatMap(({ scope, last, running }) => {
      const at = running?.began ?? last?.ending?.nextAt;
      return at === undefined ? [] : [[scope, at] as const];
    }),
  );
}

const mostNames = 50;

/** Several with commas between. */
const listOf = <T extends z.ZodType<string, string>>(one: T, description: string) =>
  z
    .string()
    .max(2000)
    .transform((text) => text.split(','))
    .pipe(z.array(one).max(mostNames))
    .optional()
    .meta({ description: `${description}; several separated by commas` });

const name = z.string().max(300);
const sorts = ['address', '-address', 'name', '-name', 'status', '-status', 'since', '-since'] as const;

/** The filters of the inventory. `label` comes as a list. */
export const inventoryFilters = {
  estate: estateField.meta({ description: 'Only this estate; absent: all that you see' }),
  scope: listOf(name, 'Only these scopes'),
  cloud: listOf(z.enum(clouds), 'Only these clouds'),
  account: listOf(name, 'Only these accounts, projects or subscriptions'),
  region: listOf(name, 'Only these regions, zones or locations; empty: global'),
  kind: listOf(z.enum(kindNames), 'Only these kinds'),
  status: listOf(z.enum(statuses), 'Only these statuses'),
  criticality: listOf(z.enum(criticalities), 'Only these criticalities'),
  owner: listOf(name, 'Only these owners; empty: no owner'),
  target: listOf(name, 'Only these targets; empty: no target'),
  claim: listOf(z.enum(rowClaims), 'Only these claims'),
  exposed: listOf(
    z.enum(['yes', 'no', 'unknown', '']),
    'Only machines that the internet reaches, or does not; empty: resources without an answer',
  ),
  network: listOf(
    z.string().max(1000),
    'Only resources of these networks, by address, else by id; empty: no known network',
  ),
  origin: listOf(
    name,
    'Only these origins: the maker of an object without a mark, else the reason of its origin, else its claim',
  ),
  drift: z
    .enum(['yes'])
    .optional()
    .meta({ description: 'Only resources that somebody changed or removed outside Setpoint, whatever their status' }),
  violates: listOf(name, 'Only resources that break a rule of these policies; *: of any policy'),
  label: z
    .array(z.string().min(1).max(400))
    .max(20)
    .optional()
    .meta({
      description: '`key` or `key=value`; repeat it to require several labels',
      examples: [['tier=web']],
    }),
  q: z.string().min(1).max(200).optional().meta({ description: 'Part of an address, a name, an id or a label' }),
  asOf: asOfField,
} as const;

export const inventoryFields = {
  ...inventoryFilters,
  attributes: z.enum(['true', 'false']).optional().meta({ description: 'true: include the observed attributes' }),
  sort: z.enum(sorts).default('address').meta({ description: 'With - in descending order' }),
  limit: optionalLimitField,
  after: afterField,
} as const;

export type InventoryQuery = z.output<z.ZodObject<typeof inventoryFields>>;

export function rowQueryOf(asked: InventoryQuery, seen: readonly Bounds[], now: number): RowQuery {
  const { limit = defaultLimit, after, asOf } = asked;
  return {
    seen,
    filter: filterOf(asked),
    sort: sortOf(asked.sort),
    limit,
    after,
    ...asOfFilter(asOf, now),
  };
}

export const filterOf = (asked: z.output<z.ZodObject<typeof inventoryFilters>>): RowQuery['filter'] => ({
  estates: asked.estate === undefined ? undefined : [asked.estate],
  scopes: asked.scope,
  clouds: asked.cloud,
  accounts: asked.account,
  regions: asked.region,
  kinds: asked.kind,
  statuses: asked.status,
  owners: asked.owner,
  criticalities: asked.criticality,
  targets: asked.target,
  claims: asked.claim,
  exposed: asked.exposed,
  networks: asked.network,
  origins: asked.origin,
  drift: asked.drift && true,
  violates: asked.violates,
  labels: asked.label && labelsOf(asked.label),
  text: asked.q,
});

const labelsOf = (texts: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(
    texts.map((text) => {
      const cut = text.indexOf('=');
      return cut < 0 ? [text, ''] : [text.slice(0, cut), text.slice(cut + 1)];
    }),
  );

function sortOf(sort: InventoryQuery['sort']): RowSort {
  const descending = sort.startsWith('-');
  const [by] = (['address', 'name', 'status', 'since'] as const).filter((one) => sort.endsWith(one));
  return { by: by ?? 'address', descending };
}
