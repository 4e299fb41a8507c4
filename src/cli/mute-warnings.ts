import type { EventEmitter } from 'node:events';

/**
 * Keeps Node's warnings of these names from the terminal; all others are printed as before. `MetadataLookupWarning`: Google's library
 * warns on each machine outside Google Cloud, as no metadata server answers there. The error that follows names the missing credentials.
 */
export function muteWarnings(on: EventEmitter, names: readonly string[]): void {
  const printers = on.listeners('warning');
  on.removeAllListeners('warning');
  on.on('warning', (warning: Error) => {
    if (!names.includes(warning.name)) for (const print of printers) print.call(on, warning);
  });
}
