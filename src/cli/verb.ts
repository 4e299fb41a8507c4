import { Command } from 'commander';

/** Headings of the help, in its order. */
export const verbGroups = ['Specs', 'Change', 'Steer', 'Look', 'Own', 'Run', 'Server', 'Set up'] as const;

export interface VerbText {
  readonly group: (typeof verbGroups)[number];
  readonly summary: string;
  /** Below the summary in `--help`: behaviour, not syntax. A single line break counts as a space, an empty line parts paragraphs. */
  readonly about?: string;
  /** Each a whole command line after `setpoint `, and what it is for. */
  readonly examples: readonly (readonly [line: string, purpose: string])[];
}

/** A verb without its arguments, options and action. */
export function verb(name: string, text: VerbText): Command {
  const about = text.about === undefined ? text.summary : `${text.summary}\n\n${flowing(text.about)}`;
  return new Command(name)
    .helpGroup(`${text.group}:`)
    .summary(text.summary)
    .description(about)
    .addHelpText('after', `\nExamples:\n${examples(text.examples)}`);
}

/** Commander keeps each line break that it is given, and wraps to the terminal besides. */
const flowing = (text: string): string => text.replaceAll(/(?<!\n)\n(?!\n)/g, ' ');

function examples(lines: VerbText['examples']): string {
  const width = Math.max(...lines.map(([line]) => line.length));
  return lines.map(([line, purpose]) => `  setpoint ${line.padEnd(width)}  # ${purpose}\n`).join('');
}
