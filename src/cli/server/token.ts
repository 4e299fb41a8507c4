import { Complaint } from '../complaint.ts';

/** A token as it may stand in a header; what is none is not repeated. `from`: how it was given, for people. */
export function checkToken(given: string, from: string): string {
  const token = given.trim();
  if (token === '') throw new Complaint(`${from} holds no token.`);
  if (token.length > longest || !/^[\x21-\x7e]+$/.test(token))
    throw new Complaint(`${from} holds no token: it has characters that none has, or is too long.`, {
      next: 'Paste the whole token and nothing else: `setpoint token make` prints it on a line of its own.',
    });
  return token;
}

/** A JWT with many groups is long; servers take headers of 16 KiB. */
const longest = 12_000;
