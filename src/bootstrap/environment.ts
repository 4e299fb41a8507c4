import { type CallerLimit, defaultCallerLimit } from '../http/limits.ts';
import type { Witness } from '../ports/ledger.ts';
import { sha256 } from '../store/signing.ts';
import { type WitnessMeans, witnessAt } from '../witness/witnesses.ts';

const day = 86_400_000;

/** For how long what the inventory was is kept, as SETPOINT_HISTORY_DAYS says it: 1 to 3,650; left out: as a store does. */
export function historyOf(env: NodeJS.ProcessEnv): { readonly historyMs?: number } {
  const { SETPOINT_HISTORY_DAYS: said } = env;
  if (said === undefined || said === '') return {};
  const days = Number(said);
  if (!/^\d+$/.test(said) || days < 1 || days > 3650)
    throw new Error('SETPOINT_HISTORY_DAYS is invalid: write a whole number of days from 1 to 3650.');
  return { historyMs: days * day };
}

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

const mostPerSecond = 10_000;
const mostAtOnce = 100_000;

/**
 * The requests that the API takes of each caller: SETPOINT_CALLER_RATE a second, SETPOINT_CALLER_BURST at once. Left out: 100, and
 * twice the rate. Throws for other texts than whole numbers from 1 to 10,000, or to 100,000.
 */
export function callerLimitOf(env: Environment): CallerLimit {
  const perSecond =
    numberIn(env, 'SETPOINT_CALLER_RATE', { most: mostPerSecond, of: 'requests a second' }) ??
    defaultCallerLimit.perSecond;
  const burst = numberIn(env, 'SETPOINT_CALLER_BURST', { most: mostAtOnce, of: 'requests at once' }) ?? 2 * perSecond;
  return { perSecond, burst };
}

function numberIn(
  env: Environment,
  name: string,
  { most, of }: { readonly most: number; readonly of: string },
): number | undefined {
  const said = env[name];
  if (said === undefined || said === '') return undefined;
  const number = Number(said);
  if (/^\d+$/.test(said) && number >= 1 && number <= most) return number;
  throw new Error(`${name} is invalid: write a whole number of ${of}, from 1 to ${most}.`);
}
