import type { Result } from '../core/failure.ts';

export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable of this process. Only those set aside for us: a spec must not name `AWS_SECRET_ACCESS_KEY`. */
export function readVariable(name: string, environment: Environment): Result<string> {
  if (!name.startsWith('SETPOINT_SECRET_')) return refused('only variables that begin SETPOINT_SECRET_ are read');
  const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
  return value === undefined ? missing : { ok: true, value };
}

const refused = (message: string): Result<never> => ({
  ok: false,
  failure: { kind: 'terminal', code: 'secret-refused', message },
});

const missing: Result<never> = {
  ok: false,
  failure: { kind: 'not-found', code: 'secret-missing', message: 'this process has no such variable' },
};
