import type { Result } from '../../src/core/failure.ts';
import type { Observed } from '../../src/core/observed.ts';
import type { RuleMatch } from '../../src/core/resource.ts';
import type { Actuator, Call, Creation, Removal, Revision } from '../../src/ports/provider.ts';
import { failed, gone, sendGrouped } from './batch.ts';
import type { Client } from './client.ts';
import { canonicalRule, ruleKey } from './cloud/calls/rules.ts';
import type { GroupRecord, RuleRecord, RuleShape } from './cloud/records.ts';
import { all, lookUp, pages } from './listings.ts';
import { atOnce } from './rate-limits.ts';
import { readBy } from './reading.ts';

/** Atoms. They bear no mark: each is owned through its group, and known by its content, so a creation may be sent again. */
export const ruleActuator = (client: Client): Actuator<'firewall-rule'> => ({
  list: async function* (call) {
    const observe = observing(await all(client, call, 'ListGroups'));
    for await (const page of pages(client, call, 'ListRules')) yield page.map(observe);
  },
  read: readBy(client, 'ListRules', async (call) => {
    const groups = await lookUp(client, call, 'ListGroups');
    return groups.ok ? { ok: true, value: observing(groups.value) } : groups;
  }),
  create: (batch, call) => create(client, call, batch),
  update: (batch, call) =>
    sendGrouped(batch, {
      key: ({ observed }) => containerOf(observed),
      size: atOnce.rules,
      send: (revisions) => describe(client, call, revisions),
    }),
  delete: async (batch, call) =>
    (
      await sendGrouped(batch, {
        key: ({ observed }) => containerOf(observed),
        size: atOnce.rules,
        send: (removals) => revoke(client, call, removals),
      })
    ).map(gone),
});

const observing = (groups: readonly GroupRecord[]): ((rule: RuleRecord) => Observed<'firewall-rule'>) => {
  const byId = new Map(groups.map((group) => [group.id, group]));
  return (rule) => {
    const group = byId.get(rule.group);
    return observe(rule, { network: group?.network ?? '', inDefault: group?.isDefault ?? false });
  };
};

function observe(
  { id, group, match, description }: RuleRecord,
  { network, inDefault }: { readonly network: string; readonly inDefault: boolean },
): Observed<'firewall-rule'> {
  const born = inDefault || ruleKey(match) === 'egress all -1 -1 0.0.0.0/0';
  const origin = { why: 'provider-default', detail: `${group} is born with it` } as const;
  return {
    kind: 'firewall-rule',
    id,
    name: '',
    attributes: { network, group, match: matchOf(match), description },
    signs: { container: group, ...(born && { origin }) },
    condition: { state: 'ready' },
  };
}

/** A group's rules of one direction go in one call. */
const containerOf = ({ attributes: { group, match } }: Pick<Observed<'firewall-rule'>, 'attributes'>): string =>
  `${group} ${match.direction}`;

async function create(
  client: Client,
  call: Call,
  batch: readonly Creation<'firewall-rule'>[],
): Promise<readonly Result<Observed<'firewall-rule'>>[]> {
  const results = await sendGrouped(batch, {
    key: ({ desired }) => containerOf(desired),
    size: atOnce.rules,
    send: (creations) => authorize(client, call, creations),
  });
  if (!results.some(isDuplicate)) return results;
  const existing = await lookUp(client, call, 'ListRules');
  return results.map((result, index) => {
    const creation = batch[index];
    return isDuplicate(result) && creation ? sameContent(creation, existing, result) : result;
  });
}

const isDuplicate = (result: Result<unknown>): boolean => !result.ok && result.failure.code === 'DuplicateRule';

async function authorize(
  client: Client,
  call: Call,
  batch: readonly Creation<'firewall-rule'>[],
): Promise<Result<readonly Observed<'firewall-rule'>[]>> {
  const { group = '', match, network } = batch[0]?.desired.attributes ?? {};
  if (!match || network === undefined) return { ok: true, value: [] };
  const rules = batch.map(({ desired: { attributes } }) => ({
    ...shapeOf(attributes.match),
    description: attributes.description,
  }));
  const made = await client.send(call, 'AuthorizeRules', { group, direction: match.direction, rules });
  return made.ok ? { ok: true, value: made.value.map((rule) => observe(rule, { network, inDefault: false })) } : made;
}

/** The atom that stands already: what a creation sent again asked for. */
function sameContent(
  { desired: { attributes } }: Creation<'firewall-rule'>,
  existing: Result<readonly RuleRecord[]>,
  refusal: Result<Observed<'firewall-rule'>>,
): Result<Observed<'firewall-rule'>> {
  if (!existing.ok) return existing;
  const { direction } = attributes.match;
  const key = ruleKey(canonicalRule({ direction, ...shapeOf(attributes.match) }));
  const same = existing.value.find(({ group, match }) => group === attributes.group && ruleKey(match) === key);
  return same ? { ok: true, value: observe(same, { network: attributes.network, inDefault: false }) } : refusal;
}

/** Of an atom only the description can change. */
async function describe(
  client: Client,
  call: Call,
  batch: readonly Revision<'firewall-rule'>[],
): Promise<Result<readonly undefined[]>> {
  const changed = batch.filter(({ changes }) => changes.some(({ field }) => field === 'description'));
  const strange = batch.flatMap(({ changes }) => changes).find(({ field }) => field !== 'description');
  if (strange)
    return failed({
      kind: 'terminal',
      code: 'Immutable',
      message: `${strange.field} of a rule cannot change in place`,
    });
  const { group = '', match } = changed[0]?.observed.attributes ?? {};
  if (!match) return voids(batch);
  const rules = changed.map(({ desired, observed }) => ({
    id: observed.id,
    description: desired.attributes.description,
  }));
  const answer = await client.send(call, 'DescribeRules', { group, direction: match.direction, rules });
  return answer.ok ? voids(batch) : answer;
}

async function revoke(
  client: Client,
  call: Call,
  batch: readonly Removal<'firewall-rule'>[],
): Promise<Result<readonly undefined[]>> {
  const { group = '', match } = batch[0]?.observed.attributes ?? {};
  if (!match) return voids(batch);
  const ids = batch.map(({ id }) => id);
  const answer = await client.send(call, 'RevokeRules', { group, direction: match.direction, ids });
  return answer.ok ? voids(batch) : answer;
}

const voids = (items: readonly unknown[]): Result<readonly undefined[]> => ({
  ok: true,
  value: items.map(() => undefined),
});

/** The cloud's numbers as the canonical text of `RuleAttributes`. */
function matchOf({ direction, protocol, from, to, peer }: RuleShape): RuleMatch {
  const name = NUMBERS[protocol] ?? protocol;
  return { direction, action: 'allow', protocol: name, ports: portsText(name, from, to), peers: [peer] };
}

/** And back. A direction's rules are one call, so it is not part of it. */
function shapeOf({ protocol, ports, peers }: RuleMatch): Omit<RuleShape, 'direction'> {
  const peer = peers[0] ?? '';
  if (ports === 'all')
    return { protocol, ...(ported(protocol) ? { from: 0, to: 65_535 } : { from: -1, to: -1 }), peer };
  const [first = '', second = first] = ports.split(/[-/]/);
  return { protocol, from: Number(first), to: second === 'all' ? -1 : Number(second), peer };
}

/** The cloud knows some protocols by number only: https://www.iana.org/assignments/protocol-numbers */
const NUMBERS: Readonly<Record<string, string>> = { '58': 'icmpv6' };

const ported = (protocol: string): boolean => protocol === 'tcp' || protocol === 'udp';

function portsText(protocol: string, from: number, to: number): string {
  if (ported(protocol)) {
    if (from === 0 && to === 65_535) return 'all';
    return from === to ? `${from}` : `${from}-${to}`;
  }
  if (!protocol.startsWith('icmp') || from === -1) return 'all';
  return `${from}/${to === -1 ? 'all' : to}`;
}
