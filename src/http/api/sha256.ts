import { createHash } from 'node:crypto';

/** In hex. */
export const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
