/**
 * The path of a route as the router writes it: `/v1/targets/{name}` is `/v1/targets/:name`. `{+address}`, at the end, takes all
 * that follows: an address may be written with its slashes, or with them as %2F.
 */
export const pathOf = (path: string): string => path.replace(/\{\+\w+\}$/, '*').replace(/\{(\w+)\}/g, ':$1');

/** The name of the parameter that takes all that follows; undefined where there is none. */
export const restOf = (path: string): string | undefined => /\{\+(\w+)\}$/.exec(path)?.[1];
