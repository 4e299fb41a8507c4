import { parseCidr } from '../../cidr.ts';
import { atomCount, MOST_ATOMS } from '../atom-count.ts';
import type { FirewallRuleDoc } from '../document.ts';
import type { Located } from '../located.ts';
import { targetsOfRule } from '../placement.ts';
import { error, type Problem, warning } from '../problem.ts';
import type { SpecSet } from '../spec-set.ts';

/** Fields of a rule that contradict one another, on every cloud. */
export function* ruleFields(set: SpecSet): Iterable<Problem> {
  for (const rule of set.rules) {
    yield* size(rule);
    yield* portsWithProtocol(set, rule);
    yield* icmpWithProtocol(rule);
    yield* icmpWithFamily(rule);
  }
}

function* size(rule: Located<FirewallRuleDoc>): Iterable<Problem> {
  const count = atomCount(rule.value);
  if (count <= MOST_ATOMS) return;
  const message = `this rule is ${count} rules: each port range with each peer`;
  yield error('too-many-rules', rule.at(['spec', 'peers']), message, { expected: `at most ${MOST_ATOMS}` });
}

/**
 * Clouds accept ports where they mean nothing and drop them, so the rule would be wider than it reads. GCP alone knows those
 * of SCTP: https://cloud.google.com/firewall/docs/firewalls#protocols_and_ports
 */
function* portsWithProtocol(set: SpecSet, rule: Located<FirewallRuleDoc>): Iterable<Problem> {
  const { protocol, ports } = rule.value.spec;
  if (ports === undefined || protocol === 'tcp' || protocol === 'udp') return;
  const at = rule.at(['spec', 'ports']);
  if (protocol === SCTP && targetsOfRule(set, rule.value).every(({ value }) => value.spec.provider === 'gcp')) return;
  if (typeof protocol === 'number') {
    const message = `ports mean nothing to protocol ${protocol}: the rule lets all of it through`;
    yield warning('ports-without-meaning', at, message, { expected: 'no ports' });
  } else {
    const expected = protocol === 'all' ? 'protocol tcp or udp, or no ports' : 'icmp: { type, code } instead of ports';
    yield error('ports-without-meaning', at, `protocol ${protocol} has no ports`, { expected });
  }
}

const SCTP = 132;

function* icmpWithProtocol(rule: Located<FirewallRuleDoc>): Iterable<Problem> {
  const { protocol, icmp } = rule.value.spec;
  if (icmp === undefined || protocol === 'icmp' || protocol === 'icmpv6') return;
  const message = `\`spec.icmp\` means nothing to protocol ${protocol}`;
  yield error('icmp-without-meaning', rule.at(['spec', 'icmp']), message, { expected: 'protocol icmp or icmpv6' });
}

/** Two protocols: the one never travels over the other's addresses. */
function* icmpWithFamily(rule: Located<FirewallRuleDoc>): Iterable<Problem> {
  const { protocol, peers } = rule.value.spec;
  if (protocol !== 'icmp' && protocol !== 'icmpv6') return;
  const family = protocol === 'icmp' ? 4 : 6;
  for (const [index, text] of peers.cidrs.entries()) {
    if (parseCidr(text)?.family === family) continue;
    const other = protocol === 'icmp' ? 'icmpv6' : 'icmp';
    const message = `${protocol} does not travel over IPv${10 - family} (${text})`;
    const expected = `a rule of its own with protocol ${other}`;
    yield error('wrong-family', rule.at(['spec', 'peers', 'cidrs', index]), message, { expected });
  }
}
