import { conformance } from './conformance.ts';
import { openMemory } from './memory-harness.ts';

conformance('memory', () => openMemory());
conformance('memory, where writes take a minute to be seen', () => openMemory({ lagMs: 60_000 }));
