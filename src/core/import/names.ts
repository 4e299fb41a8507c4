const longest = 63;

/** Gives out names for documents: each is valid, unique in any case, and as close to the object's own name as can be. */
export class NameRegister {
  readonly #taken: Set<string>;

  constructor(taken: Iterable<string> = []) {
    this.#taken = new Set([...taken].map((name) => name.toLowerCase()));
  }

  /** The first candidate that is free; else the last one with a number. */
  take(candidates: readonly string[]): string {
    const valid = candidates.map(slug).filter((name) => name !== '');
    const names = valid.length === 0 ? ['imported'] : valid;
    const free = names.find((name) => !this.#taken.has(name.toLowerCase()));
    const name = free ?? this.#numbered(names.at(-1) ?? '');
    this.#taken.add(name.toLowerCase());
    return name;
  }

  #numbered(name: string): string {
    for (let number = 2; ; number += 1) {
      const suffix = `-${number}`;
      const numbered = `${name.slice(0, longest - suffix.length)}${suffix}`;
      if (!this.#taken.has(numbered.toLowerCase())) return numbered;
    }
  }
}

/** `Web servers (old)` → `Web-servers-old`; '' where no letter or digit is left. */
export const slug = (text: string): string =>
  text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replaceAll(/-{2,}/g, '-')
    .replace(/^[-_]+/, '')
    .slice(0, longest)
    .replace(/[-_]+$/, '');

/** The name, or the other one where a document name can hold nothing of it: `日本`. */
export const orElse = (name: string, other: string): string => (slug(name) === '' ? other : name);
