import { createHash } from 'node:crypto';

/** Of UTF-8 text or bytes, in hex. */
export const sha256 = (data: string | Buffer): string => createHash('sha256').update(data).digest('hex');
