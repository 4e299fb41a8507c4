/** `1 error`, `3 errors`, `2,000 entries`. */
export const count = (n: number, one: string, many = `${one}s`): string => `${grouped(n)} ${n === 1 ? one : many}`;

/** By hand: the first number that `toLocaleString` writes in a process costs it ten milliseconds. */
const grouped = (n: number): string => String(n).replace(/\B(?=(?:\d{3})+$)/g, ',');
