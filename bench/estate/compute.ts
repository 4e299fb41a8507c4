/** The size of a project: each network has so many subnetworks, firewalls, and machines in its first subnetwork. */
export interface ProjectShape {
  readonly networks: number;
  /** At most 256, as each is a /24 of its network's /16. */
  readonly subnetworks: number;
  readonly firewalls: number;
  /** At most 252, as many as a /24 has addresses. */
  readonly machines: number;
}

const region = 'europe-west1';
const zones = ['europe-west1-b', 'europe-west1-c', 'europe-west1-d'];

/** An estate that a sandbox loads (`sandbox/compute/estate.ts`). */
export const computeEstate = (project: string, shape: ProjectShape): object => ({
  projects: [
    {
      project,
      networks: list(shape.networks, (n) => ({
        name: `net-${n}`,
        subnetworks: list(shape.subnetworks, (s) => ({ name: `net-${n}-s${s}`, region, cidr: `10.${n}.${s}.0/24` })),
        firewalls: list(shape.firewalls, (f) => ({
          name: `net-${n}-rule-${f}`,
          allowed: [{ IPProtocol: 'tcp', ports: [`${8000 + f}`] }],
          sourceRanges: [`192.168.${f % 256}.0/24`],
          targetTags: [`net-${n}-g${f % 10}`],
        })),
      })),
      instances: list(shape.networks, (n) => ({
        name: `web-${n}`,
        zone: zones[n % zones.length],
        subnetwork: `net-${n}-s0`,
        count: shape.machines,
        machineType: 'e2-small',
        labels: { tier: 'web' },
        tags: [`net-${n}-g${n % 10}`],
      })),
    },
  ],
});

const list = <T>(length: number, make: (at: number) => T): readonly T[] =>
  Array.from({ length }, (_, index) => make(index));
