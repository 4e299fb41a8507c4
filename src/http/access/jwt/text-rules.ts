import type { Rule } from './rule.ts';

/** Before anything is read. */
export const textRules: readonly Rule<string>[] = [
  { name: 'size', holds: (text) => text.length <= 8_192 },
  // why: the last letter of a part has bits that mean nothing, so one token could be written in several ways
  { name: 'canonical', holds: (text) => text.split('.').every((part) => recoded(part) === part) },
];

const recoded = (part: string): string => Buffer.from(part, 'base64url').toString('base64url');
