import type { Clock } from '../../../src/ports/clock-and-log.ts';
import type { IdempotentResponses, KeptResponse, NamedRequest } from '../../../src/ports/store.ts';
import type { Memory } from './memory.ts';

interface Held extends NamedRequest {
  readonly attempt: string;
  readonly at: number;
  readonly done?: { readonly response: KeptResponse | undefined };
}

const keptMs = 86_400_000;
const memories = new WeakMap<Memory, Map<string, Held>>();

export function memoryIdempotentResponses(memory: Memory, clock: Clock): IdempotentResponses {
  const held = memories.get(memory) ?? new Map<string, Held>();
  memories.set(memory, held);
  const ours = (name: string, attempt: string): Held | undefined => {
    const found = held.get(name);
    return found?.attempt === attempt && found.done === undefined ? found : undefined;
  };
  return {
    begin: async ({ name, digest }, forMs) => {
      const found = held.get(name);
      const lastsMs = found?.done === undefined ? Math.min(forMs, keptMs) : keptMs;
      if (found === undefined || found.at < clock.now() - lastsMs) {
        const attempt = memory.nextId();
        held.set(name, { name, digest, attempt, at: clock.now() });
        return { as: 'first', attempt };
      }
      if (found.digest !== digest) return { as: 'other' };
      return found.done === undefined ? { as: 'running' } : { as: 'done', response: found.done.response };
    },
    end: async (name, attempt, response) => {
      const found = ours(name, attempt);
      if (found !== undefined) held.set(name, { ...found, done: { response: structuredClone(response) } });
    },
    drop: async (name, attempt) => {
      if (ours(name, attempt) !== undefined) held.delete(name);
    },
  };
}
