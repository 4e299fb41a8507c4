import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { AuthorizeSecurityGroupIngressCommand, DescribeSecurityGroupsCommand, EC2Client } from '@aws-sdk/client-ec2';
import { commandLine } from './support/in-process.ts';
import { sandboxed } from './support/sandboxed.ts';

const legacy = {
  regions: [
    {
      account: '111122223333',
      region: 'eu-west-1',
      vpcs: [{ key: 'legacy', cidr: '10.99.0.0/16', tags: { Name: 'legacy' } }],
    },
  ],
};

const policy = `apiVersion: setpoint.dev/v1
kind: Policy
metadata: { name: open, owner: team-security }
spec:
  kinds: [firewall-rule]
  mode: enforce
  rules:
    - name: ssh
      deny: resource.fromAnyone && resource.opens(22)
      message: Let in only the bastion.
`;

test('inventory --violations: existing objects that break a policy, of any author', async () => {
  const run = commandLine();
  const place = await sandboxed({ estate: legacy });
  writeFileSync(join(place.specs, 'policy.yaml'), policy);
  assert.equal((await run(['apply', place.specs, '--allow-endpoint', '--yes'])).code, 0);
  const ec2 = new EC2Client({ region: 'eu-west-1', endpoint: place.sandbox.url });
  const { SecurityGroups: groups = [] } = await ec2.send(new DescribeSecurityGroupsCommand({}));
  const open = async (GroupId: string, port: number): Promise<void> => {
    const IpPermissions = [{ IpProtocol: 'tcp', FromPort: port, ToPort: port, IpRanges: [{ CidrIp: '0.0.0.0/0' }] }];
    await ec2.send(new AuthorizeSecurityGroupIngressCommand({ GroupId, IpPermissions }));
  };
  const nobodys = groups.find(({ Tags = [] }) => Tags.length === 0)?.GroupId ?? '';
  await open(nobodys, 22);
  await open(nobodys, 443);

  const looked = await run(['inventory', place.specs, '--refresh', '--violations', '--allow-endpoint']);
  assert.equal(looked.code, 0, looked.stderr);
  assert.match(looked.stdout, /^Inventory: 1 object in 1 scope · 1 unmanaged\n/m);
  assert.match(
    looked.stdout,
    /firewall-rule .* Unmanaged +unmanaged +breaks open\/ssh · .* {2}sg-\w+\/ingress\/tcp\/22\/0\.0\.0\.0\/0\n/,
  );

  const { stdout } = await run(['inventory', place.specs, '--violations', '--json']);
  const [object] = JSON.parse(stdout).scopes[0].objects;
  assert.deepEqual(object.violations, [
    { policy: 'open', rule: 'ssh', effect: 'deny', mode: 'enforce', message: 'Let in only the bastion.' },
  ]);
  const { rows } = run.database.connect();
  const asked = { seen: [{}], sort: { by: 'address', descending: false }, limit: 9 } as const;
  const { rows: kept } = await rows.page({ ...asked, filter: { violates: ['open'] } });
  assert.deepEqual(
    kept.map(({ called, violations }) => [called.id, violations?.map(({ rule }) => rule)]),
    [[object.id, ['ssh']]],
  );

  const status = await run(['status', place.specs]);
  assert.match(status.stdout.split('\n')[0] ?? '', / · 1 resource violates policies( ·|$)/);
  assert.match(
    status.stdout,
    /\nViolations of policies\n {2}enforced: 1 denied by open\n {4}setpoint inventory --violations \S+ --allow-endpoint\n/,
  );
  assert.deepEqual(JSON.parse((await run(['status', place.specs, '--json'])).stdout).violations, {
    resources: 1,
    policies: [{ policy: 'open', effect: 'deny', mode: 'enforce', count: 1 }],
  });
});
