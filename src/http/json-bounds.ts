/** Limits of a JSON text. `depth`: of lists and objects in one another. `parts`: keys, values and brackets. */
export interface JsonBounds {
  readonly depth: number;
  readonly parts: number;
}

const [quote, backslash] = [...Buffer.from('"\\')];

/** By byte: how many parts it begins, and how much deeper it leads, outside of texts. */
const parts = tableOf({ ',': 1, ':': 1, '[': 1, '{': 1 });
const depths = tableOf({ '[': 1, '{': 1, ']': -1, '}': -1 });

function tableOf(marks: Readonly<Record<string, number>>): Int8Array {
  const table = new Int8Array(256);
  for (const [mark, value] of Object.entries(marks)) table[mark.charCodeAt(0)] = value;
  return table;
}

/** One look at each byte: every byte of a character beyond ASCII is over 127, so none is taken for a mark. */
export function isWithin(body: Uint8Array, most: JsonBounds): boolean {
  const count = { depth: 0, parts: 1 };
  let inText = false;
  for (let at = 0; at < body.length; at += 1) {
    const byte = body[at] ?? 0;
    if (byte === quote) inText = !inText;
    if (inText) at += byte === backslash ? 1 : 0;
    else if (!isCounted(byte, count, most)) return false;
  }
  return true;
}

/** Counts a byte outside of texts; false where it is one too many. */
function isCounted(byte: number, count: { depth: number; parts: number }, most: JsonBounds): boolean {
  count.depth += depths[byte] ?? 0;
  count.parts += parts[byte] ?? 0;
  return count.depth <= most.depth && count.parts <= most.parts;
}
