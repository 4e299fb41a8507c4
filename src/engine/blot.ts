/** Blots out texts, however they are written. */
export interface Blot {
  /** From now on this is blotted out, and so is each long line of it: what quotes a script quotes a line of it. */
  learn(secret: string): void;
  out(text: string): string;
}

/** What is shorter stands in many a harmless word, and clouds take no such password. */
const shortest = 6;
/** Lines of scripts that are shorter say little, and stand in many. */
const shortestLine = 12;

export const blotted = '(a secret)';

export function blot(): Blot {
  const known = new Set<string>();
  return {
    learn: (secret) => {
      for (const part of [secret, ...secret.split(/\r?\n/).filter((line) => line.trim().length >= shortestLine)])
        if (part.length >= shortest) for (const form of formsOf(part)) known.add(form);
    },
    // why: the longest first, so that no piece of it is left standing
    out: (text) =>
      [...known].sort((a, b) => b.length - a.length).reduce((left, form) => left.replaceAll(form, blotted), text),
  };
}

/** As it is, in JSON, in a URL, in base64. */
function formsOf(text: string): readonly string[] {
  const base64 = btoa(String.fromCodePoint(...new TextEncoder().encode(text)));
  return [text, text.trim(), JSON.stringify(text).slice(1, -1), encodeURIComponent(text), base64].filter(
    (form) => form.length >= shortest,
  );
}
