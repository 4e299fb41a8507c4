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
  /** `$m`: the tool of `makers` that `value` caught. */
  readonly maker: string;
  readonly source: string;
}

/** Tools as they are spelled, by the words of `value` in small letters. */
const makers: Readonly<Record<string, string>> = {
  terraform: 'Terraform',
  opentofu: 'OpenTofu',
  pulumi: 'Pulumi',
  ansible: 'Ansible',
  cdk: 'AWS CDK',
  crossplane: 'Crossplane',
  cloudformation: 'CloudFormation',
};

const byTag: readonly Row[] = [
  {
    tag: /^aws:autoscaling:groupName$/,
    why: 'service-child',
    detail: 'launched by Auto Scaling group $v',
    maker: 'Auto Scaling',
    source: 'https://docs.aws.amazon.com/autoscaling/ec2/userguide/ec2-auto-scaling-tagging.html',
  },
  {
    tag: /^aws:(?:ec2:fleet-id|ec2spot:fleet-request-id)$/,
    why: 'service-child',
    detail: 'launched by fleet $v',
    maker: 'EC2 Fleet',
    source: 'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/EC2-Fleet.html',
  },
  {
    tag: /^(?:aws:)?eks:cluster-name$/,
    why: 'service-child',
    detail: 'made by EKS for cluster $v',
    maker: 'EKS',
    source: 'https://docs.aws.amazon.com/eks/latest/userguide/eks-using-tags.html',
  },
  {
    tag: /^kubernetes\.io\/cluster\/(.+)$/,
    why: 'service-child',
    detail: 'belongs to Kubernetes cluster $1',
    maker: 'Kubernetes',
    source: 'https://cloud-provider-aws.sigs.k8s.io/prerequisites/',
  },
  {
    tag: /^(?:elbv2|service)\.k8s\.aws\/(?:cluster|resource|stack)$/,
    why: 'service-child',
    detail: 'made by the AWS Load Balancer Controller ($v)',
    maker: 'AWS Load Balancer Controller',
    source: 'https://kubernetes-sigs.github.io/aws-load-balancer-controller/',
  },
  {
    tag: /^karpenter\.sh\/nodepool$/,
    why: 'service-child',
    detail: 'launched by Karpenter node pool $v',
    maker: 'Karpenter',
    source: 'https://karpenter.sh/docs/concepts/nodeclasses/',
  },
  {
    tag: /^elasticbeanstalk:environment-name$/,
    why: 'service-child',
    detail: 'made by Elastic Beanstalk for environment $v',
    maker: 'Elastic Beanstalk',
    source: 'https://docs.aws.amazon.com/elasticbeanstalk/latest/dg/applications-tagging-resources.html',
  },
  {
    tag: /^aws:elasticmapreduce:job-flow-id$/,
    why: 'service-child',
    detail: 'launched by EMR cluster $v',
    maker: 'EMR',
    source: 'https://docs.aws.amazon.com/emr/latest/ManagementGuide/emr-plan-tags.html',
  },
  {
    tag: /^aws:cloudformation:stack-name$/,
    why: 'other-tool',
    detail: 'made by CloudFormation stack $v',
    maker: 'CloudFormation',
    source: 'https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-properties-resource-tags.html',
  },
  {
    tag: /^aws:cloudformation:logical-id$/,
    why: 'other-tool',
    detail: 'made by CloudFormation as $v',
    maker: 'CloudFormation',
    source: 'https://docs.aws.amazon.com/AWSCloudFormation/latest/UserGuide/aws-properties-resource-tags.html',
  },
  {
    tag: /^pulumi:project$/,
    why: 'other-tool',
    detail: 'made by Pulumi project $v',
    maker: 'Pulumi',
    source: 'https://www.pulumi.com/registry/packages/aws/how-to-guides/aws-tags/',
  },
  {
    tag: /^(?:managed[-_ ]?by|provisioner|created[-_ ]?by)$/i,
    value: /terraform|opentofu|pulumi|ansible|cdk|crossplane|cloudformation/i,
    why: 'other-tool',
    detail: 'tagged as managed by $v',
    maker: '$m',
    source: 'https://docs.aws.amazon.com/whitepapers/latest/tagging-best-practices/tagging-best-practices.html',
  },
  {
    tag: /^terraform$/i,
    value: /^(?:true|yes|1)$/i,
    why: 'other-tool',
    detail: 'tagged as managed by Terraform',
    maker: 'Terraform',
    source: 'https://registry.terraform.io/providers/hashicorp/aws/latest/docs/guides/resource-tagging',
  },
];

/** Names and descriptions that services and consoles give to the security groups they make. `$1` is what `text` caught. */
const byText: readonly {
  readonly on: 'name' | 'description';
  readonly text: RegExp;
  readonly why: Origin['why'];
  readonly detail: string;
  readonly maker: string;
  readonly source: string;
}[] = [
  {
    on: 'description',
    text: /^ELB created security group/,
    why: 'service-child',
    detail: 'made by Elastic Load Balancing',
    maker: 'Elastic Load Balancing',
    source: 'https://docs.aws.amazon.com/elasticloadbalancing/latest/classic/elb-security-groups.html',
  },
  {
    on: 'description',
    text: /^EKS created security group/,
    why: 'service-child',
    detail: 'made by EKS',
    maker: 'EKS',
    source: 'https://docs.aws.amazon.com/eks/latest/userguide/sec-group-reqs.html',
  },
  {
    on: 'description',
    text: /^Security group for Kubernetes ELB/,
    why: 'service-child',
    detail: 'made by a Kubernetes load balancer',
    maker: 'Kubernetes',
    source: 'https://cloud-provider-aws.sigs.k8s.io/',
  },
  {
    on: 'description',
    text: /^(?:Master|Slave|Service access) group for Elastic MapReduce/,
    why: 'service-child',
    detail: 'made by EMR',
    maker: 'EMR',
    source: 'https://docs.aws.amazon.com/emr/latest/ManagementGuide/emr-man-sec-groups.html',
  },
  {
    on: 'description',
    text: /^AWS created security group for d-/,
    why: 'service-child',
    detail: 'made by Directory Service',
    maker: 'Directory Service',
    source: 'https://docs.aws.amazon.com/directoryservice/latest/admin-guide/ms_ad_getting_started.html',
  },
  {
    on: 'name',
    text: /^(d-[0-9a-f]{8,63})_(?:controllers|workspacesMembers)$/,
    why: 'service-child',
    detail: 'made by WorkSpaces for directory $1',
    maker: 'WorkSpaces',
    source: 'https://docs.aws.amazon.com/workspaces/latest/adminguide/amazon-workspaces-security-groups.html',
  },
  {
    on: 'description',
    text: /^Security Group for Amazon MWAA Environment (.+)$/,
    why: 'service-child',
    detail: 'made by MWAA for environment $1',
    maker: 'MWAA',
    source: 'https://docs.aws.amazon.com/mwaa/latest/userguide/create-environment.html',
  },
  {
    on: 'description',
    text: /^Created (?:from|by) (?:the )?RDS Management Console/i,
    why: 'other-tool',
    detail: 'made by the RDS console',
    maker: 'RDS console',
    source: 'https://docs.aws.amazon.com/AmazonRDS/latest/UserGuide/USER_CreateDBInstance.html',
  },
  {
    on: 'description',
    text: /^launch-wizard(?:-\d+)? created /,
    why: 'other-tool',
    detail: "made by the EC2 console's launch wizard",
    maker: 'EC2 console',
    source: 'https://docs.aws.amazon.com/AWSEC2/latest/UserGuide/ec2-launch-instance-wizard.html',
  },
  {
    on: 'description',
    text: /^AutoScaling-Security-Group-\d+ \(/,
    why: 'other-tool',
    detail: "made by the Auto Scaling console's launch configuration wizard",
    maker: 'Auto Scaling console',
    source: 'https://docs.aws.amazon.com/autoscaling/ec2/userguide/create-launch-config.html',
  },
  {
    on: 'description',
    text: /^This security group was generated by AWS Marketplace.* recommended settings for (.+?)(?: provided by .*)?$/,
    why: 'other-tool',
    detail: 'made by AWS Marketplace for $1',
    maker: 'AWS Marketplace',
    source: 'https://docs.aws.amazon.com/marketplace/latest/buyerguide/buyer-launch-ami-products.html',
  },
  {
    on: 'description',
    text: /^Managed by Terraform$/,
    why: 'other-tool',
    detail: 'made by Terraform',
    maker: 'Terraform',
    source: 'https://registry.terraform.io/providers/hashicorp/aws/latest/docs/resources/security_group#description-1',
  },
  {
    on: 'name',
    text: /^terraform-\d{26}$/,
    why: 'other-tool',
    detail: 'named by Terraform',
    maker: 'Terraform',
    source: 'https://github.com/hashicorp/terraform-plugin-sdk/blob/main/helper/id/id.go',
  },
];

/** Texts of people or services on a security group; empty for other objects. */
export interface Texts {
  readonly name: string;
  readonly description: string;
}

/** Undefined: nothing on it says where it came from. */
export function originOf(tags: readonly Tag[] | undefined, texts?: Texts): Origin | undefined {
  for (const row of byTag) {
    for (const { Key = '', Value = '' } of tags ?? []) {
      const match = row.tag.exec(Key);
      const tool = row.value?.exec(Value)?.[0].toLowerCase();
      if (!match || (row.value && tool === undefined)) continue;
      return {
        why: row.why,
        detail: row.detail.replace('$1', () => match[1] ?? '').replace('$v', () => Value),
        maker: row.maker.replace('$m', () => makers[tool ?? ''] ?? ''),
      };
    }
  }
  for (const { on, text, why, detail, maker } of texts ? byText : []) {
    const match = text.exec(texts?.[on] ?? '');
    if (match) return { why, detail: detail.replace('$1', () => match[1] ?? ''), maker };
  }
  return undefined;
}
