/** A page of a listing as Google writes it: its items, or those of each place under its name. */
interface Page {
  readonly items?: unknown;
}

type Fields = Record<string, unknown>;

/** Bytes of JSON that the SDK reads within 10 ms, and as many items. */
const long = 256 * 1024;
const atOnce = 75;

/**
 * Pages that are together what this one says; none where it is short, or no page. The SDK reads a page in one turn of the loop,
 * 70 ms for one of 500 machines; so it is given one part after another. The first has all that is no item.
 */
export function partsOf(body: string): readonly Page[] {
  if (body.length < long) return [];
  const page = pageIn(body);
  if (Array.isArray(page?.items))
    return slices(page.items).map((items, i) => (i === 0 ? { ...page, items } : { items }));
  if (!isFields(page?.items)) return [];
  const places = Object.entries(page.items);
  const lists = places.flatMap(([place, held]) =>
    isFields(held)
      ? Object.entries(held).flatMap(([list, items]) =>
          Array.isArray(items) ? slices(items).map((some) => ({ items: { [place]: { [list]: some } } })) : [],
        )
      : [],
  );
  const rest = places.map(([place, held]) => [place, isFields(held) ? withoutLists(held) : held] as const);
  return [{ ...page, items: Object.fromEntries(rest) }, ...lists];
}

function pageIn(body: string): Page | undefined {
  try {
    const page: unknown = JSON.parse(body);
    return isFields(page) ? page : undefined;
  } catch {
    return undefined;
  }
}

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const slices = (items: readonly unknown[]): readonly (readonly unknown[])[] =>
  Array.from({ length: Math.ceil(items.length / atOnce) }, (_, i) => items.slice(i * atOnce, (i + 1) * atOnce));

const withoutLists = (held: Fields): Fields =>
  Object.fromEntries(Object.entries(held).filter(([, value]) => !Array.isArray(value)));

/** Adds the items of a further part, as the SDK has read it, to the page. */
export function addPart(page: unknown, part: unknown): void {
  if (!isFields(page) || !isFields(part)) return;
  const { items } = page;
  if (Array.isArray(items) && Array.isArray(part['items'])) for (const item of part['items']) items.push(item);
  else if (isFields(items) && isFields(part['items']))
    for (const [place, held] of Object.entries(part['items'])) add(items[place], held);
}

function add(place: unknown, held: unknown): void {
  if (!isFields(place) || !isFields(held)) return;
  for (const [list, items] of Object.entries(held)) {
    const before = Object.hasOwn(place, list) ? place[list] : undefined;
    if (!Array.isArray(items)) continue;
    if (Array.isArray(before)) for (const item of items) before.push(item);
    else place[list] = items;
  }
}
