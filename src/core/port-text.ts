import type { PortRange } from './port-set.ts';

/** `443`, or `8000-8100`. */
export const formatPort = (range: PortRange): string =>
  range.from === range.to ? `${range.from}` : `${range.from}-${range.to}`;
