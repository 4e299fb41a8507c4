import type { EntryPages } from '../../../src/ports/ledger.ts';
import { matches } from '../../../src/store/ledger.ts';
import type { Memory } from './memory.ts';

export const memoryEntryPages = ({ estates }: Memory): EntryPages => ({
  page: async ({ estate, filter, newestFirst, limit, after }) => {
    const { address, types, since, until } = filter;
    const all = [...(estates.get(estate)?.chain.entries ?? [])];
    const found = (newestFirst ? all.reverse() : all)
      .filter(({ seq }) => after === undefined || (newestFirst ? seq < after : seq > after))
      .filter(({ body, type }) => (address ?? body['address']) === body['address'] && (types?.includes(type) ?? true))
      .filter(({ at }) => at >= (since ?? at) && at < (until ?? at + 1))
      .filter((entry) => matches(entry, filter));
    const entries = structuredClone(found.slice(0, limit));
    const next = found.length > limit ? entries.at(-1)?.seq : undefined;
    return { entries, ...(next === undefined ? {} : { next }) };
  },
  count: async (estate, address) =>
    (estates.get(estate)?.chain.entries ?? []).filter(({ body }) => (address ?? body['address']) === body['address'])
      .length,
});
