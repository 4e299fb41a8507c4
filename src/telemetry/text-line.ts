/** A line of JSON as one for people: `time level message field=value …`. What a terminal would obey is written as an escape. */
export function textLine(json: string): string {
  const line: Readonly<Record<string, unknown>> = JSON.parse(json);
  const { time, level, message, ...fields } = line;
  const pairs = Object.entries(fields).map(([name, value]) => ` ${name}=${shown(value)}`);
  return `${time} ${level} ${plain(String(message))}${pairs.join('')}\n`;
}

/** Quoted where it would not read as one word. */
const shown = (value: unknown): string => {
  const text = String(value);
  return /^[^\s"=\p{C}]+$/u.test(text) ? text : plain(JSON.stringify(text));
};

const plain = (text: string): string =>
  text.replaceAll(/\p{C}/gu, (character) => `\\u{${character.codePointAt(0)?.toString(16)}}`);
