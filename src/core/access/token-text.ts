/** The form of an API token: `setpoint_<id>_<secret>`, so that scanners for lost secrets can recognise it. */
export const tokenText = (id: string, secret: string): string => `setpoint_${id}_${secret}`;

/** 64 bits of id as hex, 256 bits of secret as base64url. */
const form = /^setpoint_([0-9a-f]{16})_([\w-]{43})$/;

/** Undefined: this text is no token of ours. */
export function parseTokenText(text: string): { readonly id: string; readonly secret: string } | undefined {
  const [, id, secret] = form.exec(text) ?? [];
  return id === undefined || secret === undefined ? undefined : { id, secret };
}
