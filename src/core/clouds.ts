import type { Cloud } from './resource.ts';

/** All that specs may name; `memory` is nobody's, for tests and first steps. */
export const clouds = ['aws', 'gcp', 'azure', 'memory'] as const satisfies readonly Cloud[];
