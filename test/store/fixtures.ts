import type { Bounds } from '../../src/core/access/grant.ts';
import type { Guards } from '../../src/core/guards.ts';
import type { Row, Status } from '../../src/core/inventory/row.ts';
import type { Observed } from '../../src/core/observed.ts';
import type { KeptLook, RowPage, RowQuery, Rows } from '../../src/ports/inventory-rows.ts';
import type { Lease } from '../../src/ports/leases.ts';
import type { Intended, IntentDraft, Reconcile, Settlement } from '../../src/ports/ledger.ts';
import type { Accepted, Store } from '../../src/ports/store.ts';

export const scope = 'aws/111122223333/eu-west-1';

/** A process at work on one estate: its lease, and its fields in entries. */
export interface Worker {
  readonly store: Store;
  readonly lease: Lease;
  readonly reconcile: Reconcile;
}

export async function workerOf(
  store: Store,
  estate: string,
  authority: Partial<Reconcile['authority']> = {},
): Promise<Worker> {
  const acquired = await store.leases.acquire(estate, scope, 'ops@here 1');
  if (!acquired.ok) throw new Error(`held by ${acquired.heldBy}`);
  const { lease } = acquired;
  return { store, lease, reconcile: reconcileOf(estate, lease, authority) };
}

export const reconcileOf = (
  estate: string,
  lease: Reconcile['lease'],
  authority: Partial<Reconcile['authority']> = {},
): Reconcile => ({
  estate,
  scope,
  reconcileId: 'r1',
  authority: { revision: 'abc', generation: 1, plan: 'd1', approver: 'ops', ...authority },
  lease: { holder: lease.holder, epoch: lease.epoch },
});

export const guardsOf = (limits: Guards['limits']): Guards => ({ limits, modes: {}, policies: {}, protected: [] });

export const addressOf = (name: string): string => `${scope}/network/${name}`;

export const draftOf = (verb: IntentDraft['verb'], name: string, rest: Partial<IntentDraft> = {}): IntentDraft => ({
  verb,
  subject: { kind: 'network', address: addressOf(name), ...(verb === 'create' ? {} : { id: `vpc-${name}` }) },
  details: {},
  ...rest,
});

export const deletion = (name: string, by: 'generation' | 'healing' = 'generation'): IntentDraft =>
  draftOf('delete', name, { counts: { as: 'delete', by } });

/** A new machine. */
export const launch = (name: string, by: 'generation' | 'healing' = 'generation'): IntentDraft =>
  draftOf('create', name, {
    subject: { kind: 'instance', address: `${scope}/instance/${name}` },
    counts: { as: 'create', by },
  });

/** A rule that nobody wrote goes. */
export const closure = (id: string): IntentDraft =>
  draftOf('delete', id, {
    subject: { kind: 'firewall-rule', address: `${scope}/firewall-rule/${id}`, id },
    counts: { as: 'closure', by: 'healing' },
  });

export const claimOf = (name: string, id = `vpc-${name}`): Accepted => ({
  do: 'claim',
  subject: { kind: 'network', address: addressOf(name), id },
  terms: { deletionPolicy: 'retain', protect: false, storeOnly: false },
});

export const settlementOf = (intended: Intended | undefined, rest: Partial<Settlement> = {}): Settlement => ({
  intent: intentOf(intended),
  outcome: { ok: true },
  closes: true,
  effects: [],
  calls: [],
  ...rest,
});

export function intentOf(intended: Intended | undefined): string {
  if (!intended?.ok) throw new Error(`not intended: ${intended?.why}`);
  return intended.intent;
}

export const unanswered: Partial<Settlement> = {
  outcome: { ok: false, failure: { kind: 'ambiguous', code: 'Timeout', message: 'no answer' } },
  closes: false,
};

export const denied: Partial<Settlement> = {
  outcome: { ok: false, failure: { kind: 'terminal', code: 'UnauthorizedOperation', message: 'no' } },
};

/** Intends and settles in one go. */
export async function apply(worker: Worker, draft: IntentDraft, settled: Partial<Settlement> = {}): Promise<Intended> {
  const [intended] = await worker.store.ledger.intend(worker.reconcile, [draft]);
  if (!intended) throw new Error('no answer for the draft');
  if (intended.ok) await worker.store.ledger.settle(worker.reconcile, [settlementOf(intended, settled)]);
  return intended;
}

export const observedOf = (name: string, labels: Readonly<Record<string, string>> = {}): Observed => ({
  kind: 'network',
  id: `vpc-${name}`,
  name,
  attributes: { cidr: '10.0.0.0/16', internet: false, labels },
  signs: {},
  condition: { state: 'ready' },
});

/** The time at which the clocks of the laws begin. */
export const start = Date.UTC(2026, 0, 1);
export const everything: readonly Bounds[] = [{}];

interface Said {
  readonly status?: Status;
  readonly place?: Partial<Row['place']>;
  readonly called?: Partial<Row['called']>;
  readonly whose?: Partial<Row['whose']>;
  readonly reason?: string;
  readonly violations?: Row['violations'];
  readonly exposed?: Row['exposed'];
  readonly next?: Row['sides']['next'];
}

export const brokenRule = (policy: string): NonNullable<Row['violations']>[number] => ({
  ...({ policy, rule: 'ssh', effect: 'deny', mode: 'enforce' } as const),
  message: 'Let in the bastion.',
});

/** A network of ours, in sync, except for the given fields. */
export function rowOf(name: string, { status = 'InSync', reason = 'as wanted', ...said }: Said = {}): Row {
  const address = addressOf(name);
  const place = { scope, cloud: 'aws', account: '111122223333', region: 'eu-west-1', kind: 'network' } as const;
  return {
    key: address,
    place: { ...place, targets: ['prod'], ...said.place },
    called: { name, address, id: `vpc-${name}`, labels: {}, ...said.called },
    whose: { claim: 'ours', documents: [], ...said.whose },
    state: { status, reason, generation: 1 },
    sides: { diff: [], ...(said.next === undefined ? {} : { next: said.next }) },
    ...(said.violations === undefined ? {} : { violations: said.violations }),
    ...(said.exposed === undefined ? {} : { exposed: said.exposed }),
  };
}

/** `after`: ms after `start`. */
export const lookOf = (after: number, rows: readonly Row[], gaps: KeptLook['gaps'] = []): KeptLook => ({
  at: start + after,
  rows,
  gaps,
});

export const gapOf = (kind: KeptLook['gaps'][number]['kind']): KeptLook['gaps'][number] => ({
  kind,
  code: 'Throttling',
  reason: 'listing failed',
});

/** All of an estate, except for the given fields. */
export const of = (estate: string, rest: Partial<RowQuery> = {}): RowQuery => ({
  seen: everything,
  sort: { by: 'address', descending: false },
  limit: 100,
  ...rest,
  filter: { estates: [estate], ...rest.filter },
});

/** The names on each page, one after the other. */
export async function pagesOf(rows: Rows, query: RowQuery): Promise<readonly (readonly string[])[]> {
  const pages: (readonly string[])[] = [];
  let page: RowPage | undefined;
  do {
    page = await rows.page({ ...query, ...(page?.next === undefined ? {} : { after: page.next }) });
    pages.push(page.rows.map(({ called }) => called.name));
  } while (page.next !== undefined);
  return pages;
}

export const namesOf = async (rows: Rows, query: RowQuery): Promise<readonly string[]> =>
  (await pagesOf(rows, query)).flat();
