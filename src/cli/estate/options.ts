import type { Command } from 'commander';
import type { Choice } from './estate.ts';
import { type OverlayOption, overlayOf, withOverlayOption } from './overlay-option.ts';

/** The options of every verb that looks at clouds. `dir` is the store's folder, an option of the program itself. */
export interface EstateOptions extends OverlayOption {
  readonly target: readonly string[];
  readonly allowEndpoint?: boolean;
  readonly dir: string;
}

export const withEstateOptions = (command: Command): Command =>
  targetOptions(command.argument('[dir]', 'folder of specs', 'specs'));

/** For verbs whose arguments are addresses. */
export const withSpecsOption = (command: Command): Command =>
  targetOptions(command.option('--specs <folder>', 'folder of specs', 'specs'));

const targetOptions = (command: Command): Command =>
  withOverlayOption(command)
    .option('--target <name>', 'only this target; may be given several times', collect, [])
    .option('--allow-endpoint', 'let targets with an `endpoint` be called there, as with the sandbox');

const collect = (value: string, before: readonly string[]): readonly string[] => [...before, value];

export const choiceOf = (dir: string, { target, allowEndpoint = false, overlay }: EstateOptions): Choice => ({
  dir,
  targets: target,
  allowEndpoint,
  ...overlayOf({ overlay }),
});
