import type { Action, Finding } from '../../core/action.ts';
import type { TouchedBy } from '../../core/touch.ts';
import { type Want, want } from './want.ts';

export const touched: Want<TouchedBy> = want.object({
  who: want.text,
  action: want.text,
  from: want.maybe(want.text),
  agent: want.maybe(want.text),
  event: want.text,
  at: want.moment,
});

/** As a server tells it, with times as we hold them. What its other members are is checked where they are shown. */
export const toldBy =
  <T extends { readonly by?: TouchedBy }>(least: Want<object>): Want<T> =>
  (value, at) => {
    least(value, at);
    const { by, ...rest } = want.trusted<{ readonly by?: unknown }>()(value, at);
    const told = { ...rest, ...(by === undefined ? {} : { by: touched(by, `${at}.by`) }) };
    return told as unknown as T; // why: `least` has looked at what every such thing has, and a server of our version makes the rest
  };

export const action = toldBy<Action>(
  want.object({ verb: want.text, kind: want.text, address: want.text, documents: want.list(want.trusted()) }),
);
export const finding = toldBy<Finding>(want.object({ type: want.text, why: want.text, scope: want.text }));

export const heldSource = want.object({
  source: want.maybe(want.text),
  head: want.maybe(want.text),
  state: want.text,
  why: want.maybe(want.text),
  since: want.moment,
});
