import { nameIn } from '../address.ts';
import type { RuleAttributes } from '../attributes.ts';
import { compareText } from '../text-order.ts';

/**
 * Attributes as aligned lines: `cidr      10.20.0.0/16`. What is empty or false says nothing and is left out. In one order, however
 * they were kept: a database has an order of its own.
 */
export function fieldLines(attributes: object): readonly string[] {
  const fields = flatten(attributes, '');
  const width = Math.max(0, ...fields.map(([field]) => field.length));
  return fields.map(([field, value]) => `${field.padEnd(width)}  ${value}`);
}

function flatten(value: object, prefix: string): readonly (readonly [string, string])[] {
  return Object.entries(value)
    .toSorted(byRank)
    .flatMap(([key, given]): readonly (readonly [string, string])[] => {
      if (given === undefined || given === false || given === '') return [];
      if (Array.isArray(given))
        return given.length === 0 ? [] : [[prefix + key, given.map((one) => bare(String(one))).join(', ')]];
      if (typeof given === 'object' && given !== null) return flatten(given, `${prefix}${key}.`);
      return [[prefix + key, short(given)]];
    });
}

/** As they are written in specs; all others, such as labels, by the alphabet. */
const order = [
  'network',
  'group',
  'cidr',
  'placement',
  'subnet',
  'zone',
  'publicIp',
  'internet',
  'filter',
  'defaultEgress',
  'groups',
  'machine',
  'image',
  'size',
  'type',
  'encrypted',
  'identity',
  'power',
  'disk',
  'boot',
  'userData',
  'access',
  'labels',
];

const rankOf = (key: string): number => (order.includes(key) ? order.indexOf(key) : order.length);

const byRank = ([a]: readonly [string, unknown], [b]: readonly [string, unknown]): number =>
  rankOf(a) - rankOf(b) || compareText(a, b);

/** One atom for people: `ingress tcp 443 from 0.0.0.0/0 to core.web`. */
export function ruleText(attributes: object): string {
  // why: only called for rules, whose attributes are these
  const { match, group, order } = attributes as RuleAttributes;
  const ports = match.ports === 'all' ? '' : ` ${match.ports}`;
  const what = match.protocol === 'all' ? 'all' : `${match.protocol}${ports}`;
  const peers = match.peers.map(bare).join(', ');
  const own = (group === undefined ? (match.targets ?? []) : [group]).map(bare).join(', ') || 'everyone';
  const way = match.direction === 'ingress' ? `from ${peers} to ${own}` : `from ${own} to ${peers}`;
  const rank = order === undefined ? '' : `, priority ${order.priority}${order.disabled ? ', disabled' : ''}`;
  return `${match.action === 'deny' ? 'deny ' : ''}${match.direction} ${what} ${way}${rank}`;
}

/** A group by its name, whether it is an object or a tag. */
const bare = (peer: string): string => short(peer.replace(/^(?:group|tag):/, ''));

/** An address by its kind and name; anything else as it is. */
function short(value: unknown): string {
  const text = String(value);
  const kind = (['network', 'subnet', 'group', 'firewall-rule', 'instance'] as const).find((one) =>
    text.includes(`/${one}/`),
  );
  return kind === undefined ? text : nameIn(text, kind);
}
