import type { Origin } from '../../src/core/observed.ts';
import type { Tag } from './tags.ts';

/**
 * Why an object is there that no estate made, by what its maker leaves on it.
 * Tags beginning `aws:` cannot be written by people, https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/Using_Tags.html
 */
interface Row {
  readonly tag: RegExp;
  readonly value?: RegExp;
  readonly why: Origin['why'];
  /** `$1` is what `tag` caught, `$v` the tag's value. */
  readonly detail: string;
  readonly source: string;
}

const byTag: readonly Row[] = [
  {
    tag: /^aws:autoscaling:groupName$/,
    why: 'service-child',
    detail: 'launched by Auto Scaling group $v',
    source: 'https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-tagging.html',
  },
  {
    tag: /^aws:(?:ec2:fleet-id|ec2spot:fleet-request-id)$/,
    why: 'service-child',
    detail: 'launched by fleet $v',
    source: 'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/EC2-Fleet.html',
  },
  {
    tag: /^(?:aws:)?eks:cluster-name$/,
    why: 'service-child',
    detail: 'made by EKS for cluster $v',
    source: 'https://docs.aws.amazon.com/eks/latest/userguide/eks-using-tags.html',
  },
  {
    tag: /^kubernetes\.io\/cluster\/(.+)$/,
    why: 'service-child',
    detail: 'belongs to Kubernetes cluster $1',
    source: 'https://cloud-provider-aws.sigs.k8s.io/prerequisites/',
  },
  {
    tag: /^(?:elbv2|service)\.k8s\.aws\/(?:cluster|resource|stack)$/,
    why: 'service-child',
    detail: 'made by the AWS Load Balancer Controller ($v)',
    source: 'https://kubernetes-sigs.github.io/aws-load-balancer-controller/',
  },
  {
    tag: /^karpenter\.sh\/nodepool$/,
    why: 'service-child',
    detail: 'launched by Karpenter node pool $v',
    source: 'https://karpenter.sh/docs/concepts/nodeclasses/',
  },
  {
    tag: /^elasticbeanstalk:environment-name$/,
    why: 'service-child',
    detail: 'made by Elastic Beanstalk for environment $v',
    source: 'https://docs.aws.amazon.com/elasticbeanstalk/latest/dg/applications-tagging-resources.html',
  },
  {
    tag: /^aws:elasticmapreduce:job-flow-id$/,
    why: 'service-child',
    detail: 'launched by EMR cluster $v',
    source: 'https://docs.aws.amazon.com/emr/latest/ManagementGuide/emr-plan-tags.html',
  },
  {
    tag: /^aws:cloudformation:stack-name$/,
    why: 'other-tool',
    detail: 'made by CloudFormation stack $v',
    source: 'https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-properties-resource-tags.html',
  },
  {
    tag: /^pulumi:project$/,
    why: 'other-tool',
    detail: 'made by Pulumi project $v',
    source: 'https://www.pulumi.com/registry/packages/aws/how-to-guides/aws-tags/',
  },
  {
    tag: /^(?:managed[-_ ]?by|provisioner|created[-_ ]?by)$/i,
    value: /terraform|opentofu|pulumi|ansible|cdk|crossplane|cloudformation/i,
    why: 'other-tool',
    detail: 'tagged as managed by $v',
    source: 'https://docs.aws.amazon.com/whitepapers/latest/tagging-best-practices/tagging-best-practices.html',
  },
  {
    tag: /^terraform$/i,
    value: /^(?:true|yes|1)$/i,
    why: 'other-tool',
    detail: 'tagged as managed by Terraform',
    source: 'https://registry.terraform.io/providers/hashicorp/aws/latest/docs/guides/resource-tagging',
  },
];

/** Descriptions that services give to the security groups they make. */
const byDescription: readonly { readonly text: RegExp; readonly why: Origin['why']; readonly detail: string }[] = [
  // https://docs.aws.amazon.com/elasticloadbalancing/latest/classic/elb-security-groups.html
  { text: /^ELB created security group/, why: 'service-child', detail: 'made by Elastic Load Balancing' },
  // https://docs.aws.amazon.com/eks/latest/userguide/sec-group-reqs.html
  { text: /^EKS created security group/, why: 'service-child', detail: 'made by EKS' },
  // https://cloud-provider-aws.sigs.k8s.io/
  { text: /^Security group for Kubernetes ELB/, why: 'service-child', detail: 'made by a Kubernetes load balancer' },
  // https://docs.aws.amazon.com/emr/latest/ManagementGuide/emr-man-sec-groups.html
  { text: /^(?:Master|Slave|Service access) group for Elastic MapReduce/, why: 'service-child', detail: 'made by EMR' },
  // https://docs.aws.amazon.com/directoryservice/latest/admin-guide/ms_ad_getting_started.html
  { text: /^AWS created security group for d-/, why: 'service-child', detail: 'made by Directory Service' },
  // https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-launch-instance-wizard.html
  { text: /^launch-wizard(?:-\d+)? created /, why: 'other-tool', detail: "made by the EC2 console's launch wizard" },
];

/** Undefined: nothing on it says where it came from. */
export function originOf(tags: readonly Tag[] | undefined, description = ''): Origin | undefined {
  for (const row of byTag) {
    for (const { Key = '', Value = '' } of tags ?? []) {
      const match = row.tag.exec(Key);
      if (!match || (row.value && !row.value.test(Value))) continue;
      return { why: row.why, detail: row.detail.replace('$1', match[1] ?? '').replace('$v', Value) };
    }
  }
  const made = byDescription.find(({ text }) => text.test(description));
  return made && { why: made.why, detail: made.detail };
}
