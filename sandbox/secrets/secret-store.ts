import { hexDigits, type Random } from '../random.ts';

/** The contents of the three secret stores. A secret has the name that its own cloud gives it, without a version:
 * an ARN, `projects/…/secrets/…`, `https://…/secrets/…`. */
export interface SecretStore {
  /** Adds a version, which is the newest from then on. */
  put(name: string, value: string | Uint8Array): Version;
  /** The newest version can no longer be read. */
  disable(name: string): void;
  /** Oldest first; undefined where there is no such secret. */
  versions(name: string): readonly Version[] | undefined;
}

export interface Version {
  /** 32 hex digits. */
  readonly id: string;
  readonly value: string | Uint8Array;
  enabled: boolean;
}

export function makeSecretStore(random: Random): SecretStore {
  const secrets = new Map<string, Version[]>();
  return {
    put: (name, value) => {
      const version: Version = { id: hexDigits(random, 32), value, enabled: true };
      secrets.set(name, [...(secrets.get(name) ?? []), version]);
      return version;
    },
    disable: (name) => {
      const newest = secrets.get(name)?.at(-1);
      if (newest === undefined) throw new Error(`there is no secret ${name}`);
      newest.enabled = false;
    },
    versions: (name) => secrets.get(name),
  };
}
