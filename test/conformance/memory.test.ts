import { conformance } from './conformance.ts';
import { memorySubject, openMemory } from './memory-harness.ts';

conformance('memory', memorySubject, () => openMemory());
conformance('memory, where writes take a minute to be seen', memorySubject, () => openMemory({ lagMs: 60_000 }));
