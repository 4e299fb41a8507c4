import type { Result } from '../../src/core/failure.ts';
import type { Observed } from '../../src/core/observed.ts';
import type { Actuator, Call, Creation, Removal, Revision } from '../../src/ports/provider.ts';
import { done, failed, gone, singly } from './batch.ts';
import type { Client } from './client.ts';
import type { GroupRecord, NetworkRecord, SubnetRecord } from './cloud/records.ts';
import { type Retag, retag, retagFor } from './labels.ts';
import { all, lookUp, pages } from './listings.ts';
import { markOf, markTags, partTags } from './marks.ts';
import { finishParts, judgeParts, lookForParts, type Parts, partsOf, removeParts } from './network-parts.ts';
import { readBy } from './reading.ts';
import { labelsOf, nameAndLabels, originOf } from './tags.ts';

/** Networks with their parts. Nothing here takes a token: a creation sent twice makes two. */
export const networkActuator = (client: Client): Actuator<'network'> => ({
  list: async function* (call) {
    const gateways = await all(client, call, 'ListGateways');
    const routeTables = await all(client, call, 'ListRouteTables');
    const subnets = await all(client, call, 'ListSubnets');
    const groups = await all(client, call, 'ListGroups');
    const observe = observing({ gateways, routeTables }, inhabited(subnets, groups));
    for await (const page of pages(client, call, 'ListNetworks')) yield page.map(observe);
  },
  read: readBy(client, 'ListNetworks', async (call) => {
    const parts = await lookForParts(client, call);
    return parts.ok ? { ok: true, value: observing(parts.value) } : parts;
  }),
  create: (batch, call) => singly(batch, (creation) => create(client, call, creation)),
  update: async (batch, call) => {
    const all = batch.map(retags);
    const tagged = await retag(client, call, all.flat());
    const results = await singly(batch, (revision) => revise(client, call, revision));
    const failures = new Map(all.flat().map(({ id }, index) => [id, tagged[index]]));
    return results.map(
      (result, index) =>
        [...(all[index] ?? []).map(({ id }) => failures.get(id)), result].find((r) => r?.ok === false) ?? done,
    );
  },
  delete: (batch, call) => singly(batch, (removal) => remove(client, call, removal)),
});

/** Networks in which something stands besides their own parts. */
const inhabited = (subnets: readonly SubnetRecord[], groups: readonly GroupRecord[]): ReadonlySet<string> =>
  new Set([...subnets, ...groups.filter(({ isDefault }) => !isDefault)].map(({ network }) => network));

/** `inUse` absent: nobody looked. */
const observing =
  (everything: Parts, inUse?: ReadonlySet<string>) =>
  (record: NetworkRecord): Observed<'network'> => {
    const { id, cidr, tags, isDefault } = record;
    const { internet, parts, missing } = judgeParts(partsOf(record, everything));
    const mark = markOf(tags);
    const origin = isDefault
      ? { why: 'provider-default' as const, detail: 'default network of the account' }
      : originOf(tags);
    return {
      kind: 'network',
      id,
      name: tags['Name'] ?? '',
      attributes: { cidr, internet, labels: labelsOf(tags) },
      signs: { ...(mark && { mark }), ...(origin && { origin }) },
      condition: {
        state: 'ready',
        parts,
        ...(missing.length > 0 && { missing }),
        ...(inUse && { empty: !inUse.has(id) }),
      },
    };
  };

/** Once the network stands the answer is that it does: parts that could not be made are missing, and an update finishes them. */
async function create(
  client: Client,
  call: Call,
  { desired, mark }: Creation<'network'>,
): Promise<Result<Observed<'network'>>> {
  const { cidr, internet } = desired.attributes;
  if (cidr === undefined) return failed({ kind: 'terminal', code: 'InvalidValue', message: 'a network needs a cidr' });
  const made = await client.send(call, 'CreateNetwork', {
    cidr,
    tags: { ...nameAndLabels(desired), ...markTags(mark) },
  });
  if (!made.ok) return made;
  if (internet !== true) return { ok: true, value: observing(none)(made.value) };
  const { parts } = await finishParts(client, call, { network: made.value.id, mark, parts: none });
  const observed = observing(parts)(made.value);
  if (observed.attributes.internet !== false) return { ok: true, value: observed };
  return { ok: true, value: { ...observed, attributes: { ...observed.attributes, internet: 'partial' } } };
}

const none: Parts = { gateways: [], routeTables: [] };

/** A mark is written on the parts too, each with its own part's name. */
function retags({ observed, changes, mark }: Revision<'network'>): readonly Retag[] {
  const own = retagFor(observed.id, changes, mark && markTags(mark));
  const parts = mark ? (observed.condition.parts ?? []) : [];
  return [own, ...parts.map(({ id, part }) => ({ id, set: mark ? partTags(mark, part) : {}, unset: [] }))];
}

async function revise(
  client: Client,
  call: Call,
  { observed, desired, changes, mark }: Revision<'network'>,
): Promise<Result<void>> {
  if (!changes.some(({ field }) => field === 'internet')) return done;
  const seen = await lookForParts(client, call);
  if (!seen.ok) return seen;
  const owner = mark ?? observed.signs.mark;
  const network = observed.id;
  const parts = partsOf({ id: network, tags: owner ? markTags(owner) : {} }, seen.value);
  if (desired.attributes.internet !== true) return removeParts(client, call, { network, parts });
  if (!owner) return failed({ kind: 'conflict', code: 'Unmarked', message: `${network} has no mark for its parts` });
  return (await finishParts(client, call, { network, mark: owner, parts })).result;
}

/** Parts first, the network last: what is left after a failure still hangs on a network that is listed. One in use keeps its parts. */
async function remove(client: Client, call: Call, { id, observed }: Removal<'network'>): Promise<Result<void>> {
  const seen = await lookForParts(client, call);
  if (!seen.ok) return seen;
  const held = await inhabitants(client, call);
  if (!held.ok) return held;
  if (held.value.has(id)) return failed({ kind: 'conflict', code: 'InUse', message: `something stands in ${id}` });
  const { mark } = observed.signs;
  const parts = partsOf({ id, tags: mark ? markTags(mark) : {} }, seen.value);
  const removed = await removeParts(client, call, { network: id, parts });
  return removed.ok ? gone(await client.send(call, 'DeleteNetwork', { id })) : removed;
}

async function inhabitants(client: Client, call: Call): Promise<Result<ReadonlySet<string>>> {
  const subnets = await lookUp(client, call, 'ListSubnets');
  if (!subnets.ok) return subnets;
  const groups = await lookUp(client, call, 'ListGroups');
  return groups.ok ? { ok: true, value: inhabited(subnets.value, groups.value) } : groups;
}
