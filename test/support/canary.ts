import assert from 'node:assert/strict';
import { inspect } from 'node:util';

/** A secret that tests plant and then look for; `wherever` it stands it would be found in clear, base64, hex or a URL. */
export const canary = 'k4narienv0gel/+=&';

/** Finds the canary in a text, in one of its forms. */
export const sings = (text: string): boolean => forms.some((form) => text.includes(form));

/** Fails if any of these shows the canary, down through causes, hidden fields and their JSON. */
export function assertHidden(...things: readonly unknown[]): void {
  for (const thing of things) {
    const shown = [inspect(thing, { depth: null, showHidden: true, maxStringLength: null, maxArrayLength: null })];
    if (thing instanceof Error) shown.push(thing.stack ?? '', String(thing));
    if (typeof thing === 'string') shown.push(thing);
    shown.push(JSON.stringify(thing, jsonable) ?? '');
    for (const text of shown)
      for (const form of forms)
        assert.ok(!text.includes(form), `the canary sings as ${form} in ${text.slice(0, 2000)}`);
  }
}

const forms = [
  'k4narienv0gel',
  Buffer.from(canary).toString('base64').slice(0, 16),
  Buffer.from(canary).toString('hex').slice(0, 24),
];

const jsonable = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);
