type Scalar = string | number | boolean | undefined;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#xd;',
};

export function escaped(value: string): string {
  return /[&<>"\r]/.test(value) ? value.replace(/[&<>"\r]/g, (char) => ESCAPES[char] ?? char) : value;
}

/** `<name>value</name>`, or nothing where there is no value. */
export function el(name: string, value: Scalar): string {
  return value === undefined ? '' : `<${name}>${typeof value === 'string' ? escaped(value) : value}</${name}>`;
}

/** `<name>` around XML that is already written, or nothing where there is none. */
export function wrap(name: string, inner: string | undefined): string {
  return inner === undefined ? '' : `<${name}>${inner}</${name}>`;
}

/** A list of EC2: `<name><item>…</item>…</name>`; an empty one is `<name/>`. */
export function set(name: string, items: Iterable<string>): string {
  let inner = '';
  for (const item of items) inner += `<item>${item}</item>`;
  return inner === '' ? `<${name}/>` : `<${name}>${inner}</${name}>`;
}

/** Times as EC2 writes them. */
export function time(ms: number): string {
  return new Date(ms).toISOString();
}
