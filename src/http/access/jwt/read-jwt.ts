/** A token as it stands, nothing of it proven. */
export interface Jwt {
  readonly text: string;
  readonly head: Readonly<Record<string, unknown>>;
  readonly said: Readonly<Record<string, unknown>>;
}

/** Undefined: this is no JWT in its compact form (https://www.rfc-editor.org/rfc/rfc7515#section-7.1). */
export function readJwt(text: string): Jwt | undefined {
  const [, head, said] = /^([\w-]+)\.([\w-]+)\.[\w-]+$/.exec(text) ?? [];
  if (head === undefined || said === undefined) return undefined;
  const [headed, saying] = [objectIn(head), objectIn(said)];
  return headed === undefined || saying === undefined ? undefined : { text, head: headed, said: saying };
}

function objectIn(part: string): Jwt['head'] | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64url').toString('utf8'));
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

const isObject = (value: unknown): value is Jwt['head'] =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
