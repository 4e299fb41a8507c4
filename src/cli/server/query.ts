type Value = string | number | boolean | readonly string[] | undefined;

/** `?limit=3&target=a&target=b`; '' of nothing. What is undefined is left out. */
export function query(asked: Readonly<Record<string, Value>>): string {
  const pairs = Object.entries(asked).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const values = typeof value === 'object' ? value : [String(value)];
    return values.map((one): [string, string] => [name, one]);
  });
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}
