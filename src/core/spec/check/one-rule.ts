import { formatPort } from '../../port-text.ts';
import { atomCount, MOST_ATOMS } from '../atom-count.ts';
import type { FirewallRuleDoc, TargetDoc } from '../document.ts';
import type { Located } from '../located.ts';
import { placeOf, targetsOfRule } from '../placement.ts';
import { error, type Problem, warning } from '../problem.ts';
import type { SpecSet } from '../spec-set.ts';
import { place } from './place.ts';

/**
 * Two rules that are one to the cloud. AWS knows a rule by its content, so two documents may share one, but then must
 * describe it alike (it refuses the second as InvalidPermission.Duplicate). Elsewhere saying everything twice is only
 * superfluous. Ports compare as sets: 80 and 81 is 80-81.
 */
export function* oneRule(set: SpecSet): Iterable<Problem> {
  const seen: Seen = { atoms: new Map(), wholes: new Map() };
  for (const rule of set.rules) {
    if (atomCount(rule.value) > MOST_ATOMS) continue;
    const found = targetsOfRule(set, rule.value).map((target) => compare(seen, rule, target.value));
    const problem = found.find((one) => one?.severity === 'error') ?? found.find((one) => one);
    if (problem) yield problem;
  }
}

/** The first rule that holds an atom, and the first that is made of exactly these atoms. */
interface Seen {
  readonly atoms: Map<string, Rule>;
  readonly wholes: Map<string, Rule>;
}

function compare({ atoms, wholes }: Seen, rule: Rule, target: TargetDoc): Problem | undefined {
  const keys = atomKeys(rule.value, target);
  const all = keys.join('\n');
  const same = wholes.get(all);
  const clash = byContent(target) ? keys.map((key) => atoms.get(key)).find((other) => differs(other, rule)) : undefined;
  wholes.set(all, same ?? rule);
  for (const key of keys) atoms.set(key, atoms.get(key) ?? rule);
  if (clash) return describedTwice(rule, clash);
  return same && same !== rule ? saidTwice(rule, same) : undefined;
}

type Rule = Located<FirewallRuleDoc>;

const byContent = ({ spec }: TargetDoc): boolean => spec.provider === 'aws' || spec.provider === 'memory';

const differs = (other: Rule | undefined, rule: Rule): other is Rule =>
  other !== undefined && other.value.spec.description !== rule.value.spec.description;

function describedTwice(rule: Rule, other: Rule): Problem {
  const at = rule.at(rule.wrote(['spec', 'description']) ? ['spec', 'description'] : ['metadata', 'name']);
  const message = `${rule.value.metadata.name} and ${other.value.metadata.name} (${place(other.at())}) hold the same rule with two descriptions`;
  return error('one-rule', at, message, { expected: 'the same description in both, or one rule' });
}

function saidTwice(rule: Rule, other: Rule): Problem {
  const message = `${rule.value.metadata.name} says the same as ${other.value.metadata.name} (${place(other.at())})`;
  return warning('one-rule', rule.at(['metadata', 'name']), message, { expected: 'one of the two' });
}

/** What the cloud tells rules apart by, sorted. */
function atomKeys({ spec }: FirewallRuleDoc, target: TargetDoc): readonly string[] {
  const { network, group = '', direction, action, protocol, icmp } = spec;
  const fixed = [placeOf(target), network, group, direction, action, protocol].join(' ');
  const order = byContent(target) ? '' : ` ${spec.priority}`;
  const ports = icmp ? [`${icmp.type}/${icmp.code}`] : (spec.ports?.map(formatPort) ?? ['all']);
  const all = ports.flatMap((port) => peersOf(spec, target).map((peer) => `${fixed} ${port} ${peer}${order}`));
  return all.map((key) => key.replace(/ 0-65535 /, ' all ')).toSorted();
}

/** On AWS anyone is everyone by address; elsewhere it is a word of its own (`*` is not 0.0.0.0/0). */
function peersOf({ peers }: FirewallRuleDoc['spec'], target: TargetDoc): readonly string[] {
  const anyone = byContent(target) ? ['0.0.0.0/0', '::/0'] : ['any'];
  return [
    ...(peers.any ? anyone : []),
    ...peers.cidrs,
    ...peers.groups.map((name) => `group:${name}`),
    ...peers.prefixLists,
    ...peers.serviceTags.map((tag) => `tag:${tag.toLowerCase()}`),
  ];
}
