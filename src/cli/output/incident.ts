import type { Held } from '../../core/pause.ts';
import { formatMoment, goesOnText, heldText } from '../../core/render/wording.ts';
import type { Pause } from '../../ports/fleet-state.ts';
import { resumeLine } from '../options.ts';
import { formatDuration } from './format.ts';

/** A part of an incident: its end, the work that it holds and that goes on, and the line that ends it. */
export const incidentLines = (pause: Pause, now: number): readonly string[] => [
  `${pause.incident} until ${formatMoment(pause.until)}, in ${formatDuration(pause.until - now)}, by ${pause.person}: ${pause.reason}`,
  `  holds ${heldText(unnamed(pause))}; goes on: ${goesOnText(pause)}`,
  `  ${resumeLine(pause)}`,
];

/** The same without the name, which is said beside it. */
export const unnamed = ({ what, of }: Held): Held => ({ what, of });
