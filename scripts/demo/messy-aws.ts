const account = '111122223333';
const region = 'eu-west-1';

const anywhere = ['0.0.0.0/0'];
const rule = (ports: string, peers: readonly string[], description = ''): object => ({
  protocol: 'tcp',
  ports,
  peers,
  ...(description === '' ? {} : { description }),
});

/**
 * Existing resources of the account before the demo: a default VPC and the leavings of four other ways to make things. In the
 * form of `sandbox/ec2/estate-form.ts`.
 */
export const messyAws = {
  cloud: 'aws',
  regions: [
    {
      account,
      region,
      defaultVpc: true,
      vpcs: [
        {
          key: 'legacy',
          cidr: '10.99.0.0/16',
          tags: { Name: 'legacy', ManagedBy: 'terraform' },
          gateway: { tags: { Name: 'legacy' } },
          subnets: [
            { key: 'legacy-a', cidr: '10.99.1.0/24', zone: 'a', tags: { Name: 'legacy-a', ManagedBy: 'terraform' } },
            { key: 'legacy-b', cidr: '10.99.2.0/24', zone: 'b', tags: { Name: 'legacy-b', ManagedBy: 'terraform' } },
            { key: 'nodes', cidr: '10.99.3.0/24', zone: 'c', tags: { Name: 'eks-nodes' } },
          ],
          groups: [
            {
              key: 'shop',
              name: 'shop',
              description: 'shop frontends',
              tags: { ManagedBy: 'terraform' },
              ingress: [rule('80', anywhere), rule('443', anywhere), rule('22', ['198.51.100.0/24'], 'old office')],
            },
            {
              key: 'shop-db',
              name: 'shop-db',
              description: 'shop database',
              tags: { ManagedBy: 'terraform' },
              ingress: [rule('3306', ['shop'])],
            },
            {
              key: 'wizard',
              name: 'launch-wizard-1',
              description: 'launch-wizard-1 created 2024-02-11T09:12:00.000Z',
              ingress: [rule('22', anywhere), rule('3389', anywhere)],
            },
            {
              key: 'elb',
              name: 'k8s-elb-a1b2',
              description: 'Security group for Kubernetes ELB a1b2 (shop/frontend)',
              tags: { 'kubernetes.io/cluster/shop': 'owned' },
              ingress: [rule('443', anywhere)],
            },
          ],
        },
      ],
      instances: [
        ...machines('shop', 4, { subnet: 'legacy-a', groups: ['shop'], tags: { ManagedBy: 'terraform' } }),
        ...machines('shop-db', 2, { subnet: 'legacy-b', groups: ['shop-db'], tags: { ManagedBy: 'terraform' } }),
        ...machines('eks', 3, { subnet: 'nodes', groups: ['elb'], tags: { 'kubernetes.io/cluster/shop': 'owned' } }),
        ...machines('batch', 2, {
          subnet: 'legacy-b',
          groups: ['shop'],
          tags: { 'aws:autoscaling:groupName': 'batch-workers' },
        }),
        ...machines('toms-test', 1, { subnet: 'legacy-a', groups: ['wizard'], tags: {} }),
      ],
    },
  ],
} as const;

interface Like {
  readonly subnet: string;
  readonly groups: readonly string[];
  readonly tags: Readonly<Record<string, string>>;
}

function machines(name: string, count: number, { subnet, groups, tags }: Like): readonly object[] {
  return Array.from({ length: count }, (_, i) => ({
    subnet,
    groups,
    size: 't3.small',
    tags: { Name: count === 1 ? name : `${name}-${i}`, ...tags },
  }));
}
