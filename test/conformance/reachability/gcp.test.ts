import { after } from 'node:test';
import { recorder } from '../../../scripts/demo/recorder.ts';
import { byHand, project } from '../../support/gcp-session.ts';
import { type OuterFilter, outerFilters } from './outer-filters.ts';
import { reachability } from './reachability.ts';
import { serviceAccounts } from './service-accounts.ts';

const record = await recorder('gcp');
after(() => record?.end());

reachability('gcp', record);
serviceAccounts(record);

const rule = (action: string, port: number) => ({
  ...{ priority: port, action, direction: 'INGRESS' },
  match: { layer4Configs: [{ ipProtocol: 'tcp', ports: [`${port}`] }], srcIpRanges: ['0.0.0.0/0'] },
});

const toSql = ['far > db tcp 5432', 'web > db tcp 5432'];
const inward = ['db > far', 'db > web', 'far > db', 'far > web', 'web > db', 'web > far', 'internet > web'];

const policies: readonly OuterFilter[] = [
  {
    name: 'a policy of the organisation denies what the rules allow, and allows what they deny',
    denies: toSql,
    allows: inward.map((way) => `${way} tcp 22`),
    put: async ({ sandbox }) => {
      const policy = {
        parent: 'organizations/1',
        shortName: 'baseline',
        rules: [rule('deny', 5432), rule('allow', 22)],
      };
      sandbox.control.compute.load({ projects: [{ project, policies: [policy] }] });
      return 'hierarchical firewall policy baseline';
    },
  },
  ...(['global', 'regions/europe-west1'] as const).map(
    (place): OuterFilter => ({
      name: `a network firewall policy at ${place} allows what no rule does`,
      denies: [],
      allows: inward.map((way) => `${way} tcp 22`),
      put: async (world, { last }) => {
        const network = last?.observation.resources.find(({ kind, name }) => kind === 'network' && name === 'core');
        const attachmentTarget = network?.id.replace(/#.*/, '');
        await byHand(world, 'POST', `${place}/firewallPolicies`, {
          name: 'edge',
          rules: [rule('allow', 22), rule('deny', 443)],
        });
        await byHand(world, 'POST', `${place}/firewallPolicies/edge/addAssociation`, {
          name: 'here',
          attachmentTarget,
        });
        return 'firewall policy edge';
      },
    }),
  ),
];

outerFilters('gcp', policies, record);
