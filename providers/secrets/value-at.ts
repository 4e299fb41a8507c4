/** The text at a path of what a library threw or answered, whose types nobody vouches for. */
export const textAt = (thrown: unknown, ...path: readonly string[]): string | undefined => {
  const found = valueAt(thrown, path);
  return typeof found === 'string' ? found : undefined;
};

export const numberAt = (thrown: unknown, ...path: readonly string[]): number | undefined => {
  const found = valueAt(thrown, path);
  return typeof found === 'number' ? found : undefined;
};

function valueAt(thrown: unknown, path: readonly string[]): unknown {
  let here = thrown;
  for (const step of path) here = typeof here === 'object' && here !== null ? Reflect.get(here, step) : undefined;
  return here;
}
