import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** Terraform of this machine, with no settings of a person and no word to its makers. Rejects where it fails. */
export async function runTerraform(args: readonly string[], cwd: string): Promise<string> {
  const env = { ...process.env, TF_CLI_CONFIG_FILE: '/dev/null', TF_IN_AUTOMATION: '1', CHECKPOINT_DISABLE: '1' };
  const { stdout } = await promisify(execFile)('terraform', [...args, '-no-color'], { cwd, env });
  return stdout;
}

export const hasTerraform = (): Promise<boolean> =>
  runTerraform(['version'], '/').then(
    () => true,
    () => false,
  );
