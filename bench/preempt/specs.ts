/** One network, one machine many times, and one rule with this port. */
export function specsOf(
  endpoint: string,
  { machines, port }: { readonly machines: number; readonly port: number },
): string {
  const targets = ['here'];
  const documents = [
    { kind: 'Estate', metadata: { name: 'acme' }, spec: { mode: 'enforce', limits: { creates: machines } } },
    {
      kind: 'Target',
      metadata: { name: 'here' },
      spec: { provider: 'aws', account: '111122223333', region: 'eu-west-1', endpoint, minReady: 0 },
    },
    {
      kind: 'Network',
      metadata: { name: 'core' },
      spec: { targets, cidr: '10.0.0.0/16', subnets: [{ name: 'app', cidr: '10.0.0.0/19' }] },
    },
    {
      kind: 'FirewallRule',
      metadata: { name: 'web' },
      spec: { network: 'core', protocol: 'tcp', ports: [port], group: 'web', peers: { cidrs: ['10.0.0.0/8'] } },
    },
    ...Array.from({ length: Math.ceil(machines / mostReplicas) }, (_, i) => ({
      kind: 'Instance',
      metadata: { name: `web-${String.fromCharCode(97 + i)}` },
      spec: {
        targets,
        network: 'core',
        subnet: 'app',
        groups: ['web'],
        image: 'ami-0abcdef1234567890',
        size: 't3.small',
        replicas: Math.min(mostReplicas, machines - i * mostReplicas),
      },
    })),
  ];
  return documents.map((one) => JSON.stringify({ apiVersion: 'setpoint.dev/v1', ...one })).join('\n---\n');
}

/** Of one document. */
const mostReplicas = 1000;
