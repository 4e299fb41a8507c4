import { after } from 'node:test';
import { recorder } from '../../../scripts/demo/recorder.ts';
import { words } from './cloud-words.ts';
import { type OuterFilter, outerFilters } from './outer-filters.ts';
import { reachability } from './reachability.ts';

const record = await recorder('azure');
after(() => record?.end());

reachability('azure', record);

const rule = (name: string, access: string, port: number) => ({
  ...{ name, access, direction: 'Inbound', priority: port, ports: [`${port}`] },
});

const adminRules: OuterFilter = {
  name: 'security admin rules deny what the rules allow, and allow what they deny',
  denies: ['far > db tcp 5432', 'web > db tcp 5432'],
  allows: ['db > far', 'db > web', 'far > db', 'far > web', 'web > db', 'web > far', 'internet > web'].map(
    (way) => `${way} tcp 22`,
  ),
  put: async ({ sandbox }, { last }) => {
    const core = last?.observation.resources.find(({ kind, name }) => kind === 'network' && name === 'core');
    const network = core?.id.replace(/#.*/, '') ?? '';
    const rules = [rule('no-sql', 'Deny', 5432), rule('ssh', 'AlwaysAllow', 22), rule('https', 'Allow', 443)];
    const id = words.azure.where['subscription'];
    sandbox.control.arm.load({ subscriptions: [{ id, adminRules: rules.map((one) => ({ ...one, network })) }] });
    return 'security admin rules no-sql, ssh';
  },
};

outerFilters('azure', [adminRules], record);
