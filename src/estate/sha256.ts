import { createHash } from 'node:crypto';

/** Of UTF-8 text, as hex: the hash that digests of plans are made with. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
