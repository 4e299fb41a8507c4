import { parseCidr } from '../cidr.ts';
import { compareText } from '../text.ts';
import type { KindRules } from './rules.ts';

/** Blocks of a network or subnet besides its `cidr`, as settings; in the order of their text. */
export function blockSettings(further: readonly string[]): {
  readonly secondaryCidrs: readonly string[];
  readonly ipv6Cidrs: readonly string[];
} {
  const { 4: secondaryCidrs = [], 6: ipv6Cidrs = [] } = Object.groupBy(further, (text) => parseCidr(text)?.family ?? 4);
  return { secondaryCidrs: secondaryCidrs.toSorted(compareText), ipv6Cidrs: ipv6Cidrs.toSorted(compareText) };
}

export const network: KindRules<'network'> = {
  tier: 0,
  deletionPolicy: 'retain',
  effects: {
    cidr: 'blocked',
    internet: 'in-place',
    filter: 'in-place',
    settings: 'blocked',
    labels: 'in-place',
    mark: 'in-place',
  },
  categories: {
    cidr: 'network',
    internet: 'network',
    filter: 'traffic',
    settings: 'network',
    labels: 'labels',
    mark: 'ours',
  },
  removable: ['labels'],
  mapRefs: (attributes) => attributes,
  clash: () => false,
};
