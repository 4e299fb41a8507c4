import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { groupOrigin } from '../../../providers/aws/group.ts';
import { markTags } from '../../../providers/aws/marks.ts';
import { originOf } from '../../../providers/aws/origin.ts';
import { tagList } from '../../../providers/aws/tags.ts';

describe('why an object is there that no estate made', () => {
  const rows: readonly (readonly [Readonly<Record<string, string>>, string | undefined])[] = [
    [{ 'aws:autoscaling:groupName': 'web' }, 'service-child: launched by Auto Scaling group web'],
    [{ 'aws:ec2:fleet-id': 'fleet-1' }, 'service-child: launched by fleet fleet-1'],
    [{ 'aws:eks:cluster-name': 'prod' }, 'service-child: made by EKS for cluster prod'],
    [{ 'kubernetes.io/cluster/prod': 'owned' }, 'service-child: belongs to Kubernetes cluster prod'],
    [{ 'elbv2.k8s.aws/cluster': 'prod' }, 'service-child: made by the AWS Load Balancer Controller (prod)'],
    [{ 'karpenter.sh/nodepool': 'default' }, 'service-child: launched by Karpenter node pool default'],
    [{ 'elasticbeanstalk:environment-name': 'e' }, 'service-child: made by Elastic Beanstalk for environment e'],
    [{ 'aws:elasticmapreduce:job-flow-id': 'j-1' }, 'service-child: launched by EMR cluster j-1'],
    [{ 'aws:cloudformation:stack-name': 's' }, 'other-tool: made by CloudFormation stack s'],
    [{ 'pulumi:project': 'p' }, 'other-tool: made by Pulumi project p'],
    [{ ManagedBy: 'Terraform' }, 'other-tool: tagged as managed by Terraform'],
    [{ 'managed-by': 'ansible' }, 'other-tool: tagged as managed by ansible'],
    [{ Terraform: 'true' }, 'other-tool: tagged as managed by Terraform'],
    [{ Terraform: 'false' }, undefined],
    [{ ManagedBy: 'team-net' }, undefined],
    [{ team: 'net' }, undefined],
  ];
  for (const [tags, want] of rows) {
    test(`${JSON.stringify(tags)}: ${want ?? 'nothing says so'}`, () => {
      const origin = originOf(tagList(tags));
      assert.equal(origin && `${origin.why}: ${origin.detail}`, want);
    });
  }
});

describe('why a security group is there', () => {
  test('every VPC has one called default', () =>
    assert.equal(groupOrigin({ GroupName: 'default', VpcId: 'vpc-1' })?.detail, 'default security group of vpc-1'));
  const descriptions: readonly (readonly [string, string | undefined])[] = [
    ['ELB created security group used when no security group is specified', 'made by Elastic Load Balancing'],
    ['EKS created security group applied to ENI', 'made by EKS'],
    ['Security group for Kubernetes ELB a1', 'made by a Kubernetes load balancer'],
    ['Slave group for Elastic MapReduce', 'made by EMR'],
    ['AWS created security group for d-906 directory controllers', 'made by Directory Service'],
    ['launch-wizard-3 created 2026-01-01T00:00:00.000Z', "made by the EC2 console's launch wizard"],
    ['office', undefined],
  ];
  for (const [Description, want] of descriptions) {
    test(`${Description}: ${want ?? 'nothing says so'}`, () =>
      assert.equal(groupOrigin({ GroupName: 'g', Description })?.detail, want));
  }
  test('one of ours has no other origin', () => {
    const Tags = tagList({ ...markTags({ estate: 'acme', store: 's', address: 'a' }), ManagedBy: 'terraform' });
    assert.equal(groupOrigin({ GroupName: 'g', Tags }), undefined);
  });
});
