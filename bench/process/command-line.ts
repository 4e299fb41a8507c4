import { fileURLToPath } from 'node:url';

/** The command line, as a user runs it. */
export const program = fileURLToPath(new URL('../../bin/setpoint.mjs', import.meta.url));

/** The sandbox's first account, and one that an emulator lets in too. */
const anyKey = 'AKIDEXAMPLE';

/** Nobody's own database, profile or credentials, and the keys of an account of the sandbox. */
export function environment(accessKeyId = anyKey): NodeJS.ProcessEnv {
  const { DATABASE_URL: _, AWS_PROFILE: __, ...own } = process.env;
  return {
    ...own,
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: 'not-a-secret',
    AWS_EC2_METADATA_DISABLED: 'true',
    NO_COLOR: '1',
  };
}
