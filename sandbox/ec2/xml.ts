type Scalar = string | number | boolean | undefined;

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  '\r': '&#xd;',
};

function escaped(value: string): string {
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

/** An element of what EC2 answers: others in it, or text. */
export interface Element {
  readonly name: string;
  readonly inner: readonly Element[];
  readonly text: string;
}

const TOKEN = /<(\/?)([\w:]+)[^>]*?(\/?)>|([^<]+)/g;

interface Open {
  readonly name: string;
  readonly inner: Element[];
  text: string;
}

/** Reads the XML that this file writes, and no other. Answers the root. */
export function readAnswer(xml: string): Element {
  const root: Open = { name: '', inner: [], text: '' };
  const stack = [root];
  for (const [, slash, name, closed, text] of xml.replace(/^<\?.*\?>\s*/, '').matchAll(TOKEN)) {
    const top = stack.at(-1) ?? root;
    if (name === undefined) top.text += unescaped(text ?? '');
    else if (slash) stack.pop();
    else {
      const next: Open = { name, inner: [], text: '' };
      top.inner.push(next);
      if (!closed) stack.push(next);
    }
  }
  return root.inner[0] ?? root;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#xd': '\r' };

function unescaped(text: string): string {
  return text.replace(/&(amp|lt|gt|quot|#xd);/g, (_, name: string) => ENTITIES[name] ?? '');
}

/** The XML of an element and of all in it. */
export function elementXml({ name, inner, text }: Element): string {
  if (inner.length === 0) return text === '' ? `<${name}/>` : el(name, text);
  return wrap(name, inner.map(elementXml).join(''));
}
