import { InvalidArgumentError } from 'commander';

/** So much of a digest is shown, and enough to name one. */
export const shownDigits = 12;

/** The digest of a plan, or the beginning of it that was shown. A parser of options. */
export function parseDigest(text: string): string {
  if (new RegExp(`^[0-9a-f]{${shownDigits},64}$`).test(text)) return text;
  throw new InvalidArgumentError(`Write the digest that was shown: ${shownDigits} digits of it or more.`);
}
