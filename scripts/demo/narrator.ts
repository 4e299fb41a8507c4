import { stripVTControlCharacters, styleText } from 'node:util';
import type { Ran, Stage } from './stage.ts';

/** The expected result of a command: its exit code, and lines that must be present or absent. */
export interface Expected {
  readonly code: number;
  readonly shows: readonly RegExp[];
  readonly never?: readonly RegExp[];
  /** Lines of its progress, on stderr. */
  readonly tells?: readonly RegExp[];
}

/** At most so many lines of an answer are shown, the first ones. */
const mostLines = 24;

export interface Narrator {
  /** A heading, and in a sentence or two what is to be seen. */
  chapter(title: string, about: string): void;
  say(text: string): void;
  /** The number of chapters. */
  chapters(): number;
  /** Runs a command whose progress the audience sees, and nothing else; throws where it fails. */
  watch(args: readonly string[]): Promise<void>;
  /** Runs a command before the audience; throws where it does not show what it must. */
  show(args: readonly string[], expected: Expected): Promise<Ran>;
}

export function narratorOn(stage: Stage, write: (text: string) => void): Narrator {
  const style = (format: 'bold' | 'dim' | 'cyan', text: string): string =>
    styleText(format, text, { stream: process.stdout });
  let chapters = 0;
  /** Progress speaks of a place first; the rest of what is on stderr stands in the answer too. */
  const tell = (line: string): void => {
    if (/^\w+\/\S+: /.test(line)) write(style('dim', `  ${line}\n`));
  };
  return {
    chapter: (title, about) => {
      chapters += 1;
      write(`\n${style('bold', `${chapters}. ${title}`)}\n${style('dim', about)}\n`);
    },
    chapters: () => chapters,
    say: (text) => write(`${text}\n`),
    watch: async (args) => {
      const { code, stdout, stderr } = await stage.setpoint(args, tell);
      if (code !== 0) throw new Error(`setpoint ${args.join(' ')} ended with ${code}:\n${stdout}${stderr}`);
    },
    show: async (args, expected) => {
      write(`\n  ${style('cyan', `$ setpoint ${args.filter((arg) => arg !== '--allow-endpoint').join(' ')}`)}\n`);
      const ran = await stage.setpoint(args, tell);
      write(excerpt(ran.stdout));
      demand(args, ran, expected);
      return ran;
    },
  };
}

function excerpt(text: string): string {
  const lines = text.trimEnd().split('\n');
  const rest = lines.length - mostLines;
  const shown = lines.slice(0, mostLines).map((line) => `  ${line}\n`);
  return `${shown.join('')}${rest > 0 ? `  … ${rest} lines more\n` : ''}`;
}

function demand(
  args: readonly string[],
  { code, stdout, stderr }: Ran,
  { code: wanted, shows, never = [], tells = [] }: Expected,
): void {
  const text = stripVTControlCharacters(stdout);
  const missing = shows.filter((pattern) => !pattern.test(text));
  const unwanted = never.filter((pattern) => pattern.test(text));
  const untold = tells.filter((pattern) => !pattern.test(stripVTControlCharacters(stderr)));
  if (code === wanted && missing.length + unwanted.length + untold.length === 0) return;
  const faults = [
    ...(code === wanted ? [] : [`exit code ${code}, not ${wanted}`]),
    ...missing.map((pattern) => `does not show ${pattern}`),
    ...unwanted.map((pattern) => `shows ${pattern}`),
    ...untold.map((pattern) => `does not tell ${pattern} on the way`),
  ];
  throw new Error(`setpoint ${args.join(' ')}: ${faults.join('; ')}\n${stderr}`);
}
