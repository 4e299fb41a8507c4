import type { Result } from '../core/failure.ts';

/**
 * The size limit of stores. It is ours for variables and files too:
 * https://docs.aws.amazon.com/secretsmanager/latest/userguide/reference_limits.html (65,536 bytes),
 * https://cloud.google.com/secret-manager/quotas (64 KiB),
 * https://learn.microsoft.com/azure/key-vault/secrets/about-secrets (25 kB)
 */
export const mostBytes = 65_536;

/** One newline at the end is not the secret's: `echo` and editors put it there, and `kubectl create secret` keeps it. */
export function secretText(held: string | Uint8Array): Result<string> {
  const bytes = typeof held === 'string' ? Buffer.from(held) : held;
  if (bytes.byteLength > mostBytes) return unusable(`it is larger than ${mostBytes} bytes`);
  const text = utf8(bytes);
  if (text === undefined) return unusable('it is no text in UTF-8');
  const trimmed = text.replace(/\r?\n$/, '');
  return trimmed === '' ? unusable('it is empty') : { ok: true, value: trimmed };
}

export const unusable = (message: string): Result<never> => ({
  ok: false,
  failure: { kind: 'terminal', code: 'secret-malformed', message },
});

function utf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
