import type { Route } from '../route.ts';

/** What the routes ask at, handed in by a root: one member a noun, grouped by who writes. */
// biome-ignore lint/complexity/noBannedTypes: filled by one member a noun
export type Desks = {};

/** Every route of the API: one line a noun. */
export const routesOn = (_desks: Desks): readonly Route[] => [];
