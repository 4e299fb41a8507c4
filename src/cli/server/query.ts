type Value = string | number | boolean | readonly string[] | undefined;

/** `?limit=3&target=a,b`; '' of nothing. What is undefined or empty is left out. */
export function query(asked: Readonly<Record<string, Value>>): string {
  const pairs = Object.entries(asked).flatMap(([name, value]): [string, string][] => {
    const text = typeof value === 'object' ? value.join(',') : value;
    return text === undefined || text === '' ? [] : [[name, String(text)]];
  });
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}
