/** Objects in the account that are not ours: the cloud's own, services' children, other tools', and nobody's. */
export const unowned = (account: string, region: string): object => ({
  regions: [
    {
      account,
      region,
      defaultVpc: true,
      vpcs: [
        {
          key: 'legacy',
          cidr: '172.20.0.0/16',
          tags: { Name: 'legacy', terraform: 'true' },
          gateway: {},
          subnets: [
            { key: 'legacy-a', cidr: '172.20.1.0/24', tags: { Name: 'legacy-a' } },
            { key: 'legacy-b', cidr: '172.20.2.0/24', zone: 'b' },
          ],
          routeTables: [{ subnets: ['legacy-a'], routes: [{ to: '0.0.0.0/0', via: 'gateway' }] }],
          groups: [
            {
              key: 'wizard',
              name: 'launch-wizard-1',
              description: 'launch-wizard-1 created 2020-01-01T00:00:00.000Z',
              ingress: [{ protocol: 'tcp', ports: '22', peers: ['0.0.0.0/0'] }],
            },
            { key: 'web', ingress: [{ protocol: 'tcp', ports: '80-443', peers: ['0.0.0.0/0', '::/0', 'wizard'] }] },
          ],
        },
      ],
      instances: [
        { subnet: 'legacy-a', groups: ['wizard'], tags: { Name: 'pet' }, disk: { size: 100, type: 'gp2' } },
        { subnet: 'legacy-b', groups: ['web'], count: 3, tags: { 'aws:autoscaling:groupName': 'fleet' } },
        { subnet: 'legacy-b', groups: ['web'], count: 2, state: 'stopped' },
        { subnet: 'legacy-a', groups: ['web'], count: 2, state: 'terminated' },
      ],
      interfaces: [{ subnet: 'legacy-a', groups: ['web'], description: 'ELB app/x/1', requester: 'amazon-elb' }],
    },
  ],
});
