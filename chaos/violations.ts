import type { Figure } from '../bench/figure.ts';

/** Prints the violations of a trial, and counts them. The figure carries their text, to be read where it is missed. */
export function violationsFigure(name: string, violations: readonly string[]): Figure {
  for (const violation of violations) console.error(`${name}: ${violation}`);
  return { name, value: violations.length, unit: 'violations', floor: 0, evidence: violations };
}
