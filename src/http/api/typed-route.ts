import type { Asking, Route } from './route.ts';

/** Keeps what a route's schemas say of what its handler is given. */
export const route = <A extends Asking>(one: Route<A>): Route => one as unknown as Route; // why: whoever calls `handle` has parsed by the schemas of `asks`
