import type { KindRules } from './rules.ts';

export const network: KindRules<'network'> = {
  tier: 0,
  deletionPolicy: 'retain',
  effects: { cidr: 'blocked', internet: 'in-place', filter: 'in-place', labels: 'in-place', mark: 'in-place' },
  removable: ['labels'],
  mapRefs: (attributes) => attributes,
  clash: () => false,
};
