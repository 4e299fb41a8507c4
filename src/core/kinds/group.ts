import type { KindRules } from './rules.ts';

export const group: KindRules<'group'> = {
  tier: 2,
  deletionPolicy: 'retain',
  // why: a cloud fixes the description, and the name, at creation, and a group in use is never made anew
  effects: {
    ...{ network: 'blocked', description: 'blocked', defaultEgress: 'unseen' },
    ...{ labels: 'in-place', mark: 'in-place' },
  },
  categories: {
    ...{ network: 'network', description: 'name', defaultEgress: 'traffic' },
    ...{ labels: 'labels', mark: 'ours' },
  },
  removable: ['labels'],
  mapRefs: (attributes, to) => ({ ...attributes, network: to(attributes.network) }),
  // why: no cloud tells names of groups apart by case: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_CreateSecurityGroup.html
  clash: (wanted, present) =>
    wanted.name.toLowerCase() === present.name.toLowerCase() &&
    wanted.attributes.network === present.attributes.network,
};
