import type { Command } from 'commander';

/** Of every verb that reads specs. */
export interface OverlayOption {
  readonly overlay?: string;
}

export const withOverlayOption = (command: Command): Command =>
  command.option('--overlay <name>', 'with overlays/<name> over the base of the specs');

/** The key, or no key. */
export const overlayOf = ({ overlay }: { readonly overlay?: string | undefined }): OverlayOption =>
  overlay === undefined ? {} : { overlay };
