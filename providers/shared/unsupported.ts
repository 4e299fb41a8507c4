import type { FieldChange } from '../../src/core/diff.ts';
import type { Failure } from '../../src/core/failure.ts';

/**
 * The failure for a change that no call of a kind can make on this cloud. `handled` are field names or their
 * beginnings.
 */
export const unsupportedOn =
  (cloud: string) =>
  (changes: readonly FieldChange[], handled: readonly string[]): Failure | undefined => {
    const stray = changes.find(({ field }) => !handled.some((name) => field === name || field.startsWith(`${name}.`)));
    if (!stray) return undefined;
    return { kind: 'terminal', code: 'Immutable', message: `${cloud} cannot change ${stray.field} in place` };
  };
