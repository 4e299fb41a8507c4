import { isAdoptedRule } from '../../src/core/desired.ts';
import type { Failure, Result } from '../../src/core/failure.ts';
import type { Observed } from '../../src/core/observed.ts';
import { type CloudId, slotOf } from '../../src/core/resource.ts';
import type { Actuator, Call, Creation, Removal, Revision } from '../../src/ports/provider.ts';
import { failed } from '../shared/answer.ts';
import { awaitAll } from '../shared/await-all.ts';
import { each } from '../shared/each.ts';
import { mapInTurns } from '../shared/turns.ts';
import { placeOf } from './cloud-id.ts';
import { createEach } from './creation.ts';
import { fieldsBetween, firewallOf, listNames, observeFirewall, ruleIn, ruleOf } from './firewall.ts';
import { changedMeanwhile, mergeRule } from './firewall-merge.ts';
import { getFirewall, getNetwork } from './get.ts';
import { unmarked, writeConflict } from './guard.ts';
import { lookUp } from './lookup.ts';
import { describe as described, readDescription } from './marks/description.ts';
import type { Firewall } from './messages.ts';
import { type StartedOperation, settle } from './operations.ts';
import { resolveBy, resolveIn } from './parents.ts';
import { deleteEach } from './removal.ts';
import type { Scope } from './scope.ts';
import { unsupported } from './unsupported.ts';

/**
 * Firewall rules are firewalls of the project: each names its network, is known by its name and owned through the mark in its
 * description. One call takes one; those of a batch go side by side. Without our mark only an adopted firewall is changed: the store
 * has its claim, and its description stays.
 */
export function firewallRuleActuator(scope: Scope): Actuator<'firewall-rule'> {
  return {
    list: (call) => list(scope, call),
    read: (ids, call) => read(ids, scope, call),
    create: (batch, call) => authorize(batch, scope, call),
    update: (batch, call) => rewrite(batch, scope, call),
    delete: (batch, call) => revoke(batch, scope, call),
  };
}

async function* list(scope: Scope, call: Call): AsyncGenerator<readonly Observed<'firewall-rule'>[]> {
  const { listings, project } = scope;
  const [firewalls, networks] = await awaitAll([
    listings.firewalls('firewall-rule', call),
    listings.networks('firewall-rule', call),
  ]);
  const resolve = resolveIn(networks, scope);
  yield await mapInTurns(firewalls, (firewall) => observeFirewall(firewall, resolve, project));
}

async function read(
  ids: readonly CloudId[],
  scope: Scope,
  call: Call,
): Promise<readonly Result<Observed<'firewall-rule'> | undefined>[]> {
  const found = await each(ids, (id) => lookUp(id, (each) => getFirewall(each, scope, call)));
  const links = found.flatMap((result) => (result.ok && result.value ? [result.value.network] : []));
  const resolve = await resolveBy(links, (path) => getNetwork(path, scope, call));
  return found.map((result) => {
    if (!result.ok || !result.value) return result.ok ? { ok: true, value: undefined } : result;
    return resolve.ok ? { ok: true, value: observeFirewall(result.value, resolve.value, scope.project) } : resolve;
  });
}

const markOf = ({ description }: Firewall) => readDescription(description).mark;

function authorize(
  batch: readonly Creation<'firewall-rule'>[],
  scope: Scope,
  call: Call,
): Promise<readonly Result<Observed<'firewall-rule'>>[]> {
  const { client, project } = scope;
  const path = ({ desired }: Creation<'firewall-rule'>): string =>
    `projects/${project}/global/firewalls/${desired.name}`;
  return createEach<'firewall-rule', Firewall>(
    batch,
    {
      path,
      insert: ({ desired: { name, attributes }, mark }, requestId) => {
        const firewallResource = firewallOf(attributes, { name, description: described(attributes.description, mark) });
        return client.write('firewalls.insert', call, (sdk, options) =>
          sdk.firewalls().insert({ project, requestId, firewallResource }, options),
        );
      },
      get: (item) => getFirewall(path(item), scope, call),
      markOf,
      made: (item, id) => made(item, id, project),
    },
    scope,
    call,
  );
}

const made = (
  { desired: { name, attributes }, mark }: Creation<'firewall-rule'>,
  id: CloudId,
  project: string,
): Observed<'firewall-rule'> => ({
  kind: 'firewall-rule',
  id,
  name,
  attributes,
  signs: { mark, slot: slotOf(`gcp/${project}/global`, 'firewall-rule', name) },
  condition: { state: 'ready' },
});

/** Changes in place the fields that are not part of a rule's name. */
async function rewrite(
  batch: readonly Revision<'firewall-rule'>[],
  scope: Scope,
  call: Call,
): Promise<readonly Result<void>[]> {
  const begun = await each(batch, (item) => put(item, scope, call));
  const ended = await settle(begun, scope, call);
  return ended.map((result) => (result.ok ? { ok: true, value: undefined } : result));
}

/**
 * A firewall has no fingerprint by which the cloud could refuse a stale write, so it is read right before: see `mergeRule` for a rule
 * that somebody else changed since it was listed. A PATCH names the fewest fields, and the cloud keeps all others as they stand; the
 * name is there because Google's definition of the API requires it. Where a list must be emptied the firewall is written whole, as
 * the SDK leaves empty lists out of a PATCH.
 * https://cloud.google.com/compute/docs/reference/rest/v1/firewalls/patch
 */
async function put(item: Revision<'firewall-rule'>, scope: Scope, call: Call): Promise<StartedOperation> {
  const { observed, changes, mark } = item;
  const stray = unsupported(changes, ['match', 'description', 'order']);
  if (stray) return { ok: false, failure: stray };
  if (changes.length === 0 && !mark) return { ok: true, value: undefined };
  const { client, project, clock } = scope;
  const first = await editNow(item, scope, call);
  if (!first.ok) return first;
  if (!first.value) return { ok: true, value: undefined };
  const { action } = first.value;
  let { firewall: firewallResource } = first.value;
  const readAt = clock.now();
  const before = async (): Promise<Failure | undefined> => {
    if (clock.now() - readAt <= freshMs) return undefined;
    const again = await editNow(item, scope, call);
    if (!again.ok) return again.failure;
    if (again.value?.action !== action) return changedMeanwhile('it').failure;
    ({ firewall: firewallResource } = again.value);
    return undefined;
  };
  const { name: firewall } = placeOf(observed.id);
  return client.write({ action, before }, call, (sdk, options) => {
    const request = { project, firewall, firewallResource };
    const firewalls = sdk.firewalls();
    return action === 'firewalls.patch' ? firewalls.patch(request, options) : firewalls.update(request, options);
  });
}

/** A write that waited longer than this for its budget, after the firewall was read, reads it again. */
const freshMs = 1000;

interface Edit {
  readonly action: 'firewalls.patch' | 'firewalls.update';
  readonly firewall: Firewall;
}

/** The write that turns the current firewall into the planned one. Undefined: it is already so. */
async function editNow(
  { observed, desired, changes, mark }: Revision<'firewall-rule'>,
  scope: Scope,
  call: Call,
): Promise<Result<Edit | undefined>> {
  const found = await lookUp(observed.id, (id) => getFirewall(id, scope, call));
  if (!found.ok) return found;
  const seen = found.value;
  if (!seen) return failed('not-found', 'notFound', `${observed.id} is gone`);
  const old = markOf(seen);
  const isInStore = isAdoptedRule(desired) && old === undefined && observed.signs.mark === undefined;
  const failure = isInStore ? undefined : writeConflict({ observed, mark }, old);
  if (failure) return { ok: false, failure };
  const now = ruleOf(seen);
  const fields = changes.map(({ field }) => field);
  const merged = mergeRule({ planned: ruleIn(observed.attributes), wanted: ruleIn(desired.attributes), now, fields });
  if (!merged.ok) return merged;
  const owner = mark ?? old;
  const { description: text } = merged.value;
  const description = owner ? described(text, owner) : text;
  const edited = fieldsBetween(now, merged.value, seen);
  const firewall = description === (seen.description ?? '') ? edited : { ...edited, description };
  if (Object.keys(firewall).length === 0) return { ok: true, value: undefined };
  const emptied = listNames.some((name) => firewall[name]?.length === 0);
  const value: Edit = emptied
    ? { action: 'firewalls.update', firewall: { ...contentOf(seen), ...firewall } }
    : { action: 'firewalls.patch', firewall: { ...firewall, name: placeOf(observed.id).name } };
  return { ok: true, value };
}

/** The fields of a firewall that a person may set; the cloud sets the others. */
const contentOf = ({
  id: _id,
  kind: _kind,
  selfLink: _selfLink,
  creationTimestamp: _created,
  ...content
}: Firewall): Firewall => content;

function revoke(
  batch: readonly Removal<'firewall-rule'>[],
  scope: Scope,
  call: Call,
): Promise<readonly Result<void>[]> {
  const { client, project } = scope;
  return deleteEach<'firewall-rule', Firewall>(
    batch,
    {
      get: (id) => getFirewall(id, scope, call),
      markOf,
      delete: async (existing, id) => {
        if (!markOf(existing)) return { ok: false, failure: unmarked(id) };
        return client.write('firewalls.delete', call, (sdk, options) =>
          sdk.firewalls().delete({ project, firewall: placeOf(id).name }, options),
        );
      },
    },
    scope,
    call,
  );
}
