import { randomUUID } from 'node:crypto';
import type { Criticality } from '../../core/criticality.ts';
import type { Exposure } from '../../core/effect/exposure.ts';
import type { Claim, Status } from '../../core/inventory/row.ts';
import type { TouchedBy } from '../../core/last-modified.ts';
import type { Gap, Origin } from '../../core/observed.ts';
import type { IgnoreTerms } from '../../core/plan/plan-input.ts';
import type { BrokenRule } from '../../core/policy/rules.ts';
import type { Address, Attributes, Kind } from '../../core/resource.ts';
import type { Context } from '../context.ts';
import { UserError } from '../errors.ts';
import { progressOn } from '../output/progress.ts';
import { type ApiClient, pages, queryString } from './client.ts';
import { type Decoder, decode, lastModified } from './decode.ts';
import type { ServerEstateOption } from './server-option.ts';

/** The observed resources of one scope, with time and completeness. */
export interface ScopeInventory {
  readonly scope: string;
  readonly at: number;
  readonly gaps: readonly Gap[];
  readonly objects: readonly InventoryObject[];
}

/**
 * An object on a cloud, as the inventory shows it. `address`: where it is ours. `by`: the actor that changed it since our last
 * write.
 */
export interface InventoryObject {
  readonly kind: Kind;
  readonly id: string;
  readonly name: string;
  readonly address?: Address;
  readonly status: Status;
  readonly claim: Claim;
  readonly why: string;
  readonly by?: TouchedBy;
  readonly origin?: Origin;
  readonly ignored?: IgnoreTerms;
  /** Absent: normal. */
  readonly criticality?: Criticality;
  /** The rules of policies that it breaks as it stands; absent where it breaks none. */
  readonly violations?: readonly BrokenRule[];
  /** The answer whether the internet reaches a machine. */
  readonly exposed?: Exposure;
  readonly attributes: Attributes[Kind];
}

interface InventoryFilter {
  readonly kind?: Kind;
  readonly claim?: Claim;
  readonly criticality?: Criticality;
}

/** The resources in the scopes of these targets, as a server last observed them. */
export async function fetchInventory(
  client: ApiClient,
  targets: readonly ServerTarget[],
  { kind, claim, criticality }: InventoryFilter,
): Promise<readonly ScopeInventory[]> {
  const inventories = new Map<string, ScopeInventory>();
  for (const { scope, observation } of targets)
    if (observation !== undefined) inventories.set(scope, { scope, ...observation, objects: [] });
  const objects: ScopedObject[] = [];
  const estate = targets[0]?.estate;
  const lines = { path: '/v1/inventory', asked: { kind, claim, criticality, estate, attributes: true } };
  for await (const { items } of pages(client, lines, page)) objects.push(...items.flatMap((item) => item ?? []));
  const byScope = Map.groupBy(objects, ({ scope }) => scope);
  return [...inventories.values()].map((inventory) => ({
    ...inventory,
    objects: (byScope.get(inventory.scope) ?? []).map(({ object }) => object),
  }));
}

interface ScopedObject {
  readonly scope: string;
  readonly object: InventoryObject;
}

const originFields = decode.object({
  reason: decode.oneOf('provider-default', 'service-child', 'other-tool', 'shared'),
  detail: decode.string,
  maker: decode.optional(decode.string),
});

const origin: Decoder<Origin> = (value, at) => {
  const { reason, ...rest } = originFields(value, at);
  return { why: reason, ...rest };
};

const violation = decode.object({
  policy: decode.string,
  rule: decode.string,
  effect: decode.oneOf('deny', 'approval', 'warn'),
  mode: decode.oneOf('audit', 'enforce'),
  message: decode.string,
  failed: decode.optional(decode.string),
  facts: decode.optional(decode.string),
});

const line = decode.object({
  scope: decode.string,
  kind: decode.string,
  id: decode.optional(decode.string),
  name: decode.string,
  address: decode.optional(decode.string),
  claim: decode.string,
  status: decode.string,
  reason: decode.string,
  lastModifiedBy: decode.optional(lastModified),
  origin: decode.optional(origin),
  ignored: decode.optional(decode.object({ owner: decode.string, reason: decode.string, until: decode.string })),
  criticality: decode.string,
  violations: decode.optional(decode.list(violation)),
  exposed: decode.optional(decode.object({ answer: decode.string, reason: decode.string })),
  attributes: decode.optional(decode.unchecked<Attributes[Kind]>()),
});

/** Undefined: what is wanted and does not stand is no object. */
const decodeObject: Decoder<ScopedObject | undefined> = (value, at) => {
  const { scope, id, status, reason, lastModifiedBy: by, ...rest } = line(value, at);
  if (id === undefined) return undefined;
  const { attributes = {}, ...target } = rest;
  // why: kinds and claims are shown by their names only
  const object = {
    ...target,
    id,
    status,
    why: whyOf(rest.claim, status, reason),
    ...(by === undefined ? {} : { by }),
    attributes,
  } as InventoryObject;
  return { scope, object };
};

const page = decode.object({ items: decode.list(decodeObject), next: decode.optional(decode.string) });

/** As from here: whose it is, and not how it stands. */
function whyOf(claim: string, status: string, reason: string): string {
  if (claim === 'ours') return 'wanted';
  if (claim === 'orphan') return 'no document wants it';
  return status === 'Unmanaged' ? reason : 'No estate claims it.';
}

/** `observation`: the newest of its scope; absent: none yet. `quarantined`: the reason that no reconcile observes it. */
interface ServerTarget {
  readonly name: string;
  readonly estate: string;
  readonly scope: string;
  readonly observation?: { readonly at: number; readonly gaps: readonly Gap[] };
  readonly quarantined?: string;
}

export async function fetchTargets(
  client: ApiClient,
  { estate }: ServerEstateOption,
): Promise<readonly ServerTarget[]> {
  const { items } = await client.request({ method: 'GET', path: `/v1/targets${queryString({ estate })}` }, answer);
  return items;
}

const outside = decode.object({
  name: decode.string,
  estate: decode.string,
  scope: decode.string,
  observed: decode.object({
    at: decode.optional(decode.timestamp),
    gaps: decode.list(decode.object({ kind: decode.string, code: decode.string, reason: decode.string })),
  }),
  held: decode.optional(
    decode.object({ quarantine: decode.optional(decode.object({ reason: decode.optional(decode.string) })) }),
  ),
});

const target: Decoder<ServerTarget> = (value, at) => {
  const { observed, held, ...target } = outside(value, at);
  const gaps = observed.gaps.map((gap) => ({ ...gap, kind: gap.kind as Kind })); // why: shown by its name only
  return {
    ...target,
    ...(observed.at === undefined ? {} : { observation: { at: observed.at, gaps } }),
    ...(held?.quarantine === undefined ? {} : { quarantined: held.quarantine.reason ?? unsaid }),
  };
};

const unsaid = 'Its reconciles failed with an internal error. A grant for all of its targets shows the details.';

const answer = decode.object({ items: decode.list(target) });

const pollMs = 1000;
const mostMs = 600_000;

/** Requests a reconcile of every scope of these targets, and waits for a new observation of each. */
export async function refreshTargets(
  client: ApiClient,
  targets: readonly ServerTarget[],
  context: Context,
): Promise<readonly ServerTarget[]> {
  const byScope = new Map(targets.map((one) => [one.scope, one]));
  const estate = targets[0]?.estate;
  for (const one of byScope.values()) await requestReconcile(client, one);
  const progress = progressOn(context.terminal.err, context.clock);
  const until = context.clock.now() + mostMs;
  try {
    for (;;) {
      const now = (await fetchTargets(client, { estate })).filter(({ scope }) => byScope.has(scope));
      const waiting = now.filter((one) => !isNewer(one, byScope.get(one.scope)));
      if (waiting.length === 0) return now;
      if (context.clock.now() >= until) throw noObservation(waiting);
      for (const { scope } of waiting) progress.show(scope, 'waiting for an observation');
      await context.clock.sleep(pollMs, context.signal);
    }
  } finally {
    progress.end();
  }
}

async function requestReconcile(client: ApiClient, { name, estate, scope, quarantined }: ServerTarget): Promise<void> {
  if (quarantined !== undefined)
    throw new UserError(`${scope} is in quarantine, so no reconcile observes it.`, {
      why: quarantined,
      next: `On the host of its worker: setpoint resume --quarantined ${scope} --reason "…"`,
    });
  const path = `/v1/targets/${encodeURIComponent(name)}/reconcile`;
  const body = { estate, reason: 'inventory --refresh' };
  await client.request({ method: 'POST', path, body, key: randomUUID() }, decode.object({}));
}

/** An observation that began after the newest one at the time of the request. */
const isNewer = ({ observation }: ServerTarget, before: ServerTarget | undefined): boolean =>
  observation !== undefined && (before?.observation === undefined || observation.at > before.observation.at);

const noObservation = (waiting: readonly ServerTarget[]): UserError =>
  new UserError(`No worker has observed ${waiting.map(({ scope }) => scope).join(', ')} for ten minutes.`, {
    why: 'The requested reconcile waits for a worker.',
    next: 'Check that workers run, and check their logs. To see the last observation, remove --refresh.',
  });
