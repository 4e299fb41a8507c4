import { createHash } from 'node:crypto';

/** The planted canaries, with their places. Each is planted once and has a word of its own. */
export const planted = [
  'spec: a secret key of AWS in a variable',
  'spec: a session token of AWS in a variable',
  'spec: a private key of Google in a file',
  'spec: a secret of an app of Azure in a variable',
  'spec: a password in a variable',
  'spec: a password in a file',
  'spec: a password in Secrets Manager',
  'spec: a password in Key Vault',
  'spec: the secret of a hook',
  'spec: a credential that is malformed',
  'spec: a password written out',
  'spec: a key written out',
  'environment: the secret key of the process',
  'environment: its session token',
  'environment: a token for git',
  'environment: a password in the address of a repository',
  'environment: the password of the database',
  'environment: a wrong password of the database',
  'environment: the password of Redis',
  'environment: a wrong token for the API',
  'event: user data in what CloudTrail tells',
  'event: a password in what Azure tells',
  'event: a forged signature and its body',
  'event: a bearer token of Pub/Sub',
  'request: a bearer token',
  'request: a token in an address',
  'request: a password in posted specs',
] as const;

export type Planted = (typeof planted)[number];

/** Letters of both kinds, digits and a sign, as clouds ask of passwords; fit for headers, URLs, JSON and base64 alike. */
export const canary = (which: Planted): string =>
  `Kanari-${createHash('sha256').update(which).digest('hex').slice(0, 20)}-Zz9`;

/** The forms of a text: as it is, and in base64 at each of the three offsets at which it may begin. */
export const formsOf = (text: string): readonly string[] => [
  text,
  text.replaceAll('-', '/'),
  Buffer.from(text).toString('hex'),
  ...[0, 1, 2].map((shift) =>
    Buffer.from(`${'x'.repeat(shift)}${text}`)
      .toString('base64')
      .slice(4, 28),
  ),
];

/** All output, by its place. */
export interface Outputs {
  record(place: string, text: string): void;
  /** One more secret, that is made on the way. `may`: the one place where it is meant to stand. */
  plant(which: string, text: string, may?: string): void;
  /** Every secret that stands where it must not. */
  found(): readonly string[];
  /** The recorded letters, by place: an empty record proves nothing. */
  sizes(): ReadonlyMap<string, number>;
}

interface Secret {
  readonly which: string;
  readonly forms: readonly string[];
  readonly may?: string;
}

export function outputRecorder(): Outputs {
  const recorded = new Map<string, string[]>();
  const secrets: Secret[] = planted.map((which) => ({ which, forms: formsOf(canary(which)) }));
  return {
    record: (place, text) => {
      const known = recorded.get(place);
      if (known === undefined) recorded.set(place, [text]);
      else known.push(text);
    },
    plant: (which, text, may) =>
      void secrets.push({ which, forms: formsOf(text), ...(may === undefined ? {} : { may }) }),
    found: () =>
      [...recorded].flatMap(([place, parts]) => {
        const text = parts.join('\n');
        return secrets
          .filter(({ may, forms }) => may !== place && forms.some((form) => text.includes(form)))
          .map(({ which }) => `${which}, in ${place}`);
      }),
    sizes: () => new Map([...recorded].map(([place, parts]) => [place, parts.join('').length])),
  };
}
