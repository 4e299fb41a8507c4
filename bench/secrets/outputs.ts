import { canary, formsOf, planted } from './canaries.ts';

/** All output, by its place. */
export interface Outputs {
  record(place: string, text: string): void;
  /** One more secret, that is made on the way. `may`: the one place where it is meant to stand. */
  plant(which: string, text: string, may?: string): void;
  /** Every secret that stands where it must not. */
  found(): readonly string[];
  /** The recorded letters, by place: an empty record proves nothing. */
  sizes(): ReadonlyMap<string, number>;
}

interface Bird {
  readonly which: string;
  readonly forms: readonly string[];
  readonly may?: string;
}

export function outputRecorder(): Outputs {
  const recorded = new Map<string, string[]>();
  const birds: Bird[] = planted.map((which) => ({ which, forms: formsOf(canary(which)) }));
  return {
    record: (place, text) => {
      const known = recorded.get(place);
      if (known === undefined) recorded.set(place, [text]);
      else known.push(text);
    },
    plant: (which, text, may) =>
      void birds.push({ which, forms: formsOf(text), ...(may === undefined ? {} : { may }) }),
    found: () =>
      [...recorded].flatMap(([place, parts]) => {
        const text = parts.join('\n');
        return birds
          .filter(({ may, forms }) => may !== place && forms.some((form) => text.includes(form)))
          .map(({ which }) => `${which}, in ${place}`);
      }),
    sizes: () => new Map([...recorded].map(([place, parts]) => [place, parts.join('').length])),
  };
}
