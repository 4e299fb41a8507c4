import { type Listing, type Page, pageOf, type View } from '../listing.ts';
import type { RuleRecord, RuleShape } from '../records.ts';
import { Refusal } from '../refusal.ts';
import { must, type World } from '../world.ts';
import { canonicalBlock } from './networks.ts';

/** Rules are content: the same content twice in a group is `DuplicateRule`. Each call changes one direction of one group, all or nothing. */
export const ruleCalls = {
  ListRules: ({ tables }: World, input: Listing, view: View): Page<RuleRecord> => pageOf(tables.rules, input, view),
  AuthorizeRules,
  RevokeRules,
  DescribeRules: ({ tables }: World, { group, rules }: InGroup & { readonly rules: readonly Described[] }): void => {
    const records = rules.map(({ id, description }) => ({ ...inGroup(must(tables.rules, id), group), description }));
    for (const record of records) tables.rules.put(record);
  },
};

/** Two rules with one key are one rule. */
export const ruleKey = ({ direction, protocol, from, to, peer }: RuleShape): string =>
  [direction, protocol, from, to, peer].join(' ');

interface InGroup {
  readonly group: string;
  readonly direction: RuleShape['direction'];
}

interface Described {
  readonly id: string;
  readonly description: string;
}

type Shape = Omit<RuleShape, 'direction'>;
type Asked = Shape & { readonly description: string };

function AuthorizeRules(
  { tables, nextId, quotas }: World,
  { group, direction, rules }: InGroup & { readonly rules: readonly Asked[] },
): readonly RuleRecord[] {
  must(tables.groups, group);
  const existing = tables.rules.all().filter((r) => r.group === group && r.match.direction === direction);
  const keys = new Set(existing.map(({ match }) => ruleKey(match)));
  const made = rules.map(({ description, ...shape }) => {
    const match = canonicalRule({ direction, ...shape });
    if (match.peer.startsWith('group:')) must(tables.groups, match.peer.slice('group:'.length));
    if (keys.has(ruleKey(match))) throw new Refusal('DuplicateRule', `${group} has ${ruleKey(match)} already`);
    keys.add(ruleKey(match));
    return { group, description, match };
  });
  if (keys.size > quotas.rulesPerGroup)
    throw new Refusal('QuotaExceeded', `${group} may hold ${quotas.rulesPerGroup} ${direction} rules`);
  const records = made.map((rule) => ({ id: nextId('rul'), ...rule }));
  for (const record of records) tables.rules.put(record);
  return records;
}

/** By id or by content; one that is not there sinks the whole call. */
function RevokeRules(
  { tables }: World,
  {
    group,
    direction,
    ids = [],
    content = [],
  }: InGroup & { readonly ids?: readonly string[]; readonly content?: readonly Shape[] },
): void {
  const existing = tables.rules.all().filter((rule) => rule.group === group);
  const named = ids.map((id) => inGroup(must(tables.rules, id), group));
  const meant = content.map((shape) => {
    const key = ruleKey(canonicalRule({ direction, ...shape }));
    const rule = existing.find(({ match }) => ruleKey(match) === key);
    if (!rule) throw new Refusal('NotFound', `${group} has no ${key}`);
    return rule;
  });
  for (const { id } of [...named, ...meant]) tables.rules.drop(id);
}

function inGroup(rule: RuleRecord, group: string): RuleRecord {
  if (rule.group !== group) throw new Refusal('NotFound', `${rule.id} is not in ${group}`);
  return rule;
}

const NAMES: Readonly<Record<string, string>> = { '1': 'icmp', '6': 'tcp', '17': 'udp', '-1': 'all' };

/** As the cloud keeps it: names for the numbers it knows, host bits cleared, no ports where the protocol has none. 58 stays 58. */
export function canonicalRule(shape: RuleShape): RuleShape {
  const protocol = NAMES[shape.protocol] ?? shape.protocol.toLowerCase();
  const ported = protocol === 'tcp' || protocol === 'udp';
  const typed = protocol === 'icmp' || protocol === 'icmpv6' || protocol === '58';
  if (ported && (shape.from < 0 || shape.to > 65535 || shape.from > shape.to))
    throw new Refusal('InvalidValue', `${shape.from}-${shape.to} are no ports`);
  const [from, to] = ported || typed ? [shape.from, shape.to] : [-1, -1];
  const peer = /^(group:|prefix-list:)/.test(shape.peer) ? shape.peer : canonicalBlock(shape.peer);
  return { direction: shape.direction, protocol, from, to, peer };
}
