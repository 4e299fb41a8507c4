import type { MapEdge, MapNode } from '../api.d.ts';
import { servicesText } from '../services.ts';

/** `22/tcp`, `perhaps 443/tcp`. */
export function trafficText({ open, maybe }: Pick<MapEdge, 'open' | 'maybe'>): string {
  return [
    ...(open.length === 0 ? [] : [servicesText(open)]),
    ...(maybe.length === 0 ? [] : [`perhaps ${servicesText(maybe)}`]),
  ].join('; ');
}

const longest = 26;

/** For the drawing, where there is little room. */
export const shortTraffic = (edge: MapEdge): string => {
  const text = trafficText(edge);
  return text.length <= longest ? text : `${text.slice(0, longest - 1)}…`;
};

export const edgeId = ({ from, to }: Pick<MapEdge, 'from' | 'to'>): string => `${from} > ${to}`;

const nouns: Readonly<Record<MapNode['kind'], string>> = {
  internet: 'Internet',
  block: 'Block of addresses',
  scope: 'Scope',
  network: 'Network',
  subnet: 'Subnet',
  group: 'Instances with the same rules',
  instance: 'Instance',
  rest: 'Others',
};

export const kindText = ({ kind }: Pick<MapNode, 'kind'>): string => nouns[kind];

export const instancesText = (count: number): string => (count === 1 ? '1 instance' : `${count} instances`);

/** `2 exposed, 1 drifted`; '' where all is well. */
export function troubleText({ counts }: Pick<MapNode, 'counts'>): string {
  const parts = [
    [counts.exposed, 'exposed'],
    [counts.violating, 'violating'],
    [counts.drifted, 'drifted'],
    [counts.failed, 'failed'],
    [counts.maybeExposed, 'perhaps exposed'],
  ] as const;
  return parts.flatMap(([count, word]) => (count === 0 ? [] : [`${count} ${word}`])).join(', ');
}

type Tone = 'wrong' | 'attention' | 'quiet';

export function nodeTone({ counts, unknown }: Pick<MapNode, 'counts' | 'unknown'>): Tone | undefined {
  if (counts.exposed + counts.failed > 0) return 'wrong';
  if (counts.violating + counts.drifted > 0) return 'attention';
  return counts.maybeExposed + unknown.length > 0 ? 'quiet' : undefined;
}

/** The name of a class: from the internet, against a policy, uncertain, or usual. */
export function edgeLook({ answer, fromInternet, rules }: MapEdge): string {
  const certain = answer === 'yes' ? 'is-certain' : 'is-uncertain';
  if (rules.some(({ violates }) => violates)) return `${certain} is-violating`;
  return fromInternet ? `${certain} is-exposing` : certain;
}
