/** A number in [0, 1). The same seed and label give the same sequence. */
export type Random = () => number;

/** Mulberry32 over an FNV-1a hash of the label: small, fast, and good enough to choose faults and ids by. */
export function seededRandom(seed: number, label: string): Random {
  let state = hash(`${seed}/${label}`);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** `length` lower-case hex digits. */
export function hexDigits(random: Random, length: number): string {
  let digits = '';
  while (digits.length < length)
    digits += Math.floor(random() * 0x10000)
      .toString(16)
      .padStart(4, '0');
  return digits.slice(0, length);
}

function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  return value;
}
