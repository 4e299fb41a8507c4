import type { Failure, Result } from '../../src/core/failure.ts';
import type { Observed } from '../../src/core/observed.ts';
import type { Actuator, Call, Creation } from '../../src/ports/provider.ts';
import { gone, singly } from './batch.ts';
import type { Client } from './client.ts';
import type { GroupRecord } from './cloud/records.ts';
import { retag, retagFor } from './labels.ts';
import { lookUp, pages } from './listings.ts';
import { markOf, markTags } from './marks.ts';
import { readBy } from './reading.ts';
import { sameIntent } from './same-intent.ts';
import { labelsOf, originOf } from './tags.ts';

/** Groups: containers of rules. A name stands once in its network, so a creation may be sent again. */
export const groupActuator = (client: Client): Actuator<'group'> => ({
  list: async function* (call) {
    for await (const page of pages(client, call, 'ListGroups')) yield page.map(observe);
  },
  read: readBy(client, 'ListGroups', async () => ({ ok: true, value: observe })),
  create: (batch, call) => singly(batch, (creation) => create(client, call, creation)),
  update: (batch, call) =>
    retag(
      client,
      call,
      batch.map(({ observed, changes, mark }) => retagFor(observed.id, changes, mark && markTags(mark))),
    ),
  delete: (batch, call) => singly(batch, async ({ id }) => gone(await client.send(call, 'DeleteGroup', { id }))),
});

function observe({ id, name, network, tags, isDefault }: GroupRecord): Observed<'group'> {
  const mark = markOf(tags);
  const origin = isDefault
    ? { why: 'provider-default' as const, detail: `default group of ${network}` }
    : originOf(tags);
  return {
    kind: 'group',
    id,
    name,
    attributes: { network, labels: labelsOf(tags) },
    signs: { ...(mark && { mark }), ...(origin && { origin }) },
    condition: { state: 'ready' },
  };
}

async function create(client: Client, call: Call, creation: Creation<'group'>): Promise<Result<Observed<'group'>>> {
  const { name, attributes } = creation.desired;
  const tags = { ...attributes.labels, ...markTags(creation.mark) };
  const made = await client.send(call, 'CreateGroup', { network: attributes.network, name, tags });
  const isTaken = !made.ok && made.failure.code === 'DuplicateName';
  const group = isTaken ? await sentBefore(client, call, { creation, made }) : made;
  if (!group.ok) return group;
  const closed = attributes.defaultEgress === 'deny' ? await closeEgress(client, call, group.value.id) : undefined;
  if (closed?.ok === false) return { ok: false, failure: stillOpen(group.value.id, closed.failure) };
  return { ok: true, value: observe(group.value) };
}

/** A rule that is gone is closed: an earlier sending did it. */
async function closeEgress(client: Client, call: Call, group: string): Promise<Result<unknown>> {
  const everything = { protocol: 'all', from: -1, to: -1, peer: '0.0.0.0/0' };
  const answer = await client.send(call, 'RevokeRules', { group, direction: 'egress', content: [everything] });
  return !answer.ok && answer.failure.code === 'NotFound' ? { ok: true, value: undefined } : answer;
}

/**
 * The group stands with its default rule, so its creation must stay open: no machine joins it meanwhile. Sent again it finds the group
 * by its name and mark, and revokes again.
 */
function stillOpen(id: string, failure: Failure): Failure {
  const passing = failure.kind === 'throttled' || failure.kind === 'retryable';
  const message = `${id} has open egress: ${failure.message}`;
  return { ...failure, kind: passing ? 'retryable' : 'ambiguous', message };
}

/** The group that an earlier sending of this very creation made, or the refusal that the name is taken. */
async function sentBefore(
  client: Client,
  call: Call,
  { creation: { desired, mark }, made }: { readonly creation: Creation<'group'>; readonly made: Result<never> },
): Promise<Result<GroupRecord>> {
  const groups = await lookUp(client, call, 'ListGroups');
  if (!groups.ok) return groups;
  const same = groups.value.find(
    (group) =>
      group.network === desired.attributes.network &&
      group.name === desired.name &&
      sameIntent(markOf(group.tags), mark),
  );
  return same ? { ok: true, value: same } : made;
}
