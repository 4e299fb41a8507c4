import type { Readable } from 'node:stream';
import { Complaint } from '../complaint.ts';

const mostBytes = 16 * 1024;

/** A token that another program writes to us. */
export async function pipedToken(input: Readable): Promise<string> {
  let text = '';
  for await (const piece of input) {
    text += String(piece);
    if (text.length > mostBytes) throw new Complaint('What came on stdin is longer than any token.');
  }
  return text;
}
