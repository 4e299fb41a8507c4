import { InvalidArgumentError } from 'commander';

/** Why a person does what others will ask about: one line, for the ledger and for screens. A parser of options. */
export function parseReason(text: string): string {
  const reason = text.trim();
  if (reason === '') throw new InvalidArgumentError('Say why: others will read it.');
  if (reason.length > longest || /[\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]/u.test(reason))
    throw new InvalidArgumentError(
      `Write one line of at most ${longest} characters, without signs that turn text round.`,
    );
  return reason;
}

const longest = 500;
