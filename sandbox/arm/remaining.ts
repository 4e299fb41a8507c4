import type { Budgets } from '../budgets.ts';
import type { Told } from './budget-table.ts';

/** The headers that say what is left of each budget: `…-reads: 249`, `…-resource: A;11,B;1499`. */
export function remaining(charges: readonly Told[], budgets: Pick<Budgets, 'level'>): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const { charge, header, name } of charges) {
    if (header === undefined) continue;
    const left = String(Math.max(0, Math.floor(budgets.level(charge))));
    const told = name === undefined ? left : `${name};${left}`;
    headers[header] = headers[header] === undefined ? told : `${headers[header]},${told}`;
  }
  return headers;
}
