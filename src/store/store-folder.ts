import { basename, join } from 'node:path';

/** The folder of a store, whether it was named itself or the one that has it. */
export const storeFolder = (folder: string): string =>
  basename(folder) === '.setpoint' ? folder : join(folder, '.setpoint');
