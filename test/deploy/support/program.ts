import { join } from 'node:path';

/** What the image's ENTRYPOINT runs. */
export const program = join(import.meta.dirname, '../../../bin/setpoint.mjs');
