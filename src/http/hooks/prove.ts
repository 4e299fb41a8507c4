import { randomBytes } from 'node:crypto';
import { isLoopback } from '../../core/documents/fields.ts';
import type { Clock } from '../../ports/clock-and-log.ts';
import { senders } from '../senders/index.ts';
import { pubsub } from '../senders/pubsub.ts';
import type { Arrival, Sender, Verdict } from '../senders/sender.ts';
import { hookBook } from './book.ts';
import { googleKeys } from './google-keys.ts';
import { heldSecrets } from './held-secrets.ts';
import type { Hook, Hooks } from './hook.ts';
import type { Refusals, Refused } from './refusals.ts';

/** A request to an address of a hook. */
export interface Knock extends Arrival {
  readonly estate: string;
  readonly hook: string;
}

/** How to read what a hook's sender has sent. */
export type Reader = Omit<Sender<never>, 'verify'>;

/**
 * Says how to read a request that is genuine; undefined: it is not, or there is no such hook. Whoever asks cannot tell these
 * apart: a hook that is not there costs a signature too.
 */
export function prover(
  hooks: Hooks,
  { clock, refused }: { readonly clock: Clock; readonly refused: Refusals },
): (knock: Knock) => Promise<Reader | undefined> {
  const find = hookBook(hooks.inForce, clock);
  const judge = judgeOf(hooks, clock);
  return async (knock) => {
    const hook = await find(knock.estate, knock.hook);
    if (hook === undefined) {
      senders.github.verify(knock, decoy);
      refused.tell('there is no such hook');
      return undefined;
    }
    const { reader, why } = await judge(hook, knock);
    if (why === undefined) return reader;
    refused.tell(why, { estate: knock.estate, of: hook.name });
    return undefined;
  };
}

const decoy = randomBytes(32).toString('hex');

interface Judged {
  readonly reader: Reader;
  /** Undefined: it is genuine. */
  readonly why: Refused | undefined;
}

function judgeOf(hooks: Hooks, clock: Clock): (hook: Hook, knock: Knock) => Promise<Judged> {
  const secretOf = heldSecrets(hooks.secret, clock);
  const keysAt = googleKeys();
  return async (hook, knock) => {
    if (hook.from === 'pubsub') {
      const { audience, serviceAccount, keys } = hook;
      if (keys !== undefined && !(hooks.allowKeys && isLoopback(keys)))
        return { reader: pubsub, why: 'its keys are not allowed' };
      const verdict = await pubsub.verify(knock, { audience, serviceAccount, keys: keysAt(keys) });
      return { reader: pubsub, why: reasons[verdict] };
    }
    const sender = senders[hook.from];
    const secret = await secretOf(hook.secret);
    if (secret === undefined) return { reader: sender, why: 'its secret cannot be had' };
    return { reader: sender, why: reasons[await sender.verify(knock, secret)] };
  };
}

const reasons: Readonly<Record<Verdict, Refused | undefined>> = {
  genuine: undefined,
  forged: 'forged',
  stale: 'too old',
  unproven: 'its proof is out of reach',
};
