import type { Position } from '../position.ts';

/** How a message names another place: `core.yaml:12`. */
export const place = (at: Position): string => `${at.file}:${at.line}`;
