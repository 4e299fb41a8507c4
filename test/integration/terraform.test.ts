import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { startSandbox } from '../../sandbox/index.ts';
import { temporaryFolder } from '../cli/support/temporary-folder.ts';

const run = promisify(execFile);

/** Folders in which Terraform looks for providers without a network, and the one that a person names. */
const mirrors = [
  process.env['SETPOINT_TERRAFORM_PLUGINS'],
  join(homedir(), '.terraform.d/plugins'),
  '/usr/local/share/terraform/plugins',
  '/usr/share/terraform/plugins',
].filter((folder) => folder !== undefined);

/** The folder of the AWS provider on this machine, or a reason to skip if Terraform or its provider is missing. */
async function pluginFolder(): Promise<{ readonly folder: string } | { readonly missing: string }> {
  const version = await run('terraform', ['version']).catch(() => undefined);
  if (version === undefined) return { missing: 'terraform is not installed' };
  const folder = mirrors.find((one) => existsSync(join(one, 'registry.terraform.io/hashicorp/aws')));
  if (folder !== undefined) return { folder };
  return { missing: `no AWS provider in ${mirrors.join(', ')}; name a folder with SETPOINT_TERRAFORM_PLUGINS` };
}

const configuration = (url: string): string => `terraform {
  required_providers { 
    aws = { source = "hashicorp/aws" }
  }
}
provider "aws" {
  region = "eu-west-1"
  access_key = "test"
  secret_key = "test"
  skip_credentials_validation = true
  skip_metadata_api_check = true
  endpoints {
    ec2 = "${url}"
    sts = "${url}"
    iam = "${url}"
  }
}
resource "aws_vpc" "net" {
  cidr_block = "10.0.0.0/16"
  tags = { Name = "net" }
}
resource "aws_subnet" "s" {
  vpc_id = aws_vpc.net.id
  cidr_block = "10.0.0.0/24"
  tags = { Name = "s" }
}
resource "aws_security_group" "g" {
  name = "g"
  vpc_id = aws_vpc.net.id
}
resource "aws_security_group" "peer" {
  name = "peer"
  vpc_id = aws_vpc.net.id
}
resource "aws_vpc_security_group_ingress_rule" "r" {
  security_group_id = aws_security_group.g.id
  ip_protocol = "tcp"
  from_port = 443
  to_port = 443
  cidr_ipv4 = "192.168.0.0/24"
  description = "https"
}
resource "aws_vpc_security_group_egress_rule" "e" {
  security_group_id = aws_security_group.g.id
  ip_protocol = "-1"
  referenced_security_group_id = aws_security_group.peer.id
}
resource "aws_instance" "web" {
  ami = "ami-0abc0abc0abc0abc0"
  instance_type = "t3.small"
  subnet_id = aws_subnet.s.id
  vpc_security_group_ids = [aws_security_group.g.id]
  tags = { Name = "web" }
  credit_specification { cpu_credits = "standard" }
}
`;

test('Terraform applies a network, groups, rules and a machine on the sandbox, finds nothing to change, and removes all', async (t) => {
  const found = await pluginFolder();
  if ('missing' in found) {
    t.diagnostic(`SKIPPED: ${found.missing}`);
    return t.skip(found.missing);
  }
  const sandbox = await startSandbox({
    budgets: false,
    clock: { rate: 100 },
    accounts: [{ id: '111122223333', accessKeyIds: ['test'] }],
  });
  after(() => sandbox.close());
  const cwd = temporaryFolder({ 'main.tf': configuration(sandbox.url) });
  const env = { ...process.env, TF_IN_AUTOMATION: '1', CHECKPOINT_DISABLE: '1', AWS_EC2_METADATA_DISABLED: 'true' };
  const terraform = (...args: readonly string[]) =>
    run('terraform', [...args, '-no-color', '-input=false'], { cwd, env });
  await terraform('init', `-plugin-dir=${found.folder}`);
  assert.match((await terraform('apply', '-auto-approve')).stdout, /7 added/);
  const { instances } = sandbox.control.ec2.region('111122223333', 'eu-west-1');
  assert.deepEqual(
    [...instances.values()].map(({ settings }) => settings.credits),
    ['standard'],
  );
  await terraform('plan', '-detailed-exitcode');
  assert.match((await terraform('destroy', '-auto-approve')).stdout, /7 destroyed/);
  assert.deepEqual(
    sandbox.control.log.entries().filter(({ errorCode }) => errorCode?.startsWith('Unknown')),
    [],
  );
});
