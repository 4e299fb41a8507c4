import { slotOf } from '../../src/core/address.ts';
import type { Result } from '../../src/core/failure.ts';
import type { Observed } from '../../src/core/observed.ts';
import type { CloudId } from '../../src/core/resource.ts';
import type { Actuator, Call, Creation, Removal, Revision } from '../../src/ports/actuator.ts';
import { failed } from '../pass/answer.ts';
import { each } from '../pass/each.ts';
import { together } from '../pass/together.ts';
import { placeOf } from './cloud-id.ts';
import { createEach } from './creation.ts';
import { firewallOf, observeFirewall } from './firewall.ts';
import { getFirewall, getNetwork } from './get.ts';
import { notToWrite, unmarked } from './guard.ts';
import { lookUp } from './lookup.ts';
import { describe as described, readDescription } from './marks/description.ts';
import type { Firewall } from './messages.ts';
import { type Begun, settle } from './operations.ts';
import { resolveBy, resolveIn } from './parents.ts';
import { deleteEach } from './removal.ts';
import type { Scope } from './scope.ts';
import { unsupported } from './unsupported.ts';

/**
 * Firewall rules are firewalls of the project: each names its network, is known by its name and owned through the mark in its
 * description. One call takes one; those of a batch go side by side. A firewall without our mark is never touched.
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
  const [firewalls, networks] = await together([
    listings.firewalls('firewall-rule', call),
    listings.networks('firewall-rule', call),
  ]);
  const resolve = resolveIn(networks, scope);
  yield firewalls.map((firewall) => observeFirewall(firewall, resolve, project));
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

/** What a rule's name does not say changes in place, at once. */
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
 * Written whole, from a look made for it: a PATCH cannot empty a list, as the SDK leaves empty ones out, and a firewall has no
 * fingerprint by which a stale write would be refused. https://cloud.google.com/compute/docs/reference/rest/v1/firewalls/update
 */
async function put(item: Revision<'firewall-rule'>, scope: Scope, call: Call): Promise<Begun> {
  const { observed, changes, mark } = item;
  const stray = unsupported(changes, ['match', 'description', 'order']);
  if (stray) return { ok: false, failure: stray };
  if (changes.length === 0 && !mark) return { ok: true, value: undefined };
  const found = await lookUp(observed.id, (id) => getFirewall(id, scope, call));
  if (!found.ok) return found;
  if (!found.value) return failed('not-found', 'notFound', `${observed.id} is gone`);
  const now = markOf(found.value);
  const failure = notToWrite(item, now);
  if (failure) return { ok: false, failure };
  const firewallResource = rewritten(found.value, item);
  const { client, project } = scope;
  const { name: firewall } = placeOf(observed.id);
  return client.write('firewalls.update', call, (sdk, options) =>
    sdk.firewalls().update({ project, firewall, firewallResource }, options),
  );
}

/** What differs is said anew; the rest stays as the cloud spelled it. */
function rewritten(seen: Firewall, { desired, changes, mark }: Revision<'firewall-rule'>): Firewall {
  const { text, mark: old } = readDescription(seen.description);
  const owner = mark ?? old;
  const says = (field: string): boolean => changes.some((change) => change.field.split('.')[0] === field);
  const spoken = says('description') ? desired.attributes.description : text;
  const description = owner ? described(spoken, owner) : spoken;
  const whole = firewallOf(desired.attributes, { name: seen.name ?? '', description, kept: seen });
  if (says('match')) return says('order') ? whole : { ...whole, ...orderOf(seen) };
  return { ...contentOf(seen), description, ...(says('order') ? orderOf(whole) : {}) };
}

const orderOf = ({ priority, disabled, logConfig }: Firewall): Firewall => ({
  priority: priority ?? null,
  disabled: disabled ?? null,
  logConfig: logConfig ?? null,
});

/** What a person may say of a firewall; the rest is the cloud's own. */
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
      delete: async (standing, id) => {
        if (!markOf(standing)) return { ok: false, failure: unmarked(id) };
        return client.write('firewalls.delete', call, (sdk, options) =>
          sdk.firewalls().delete({ project, firewall: placeOf(id).name }, options),
        );
      },
    },
    scope,
    call,
  );
}
