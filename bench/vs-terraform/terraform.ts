import { join } from 'node:path';
import { runToEnd } from '../process/measured.ts';
import { inScratch, writeFiles } from '../process/scratch.ts';
import type { CountingProxy } from './counting-proxy.ts';
import { motoPlace } from './moto.ts';

/** What it takes Terraform. */
export interface Peer {
  readonly createCalls: number;
  readonly planCalls: number;
  readonly planMs: number;
  readonly planPeakMB: number;
}

/** Terraform 1.11.4 with its AWS provider on moto, 502 resources, measured on two cores. */
export const recorded: Peer = { createCalls: 3062, planCalls: 2308, planMs: 22_800, planPeakMB: 513 };

/**
 * The same through the Terraform of this machine; undefined where there is none, or it cannot get its AWS provider. Its
 * memory is that of two programs, so the recorded figure stands for it.
 */
export function measureTerraform(
  proxy: CountingProxy,
  own: NodeJS.ProcessEnv = process.env,
): Promise<Peer | undefined> {
  return inScratch(async (cwd) => {
    await writeFiles(cwd, [{ path: 'main.tf', text: configuration(proxy.url) }]);
    const env = { ...own, TF_IN_AUTOMATION: '1', CHECKPOINT_DISABLE: '1', AWS_EC2_METADATA_DISABLED: 'true' };
    const terraform = (...args: readonly string[]) =>
      runToEnd({ program: 'terraform', args: [...args, '-no-color', '-input=false'], cwd, env });
    const init = await terraform('init').catch(() => undefined);
    if (init?.code !== 0) return undefined;
    proxy.take();
    const created = await terraform('apply', '-auto-approve');
    const createCalls = sum(proxy.take());
    const planned = await terraform('plan', '-detailed-exitcode');
    const planCalls = sum(proxy.take());
    if (created.code !== 0 || planned.code !== 0)
      throw new Error(`terraform in ${join(cwd, 'main.tf')}: ${created.stderr} ${planned.stderr}`);
    return { ...recorded, createCalls, planCalls, planMs: planned.ms };
  });
}

export const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((all, some) => all + some, 0);

/** The estate of `vs-terraform.ts`, in its words. */
const configuration = (url: string): string => `
terraform {
  required_providers {
    aws = { source = "hashicorp/aws" }
  }
}
provider "aws" {
  region                      = "${motoPlace.region}"
  access_key                  = "test"
  secret_key                  = "test"
  skip_credentials_validation = true
  skip_metadata_api_check     = true
  endpoints {
    ec2 = "${url}"
    sts = "${url}"
    iam = "${url}"
  }
}
resource "aws_vpc" "net" {
  cidr_block = "10.0.0.0/16"
  tags       = { Name = "net-0", team = "platform" }
}
resource "aws_subnet" "s" {
  vpc_id     = aws_vpc.net.id
  cidr_block = "10.0.0.0/24"
  tags       = { Name = "net-0.s0", team = "platform" }
}
resource "aws_security_group" "g" {
  count  = 50
  name   = "net-0-g\${count.index}"
  vpc_id = aws_vpc.net.id
}
resource "aws_vpc_security_group_ingress_rule" "r" {
  count             = 250
  security_group_id = aws_security_group.g[floor(count.index / 5)].id
  ip_protocol       = "tcp"
  from_port         = 8000 + count.index % 5
  to_port           = 8000 + count.index % 5
  cidr_ipv4         = "192.168.\${count.index % 5}.0/24"
  description       = "port \${8000 + count.index % 5}"
}
resource "aws_instance" "web" {
  count                  = 200
  ami                    = "${motoPlace.image}"
  instance_type          = "t3.small"
  subnet_id              = aws_subnet.s.id
  vpc_security_group_ids = [aws_security_group.g[floor(count.index / 4)].id]
  tags                   = { Name = "web-0-\${floor(count.index / 4)}", tier = "web" }
}
`;
