/**
 * Who made what came into force: names of commits, which anybody may claim, and of whoever posted specs. They forbid an approval,
 * and never allow one. Only ever added to.
 */
export interface Authors {
  /** Before it is accepted, so that no generation is in force whose authors are still to be told. What was told before stays. */
  tell(move: Move, told: ToldAuthors): Promise<void>;
  /** Of every generation of an estate after this one, oldest first; of more than `most` the oldest. */
  since(estate: string, generation: number, most: number): Promise<readonly GenerationAuthors[]>;
}

/** `after`: the generation in force before; 0: none. */
export interface Move {
  readonly estate: string;
  readonly revision: string;
  readonly after: number;
}

/** `more`: there are others who could not be read. */
export interface ToldAuthors {
  readonly names: readonly string[];
  readonly more: boolean;
}

/** `told`: absent where nobody knows, as of a plain folder. */
export interface GenerationAuthors {
  readonly generation: number;
  readonly told?: ToldAuthors;
}
