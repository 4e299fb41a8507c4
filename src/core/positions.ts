/** From this many on, a set finds a position faster than a list does. */
const many = 16;
const none: readonly number[] = [];

/**
 * Positions in the order of their arrival, each once. Most nodes of a graph wait for few others, and a set for each of them would
 * cost several times its content: so a short list stays an array.
 */
export class Positions {
  #known: readonly number[] | Set<number> = none;

  constructor(positions: Iterable<number> = []) {
    for (const position of positions) this.add(position);
  }

  get all(): readonly number[] {
    return this.#known instanceof Set ? [...this.#known] : this.#known;
  }

  has(position: number): boolean {
    return this.#known instanceof Set ? this.#known.has(position) : this.#known.includes(position);
  }

  add(position: number): void {
    if (this.#known instanceof Set) this.#known.add(position);
    else if (!this.#known.includes(position)) {
      // why: a list that grows by `push` reserves room for 17
      const known = [...this.#known, position];
      this.#known = known.length > many ? new Set(known) : known;
    }
  }

  /** Whether it was there. */
  delete(position: number): boolean {
    if (this.#known instanceof Set) return this.#known.delete(position);
    const known = this.#known.filter((one) => one !== position);
    const wasThere = known.length < this.#known.length;
    this.#known = known;
    return wasThere;
  }
}
