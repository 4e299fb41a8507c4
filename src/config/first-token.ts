import type { Clock } from '../ports/clock.ts';
import type { Store } from '../ports/store.ts';

const lastsMs = 90 * 86_400_000;

/** A token for all, made where none ever was: whoever started the process on their own database is told it, once. */
export async function firstToken({ tokens }: Pick<Store, 'tokens'>, clock: Clock): Promise<string | undefined> {
  const made = await tokens.makeFirst({
    name: 'first',
    grants: [{ role: 'admin' }],
    expiresAt: clock.now() + lastsMs,
    maker: { person: 'setpoint', identities: [] },
  });
  return made?.text;
}

/** Whether a token is good for anything still. */
export async function hasToken({ tokens }: Pick<Store, 'tokens'>, clock: Clock): Promise<boolean> {
  let before: string | undefined;
  for (;;) {
    const page = await tokens.list({ most: 100, ...(before === undefined ? {} : { before }) });
    if (page.some(({ revoked, expiresAt }) => revoked === undefined && expiresAt > clock.now())) return true;
    before = page.at(-1)?.id;
    if (page.length < 100) return false;
  }
}
