import { tmpdir } from 'node:os';
import { type Ran, run } from './child.ts';
import { credentials } from './colleague.ts';
import { region } from './life-specs.ts';

/** A second colleague, at a prompt: Amazon's command line, where the machine has one that works. */
export interface AwsCli {
  ec2(...args: readonly string[]): Promise<unknown>;
}

export async function awsCliAt(endpoint: string): Promise<AwsCli | undefined> {
  const aws = (args: readonly string[]): Promise<Ran> =>
    run('aws', ['--endpoint-url', endpoint, '--output', 'json', ...args], { cwd: tmpdir(), env, timeoutMs: 60_000 });
  const version = await aws(['--version']).catch(() => undefined);
  if (version?.code !== 0) return undefined;
  return {
    ec2: async (...args) => {
      const { code, stdout, stderr } = await aws(['ec2', ...args]);
      if (code !== 0) throw new Error(`aws ec2 ${args.join(' ')}: exit ${code}\n${stderr}`);
      return stdout.trim() === '' ? undefined : JSON.parse(stdout);
    },
  };
}

const env: NodeJS.ProcessEnv = {
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  AWS_ACCESS_KEY_ID: credentials.accessKeyId,
  AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  AWS_DEFAULT_REGION: region,
  AWS_CONFIG_FILE: '/dev/null',
  AWS_EC2_METADATA_DISABLED: 'true',
};
