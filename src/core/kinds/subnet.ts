import { overlapsCidr, parseCidr } from '../cidr.ts';
import type { KindRules } from './rules.ts';

export const subnet: KindRules<'subnet'> = {
  tier: 1,
  deletionPolicy: 'retain',
  effects: {
    network: 'blocked',
    cidr: 'blocked',
    zone: 'blocked',
    internet: 'in-place',
    filter: 'in-place',
    settings: 'blocked',
    labels: 'in-place',
    mark: 'in-place',
  },
  categories: {
    network: 'network',
    cidr: 'network',
    zone: 'network',
    internet: 'network',
    filter: 'traffic',
    settings: 'network',
    labels: 'labels',
    mark: 'ours',
  },
  removable: ['labels'],
  mapRefs: (attributes, to) => ({ ...attributes, network: to(attributes.network) }),
  clash: ({ attributes: wanted }, { attributes: present, condition }) =>
    wanted.network === present.network &&
    [present.cidr, ...(condition?.furtherBlocks ?? [])].some((block) => overlap(wanted.cidr, block)),
};

function overlap(a: string, b: string): boolean {
  const [one, other] = [parseCidr(a), parseCidr(b)];
  return one !== undefined && other !== undefined && overlapsCidr(one, other);
}
