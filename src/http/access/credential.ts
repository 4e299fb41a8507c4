/**
 * The one header Authorization among the headers as they came: name, value, name, value. Undefined where there is none, or more
 * than one: of two, programs before us may have looked at the other.
 */
export function authorizationIn(rawHeaders: readonly string[]): string | undefined {
  const given = rawHeaders.filter(
    (_, index) => index % 2 === 1 && rawHeaders[index - 1]?.toLowerCase() === 'authorization',
  );
  return given.length === 1 ? given[0] : undefined;
}

/** What stands behind `Bearer`, https://www.rfc-editor.org/rfc/rfc6750#section-2.1; no other scheme is known. */
export const bearerOf = (authorization: string | undefined): string | undefined =>
  /^Bearer ([\w.~+/-]+=*)$/i.exec(authorization ?? '')?.[1];
