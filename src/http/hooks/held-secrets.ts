import type { SecretRef } from '../../core/documents/secret-ref.ts';
import type { Clock } from '../../ports/clock-and-log.ts';

/** One that was rotated counts after so long; one that could not be read is asked for again sooner. */
const heldForMs = 60_000;
const missedForMs = 5_000;

interface Held {
  readonly text: Promise<string | undefined>;
  until: number;
}

/** Keeps secrets for a short while, so that forged requests ask no store for anything. Never rejects. */
export function heldSecrets(
  resolve: (ref: SecretRef) => Promise<string | undefined>,
  clock: Clock,
): (ref: SecretRef) => Promise<string | undefined> {
  const all = new Map<string, Held>();
  const ask = (ref: SecretRef): Held => {
    const held: Held = { text: resolve(ref).catch(() => undefined), until: clock.now() + heldForMs };
    void held.text.then((text) => {
      if (text === undefined) held.until = clock.now() + missedForMs;
    });
    return held;
  };
  return (ref) => {
    const now = clock.now();
    const key = JSON.stringify([ref.env, ref.file, ref.uri]);
    const before = all.get(key);
    if (before && now < before.until) return before.text;
    for (const [old, { until }] of all) if (until <= now) all.delete(old);
    const held = ask(ref);
    all.set(key, held);
    return held.text;
  };
}
