/** Where the rows stand as tests. */
export const tables: readonly string[] = [
  'test/providers/*/normalisation-*.test.ts',
  // Refused before any call: A08, A25, A28, G20.
  'test/core/documents/normalisation-rejects.test.ts',
  // About more than spelling: Z17 and Z20, as numbers are ours to choose, and Z19; Z28, Z29 and Z37 in listings and wishes.
  'test/core/{spec/expressible,plan/numbers-for}.test.ts',
  'test/providers/azure/{listings,respell,firewall-rule}.test.ts',
];
