import { type Element, readAnswer } from '../../ec2/wire/element.ts';
import { RECORDS } from './record-table.ts';

/** What EC2 answered, as CloudTrail writes it: `items` for a set, `{}` for an empty one, times in milliseconds. */
export function responseElements(action: string, xml: string): object {
  const { inner } = readAnswer(xml);
  if (!RECORDS[action]?.wrapped) return objectOf(inner, { times: true, return: '_return' });
  const xmlns = 'http://ec2.amazonaws.com/doc/2016-11-15/';
  return { [`${action}Response`]: { xmlns, ...objectOf(inner, { times: false, return: 'return' }) } };
}

interface Manner {
  readonly times: boolean;
  readonly return: string;
}

function objectOf(elements: readonly Element[], manner: Manner): object {
  const entries = elements.map((element) => [
    element.name === 'return' ? manner.return : element.name,
    jsonOf(element, manner),
  ]);
  return Object.fromEntries(entries.filter(([, value]) => value !== undefined));
}

function jsonOf({ name, inner, text }: Element, manner: Manner): unknown {
  if (inner.some((each) => each.name === 'item')) return { items: inner.map((item) => itemOf(item, manner)) };
  if (inner.length > 0) return objectOf(inner, manner);
  if (text === '' && name !== 'value') return /(?:Set|Mapping|Egress|s)$/.test(name) ? {} : undefined;
  if (FLAGS.has(name)) return text === 'true';
  if (INTEGERS.has(name) && /^-?\d+$/.test(text)) return Number(text);
  return manner.times && TIMES.has(name) ? Date.parse(text) : text;
}

function itemOf({ inner, text }: Element, manner: Manner): unknown {
  return inner.length > 0 ? objectOf(inner, manner) : text;
}

const FLAGS: ReadonlySet<string> = new Set([
  'assignIpv6AddressOnCreation',
  'defaultForAz',
  'deleteOnTermination',
  'ebsOptimized',
  'enableDns64',
  'enableResourceNameDnsAAAARecord',
  'enableResourceNameDnsARecord',
  'enaSupport',
  'encrypted',
  'ipv6Native',
  'isDefault',
  'isEgress',
  'main',
  'mapCustomerOwnedIpOnLaunch',
  'mapPublicIpOnLaunch',
  'originalMultiAttachEnabled',
  'primary',
  'return',
  'sourceDestCheck',
  'targetMultiAttachEnabled',
]);

const INTEGERS: ReadonlySet<string> = new Set([
  'amiLaunchIndex',
  'availableIpAddressCount',
  'code',
  'deviceIndex',
  'fromPort',
  'httpPutResponseHopLimit',
  'networkCardIndex',
  'originalIops',
  'originalSize',
  'originalThroughput',
  'progress',
  'targetIops',
  'targetSize',
  'targetThroughput',
  'toPort',
]);

const TIMES: ReadonlySet<string> = new Set(['attachTime', 'launchTime']);
