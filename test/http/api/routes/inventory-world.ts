import type { Row, Status } from '../../../../src/core/inventory/row.ts';
import { inventoryRoutes } from '../../../../src/http/api/routes/inventory.ts';
import type { RowAsked } from '../../../../src/ports/inventory-rows.ts';
import { notesOf } from '../../../../src/queries/resource-notes.ts';
import { memoryDatabase } from '../../../support/memory-store.ts';
import { virtualClock } from '../../../support/virtual-clock.ts';
import { apiWorld, callerOf } from '../support/api-world.ts';

export const scope = 'aws/1/eu-1';
export const at = (kind: string, name: string): string => `${scope}/${kind}/${name}`;
export const clock = virtualClock(Date.UTC(2026, 0, 10));
export const now = clock.now();
export const store = memoryDatabase(clock).connect();

interface Said {
  readonly status?: Status;
  readonly place?: Partial<Row['place']>;
  readonly called?: Partial<Row['called']>;
  readonly whose?: Partial<Row['whose']>;
  readonly sides?: Partial<Row['sides']>;
}

/** A network of ours that is in sync, except for the given fields. */
export function rowOf(name: string, { status = 'InSync', ...said }: Said = {}): Row {
  const attributes = { cidr: '10.0.0.0/16', labels: { tier: 'web' } };
  const kind = said.place?.kind ?? 'network';
  return {
    key: at(kind, name),
    place: { scope, cloud: 'aws', account: '1', region: 'eu-1', kind: 'network', targets: ['north'], ...said.place },
    called: { name, address: at(kind, name), id: `id-${name}`, labels: { tier: 'web' }, ...said.called },
    whose: {
      claim: 'ours',
      owner: 'team-net',
      documents: [{ address: at(kind, name), file: 'a.yaml', line: 3 }],
      ...said.whose,
    },
    state: { status, reason: 'As it is asked for.', generation: 7 },
    sides: {
      desired: { attributes, mode: 'enforce', protect: false, deletionPolicy: 'retain' },
      observed: { attributes, state: 'ready', parts: [] },
      diff: [],
      ...said.sides,
    },
  };
}

export const web = {
  attributes: {
    placement: { subnet: at('subnet', 'core.app'), publicIp: false },
    groups: [at('group', 'core.web')],
    machine: { image: 'ami-1', size: 's', power: 'running' as const },
    labels: {},
  },
  state: 'ready' as const,
  parts: [{ part: 'disk', id: 'vol-1' }],
};

/** The names that were resolved, in order. */
export const sought: RowAsked['of'][] = [];

export const world = apiWorld({
  routes: inventoryRoutes({
    rows: {
      ...store.rows,
      find: (asked) => {
        sought.push(asked.of);
        return store.rows.find(asked);
      },
    },
    nextAttempts: async () => new Map([[scope, now + 60_000]]),
    estates: async () => ['acme', 'beta'],
    notes: (asked, addresses) => notesOf(asked, addresses, store),
    origins: async (row) => [
      { document: row.key, field: 'cidr', value: '10.0.0.0/16', layer: 'base', file: 'a.yaml', line: 4, column: 3 },
    ],
  }),
  callers: {
    both: callerOf('viewer', { grants: [{ role: 'viewer' }] }),
    south: callerOf('viewer', { grants: [{ role: 'viewer', estates: ['acme'], targets: ['south'] }] }),
    owner: callerOf('viewer', { grants: [{ role: 'viewer', estates: ['acme'], owners: ['team-web'] }] }),
  },
  clock,
});
