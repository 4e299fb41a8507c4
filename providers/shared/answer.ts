import type { Failure, Result } from '../../src/core/failure.ts';

export const done: Result<void> = { ok: true, value: undefined };

export const failed = (kind: Exclude<Failure['kind'], 'throttled'>, code: string, message: string): Result<never> => ({
  ok: false,
  failure: { kind, code, message },
});
