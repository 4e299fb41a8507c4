import { reachableEstates } from '../../../src/core/access/grant.ts';
import type { Clock } from '../../../src/ports/clock-and-log.ts';
import type { KeptToken, MadeToken, Token, TokenDraft, Tokens } from '../../../src/ports/tokens.ts';
import { makeTokenNote, noteBody, revokeTokenNote } from '../../../src/store/ledger-entries.ts';
import { mintToken } from '../../../src/store/tokens.ts';
import { append, estateOf, type Memory } from './memory.ts';

export function memoryTokens(memory: Memory, clock: Clock): Tokens {
  const { tokens } = memory;
  const tell = ({ grants }: Token, note: Readonly<Record<string, unknown>>): void => {
    for (const name of reachableEstates(grants, [...memory.estates.keys()]))
      append(estateOf(memory, name), { at: clock.now(), type: 'note', body: noteBody(name, note) });
  };
  const replace = (id: string, change: Partial<Token>): Token | undefined => {
    const index = tokens.findIndex((one) => one.id === id);
    const before = tokens[index];
    if (before === undefined) return undefined;
    const after = { ...before, ...change };
    tokens[index] = after;
    return shown(after);
  };
  const make = (draft: TokenDraft): MadeToken => {
    const { id, hash, text } = mintToken();
    const token: Token = { ...structuredClone(draft), id, at: clock.now() };
    tokens.push({ ...token, hash });
    tell(token, makeTokenNote(token));
    return { token, text };
  };
  return {
    make: async (draft) => make(draft),
    makeFirst: async (draft) => (tokens.length === 0 ? make(draft) : undefined),
    find: async (ids) => tokens.filter(({ id }) => ids.includes(id)),
    list: async ({ most, before }) => {
      const end = before === undefined ? tokens.length : tokens.findIndex(({ id }) => id === before);
      return tokens.slice(0, Math.max(end, 0)).toReversed().slice(0, most).map(shown);
    },
    revoke: async (id, person) => {
      const found = tokens.find((one) => one.id === id);
      if (found === undefined || found.revoked !== undefined) return found && shown(found);
      tell(found, revokeTokenNote(found, person));
      return replace(id, { revoked: { at: clock.now(), person } });
    },
    used: async (id) => void replace(id, { usedAt: clock.now() }),
  };
}

const shown = ({ hash: _, ...token }: KeptToken): Token => token;
