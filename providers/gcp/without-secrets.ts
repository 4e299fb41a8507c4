import type { Failure } from '../../src/core/failure.ts';

/** Shorter lines are words of any text; a secret in one of them would be none. */
const shortest = 6;

/**
 * The same failure, saying nothing of these texts. Compute Engine repeats the value that it refuses ("Invalid value for field
 * 'resource.metadata…': '…'"), whole or cut; so a message about metadata is dropped altogether.
 */
export function withoutSecrets(failure: Failure, secrets: readonly string[]): Failure {
  if (secrets.length === 0) return failure;
  if (/metadata/i.test(failure.message))
    return {
      ...failure,
      message: 'the cloud refused the metadata; its message may contain user data, so Setpoint drops it',
    };
  const lines = secrets.flatMap((secret) => [secret, ...secret.split('\n')]).filter(({ length }) => length >= shortest);
  const message = lines.reduce((text, line) => text.replaceAll(line, '…'), failure.message);
  return { ...failure, message };
}
