import type { Witness } from '../ports/witness.ts';
import { sha256 } from '../store/signing.ts';
import { type WitnessMeans, witnessAt } from '../witness/witnesses.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** The key and the witnesses that SETPOINT_SIGNING_KEY and SETPOINT_WITNESS name. Throws where a witness is not understood. */
export function signingOf(env: Environment): { readonly keyFile?: string; readonly witnesses: readonly Witness[] } {
  const { SETPOINT_SIGNING_KEY: keyFile } = env;
  const means = witnessMeans(env);
  const witnesses = witnessPlaces(env).map((place) => witnessAt(place, means));
  return { ...(keyFile ? { keyFile } : {}), witnesses };
}

/** Separated by commas or spaces. */
export const witnessPlaces = ({ SETPOINT_WITNESS: places = '' }: Environment): readonly string[] =>
  places.split(/[\s,]+/).filter((place) => place !== '');

/** The library of a bucket is loaded with its first use. */
export function witnessMeans(env: Environment): WitnessMeans {
  const { SETPOINT_WITNESS_TOKEN: token } = env;
  const objects = (place: URL): Witness => {
    const opened = async (): Promise<Witness> => (await import('../../providers/witness/s3.ts')).s3Witness(place, env);
    return {
      name: `s3://${place.host}${place.pathname}`,
      send: async (checkpoint) => (await opened()).send(checkpoint),
      read: async () => (await opened()).read(),
    };
  };
  return { hash: sha256, objects, ...(token ? { token } : {}) };
}
