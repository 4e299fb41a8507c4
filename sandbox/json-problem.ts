export class JsonProblem extends Error {}

export function expected(what: string, value: unknown, path: string): JsonProblem {
  const shown = JSON.stringify(value) ?? 'nothing';
  return new JsonProblem(
    `${path || 'the document'}: expected ${what}, found ${shown.length > 60 ? `${shown.slice(0, 57)}...` : shown}`,
  );
}
