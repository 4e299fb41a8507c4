import type { KindRules } from './rules.ts';

export const group: KindRules<'group'> = {
  tier: 2,
  deletionPolicy: 'retain',
  effects: { network: 'blocked', defaultEgress: 'unseen', labels: 'in-place', mark: 'in-place' },
  removable: ['labels'],
  mapRefs: (attributes, to) => ({ ...attributes, network: to(attributes.network) }),
  clash: (wanted, present) => wanted.name === present.name && wanted.attributes.network === present.attributes.network,
};
