/** A line that is being typed. `ended`: it is whole, was given up with Ctrl-C, or is longer than anything that was asked for. */
export interface TypedLine {
  readonly text: string;
  readonly ended?: 'whole' | 'stopped' | 'too-long';
}

const mostCharacters = 16_384;

/** With a terminal that shows and edits nothing: what some more keys make of a line. What follows its end is dropped. */
export function typed(line: TypedLine, keys: string): TypedLine {
  let { text } = line;
  for (const key of keys) {
    const ended = endings[key];
    if (ended !== undefined && (key !== ctrlD || text === '')) return { text, ended };
    text = edited(text, key);
    if (text.length > mostCharacters) return { text: '', ended: 'too-long' };
  }
  return { text };
}

const ctrlD = '\x04';
const endings: Readonly<Record<string, 'whole' | 'stopped'>> = {
  '\r': 'whole',
  '\n': 'whole',
  '\x03': 'stopped',
  [ctrlD]: 'stopped',
};

/** Backspace takes a character, Ctrl-U all of them; other keys that are no characters do nothing. */
function edited(text: string, key: string): string {
  if (key === '\x7f' || key === '\b') return [...text].slice(0, -1).join('');
  if (key === '\x15') return '';
  return key < ' ' ? text : text + key;
}
