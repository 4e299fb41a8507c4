import { stripVTControlCharacters, styleText } from 'node:util';
import type { Ran, Stage } from './stage.ts';

/** What a command must show: its exit code, and lines that must or must not be there. */
export interface Expected {
  readonly code: number;
  readonly shows: readonly RegExp[];
  readonly never?: readonly RegExp[];
}

/** At most so many lines of an answer are shown, the first ones. */
const mostLines = 24;

export interface Narrator {
  /** A heading, and in a sentence or two what is to be seen. */
  chapter(title: string, about: string): void;
  say(text: string): void;
  /** How many chapters there were. */
  chapters(): number;
  /** Runs a command before the audience; throws where it does not show what it must. */
  show(args: readonly string[], expected: Expected): Promise<Ran>;
}

export function narratorOn(stage: Stage, write: (text: string) => void): Narrator {
  const style = (format: 'bold' | 'dim' | 'cyan', text: string): string =>
    styleText(format, text, { stream: process.stdout });
  let chapters = 0;
  return {
    chapter: (title, about) => {
      chapters += 1;
      write(`\n${style('bold', `${chapters}. ${title}`)}\n${style('dim', about)}\n`);
    },
    chapters: () => chapters,
    say: (text) => write(`${text}\n`),
    show: async (args, expected) => {
      write(`\n  ${style('cyan', `$ setpoint ${args.filter((arg) => arg !== '--allow-endpoint').join(' ')}`)}\n`);
      const ran = await stage.setpoint(args);
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
  { code: wanted, shows, never = [] }: Expected,
): void {
  const text = stripVTControlCharacters(stdout);
  const missing = shows.filter((pattern) => !pattern.test(text));
  const unwanted = never.filter((pattern) => pattern.test(text));
  if (code === wanted && missing.length + unwanted.length === 0) return;
  const faults = [
    ...(code === wanted ? [] : [`exit code ${code}, not ${wanted}`]),
    ...missing.map((pattern) => `does not show ${pattern}`),
    ...unwanted.map((pattern) => `shows ${pattern}`),
  ];
  throw new Error(`setpoint ${args.join(' ')}: ${faults.join('; ')}\n${stderr}`);
}
