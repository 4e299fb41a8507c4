import { el, wrap } from './xml.ts';

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

/** Reads the XML that `ec2/wire/xml.ts` writes; it is no reader of any other. Answers the root. */
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
