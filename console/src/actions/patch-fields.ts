/** The fields of a patch by name, or the line that is none. */
export type PatchFields = { readonly fields: Readonly<Record<string, unknown>> } | { readonly problem: string };

/**
 * A `field=value` in each line, as `setpoint patch` takes them. A value that is JSON is one (`3`, `true`, `null`, `[22, 443]`, `"3"`);
 * any other is a text.
 */
export function parseFields(text: string): PatchFields {
  const fields: Record<string, unknown> = {};
  for (const [at, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue;
    const [, field = '', value = ''] = /^\s*([^\s=]+)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
    if (field === '') return { problem: `Line ${at + 1}: write it as field=value, such as size=t3.large.` };
    if (field in fields) return { problem: `Line ${at + 1}: ${field} stands there twice.` };
    fields[field] = parsedValue(value);
  }
  return Object.keys(fields).length === 0 ? { problem: 'Write a field=value.' } : { fields };
}

function parsedValue(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
