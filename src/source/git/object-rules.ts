import { createHash } from 'node:crypto';

/** What an object must hold to before anything is made of its bytes. */
export interface ObjectRule {
  readonly name: string;
  readonly breaks: (object: GitObject) => boolean;
  /** Goes on after the object's name. */
  readonly message: string;
}

export interface GitObject {
  /** Its full name. */
  readonly id: string;
  readonly type: string;
  readonly bytes: Buffer;
}

export const objectRules: readonly ObjectRule[] = [
  {
    // why: git believes a loose object to be what it is called: https://git-scm.com/docs/git-fsck
    name: 'hash',
    breaks: ({ id, type, bytes }) => nameOf(type, bytes) !== id,
    message: 'is not what its name says',
  },
];

const nameOf = (type: string, bytes: Buffer): string =>
  createHash('sha1').update(`${type} ${bytes.length}\0`).update(bytes).digest('hex');
