import { error, type Problem } from '../problem.ts';
import { ofKind, type SpecSet } from '../spec-set.ts';
import { place } from './names.ts';

/** All prices of an estate are in one currency, and each thing has one price. */
export function* prices({ documents }: SpecSet): Iterable<Problem> {
  const all = ofKind(documents, 'Prices');
  const [first] = all;
  const known = new Map<string, string>();
  for (const table of all) {
    const { currency, prices: rows } = table.value.spec;
    if (first !== undefined && currency !== first.value.spec.currency)
      yield error(
        'currency',
        table.at(['spec', 'currency']),
        `these prices are in ${currency}, others in ${first.value.spec.currency}`,
        {
          expected: `one currency: ${first.value.spec.currency}, as at ${place(first.at(['spec', 'currency']))}`,
        },
      );
    for (const [index, { provider, region, size, diskType, publicIp, upToGb }] of rows.entries()) {
      const at = table.at(['spec', 'prices', index]);
      const key = JSON.stringify([provider, region, size, diskType, publicIp, upToGb]);
      const before = known.get(key);
      if (before === undefined) known.set(key, place(at));
      else
        yield error('second-price', at, `a second price of this: the first is at ${before}`, { expected: 'one price' });
    }
  }
}

/** A limit on the cost needs prices in its currency. */
export function* costLimit({ documents, declared }: SpecSet): Iterable<Problem> {
  const [table] = ofKind(documents, 'Prices');
  for (const estate of ofKind(documents, 'Estate')) {
    const { cost } = estate.value.spec.limits;
    if (cost === undefined || (table === undefined && declared.has('Prices'))) continue;
    if (table === undefined)
      yield error('prices', estate.at(['spec', 'limits', 'cost']), 'a limit on the cost, and no prices', {
        expected: 'a document of kind Prices: see docs/cost.md',
      });
    else if (table.value.spec.currency !== cost.currency)
      yield error(
        'currency',
        estate.at(['spec', 'limits', 'cost', 'currency']),
        `this limit is in ${cost.currency}, the prices are in ${table.value.spec.currency}`,
        { expected: `${table.value.spec.currency}, as at ${place(table.at(['spec', 'currency']))}` },
      );
  }
}
