import { createHash } from 'node:crypto';

/** Of the UTF-8 text, as lower-case hex: what the chain is hashed with. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
